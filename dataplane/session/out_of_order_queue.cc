#include "dataplane/session/out_of_order_queue.h"

#include <algorithm>

namespace tickpath::session {

OutOfOrderQueue::OutOfOrderQueue(std::size_t bytes_max, std::size_t messages_max)
    : storage_(bytes_max), entries_(messages_max) {}

bool OutOfOrderQueue::add(std::uint64_t number, std::string_view message) noexcept {
    if (find(number) != nullptr) return true;
    if (entry_count_ == entries_.size() || message.size() > storage_.size() - storage_used_) return false;
    std::copy(message.begin(), message.end(), storage_.begin() + static_cast<std::ptrdiff_t>(storage_used_));
    entries_[entry_count_++] = {.number = number, .offset = storage_used_, .bytes = message.size()};
    storage_used_ += message.size();
    return true;
}

const OutOfOrderQueue::Entry* OutOfOrderQueue::find(std::uint64_t number) const noexcept {
    for (std::size_t i = 0; i < entry_count_; ++i)
        if (entries_[i].number == number) return &entries_[i];
    return nullptr;
}

void OutOfOrderQueue::drop_below(std::uint64_t number) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < entry_count_; ++i)
        if (entries_[i].number >= number) entries_[kept++] = entries_[i];
    entry_count_ = kept;
    if (kept == 0) storage_used_ = 0;
}

void OutOfOrderQueue::clear() noexcept {
    entry_count_ = 0;
    storage_used_ = 0;
}

}  // namespace tickpath::session
