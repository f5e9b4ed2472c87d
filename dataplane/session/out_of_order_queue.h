// Messages that arrived ahead of a gap, kept until their number is due. Bounded; rare, so plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tickpath::session {

/// Owned by one session. Memory is taken at construction.
class OutOfOrderQueue {
public:
    OutOfOrderQueue(std::size_t bytes_max, std::size_t messages_max);

    /// Keeps a copy. A number that is there already keeps its first message. False when there is no room: the
    /// peer is asked again when the gap before it closes.
    bool add(std::uint64_t number, std::string_view message) noexcept;

    /// Keeps the number only: the message was served on arrival (ResendRequest), its number still counts.
    bool add_served(std::uint64_t number) noexcept { return add(number, {}); }

    struct Entry {
        std::uint64_t number = 0;
        std::size_t offset = 0;
        std::size_t bytes = 0;  ///< 0: served on arrival
    };
    /// The entry with this number, or nullptr.
    [[nodiscard]] const Entry* find(std::uint64_t number) const noexcept;
    [[nodiscard]] std::span<const char> message(const Entry& entry) const noexcept {
        return std::span(storage_).subspan(entry.offset, entry.bytes);
    }
    /// Forgets all numbers below `number`. Bytes already handed out stay readable until the next add.
    void drop_below(std::uint64_t number) noexcept;
    void clear() noexcept;

    [[nodiscard]] bool empty() const noexcept { return entry_count_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return entry_count_; }

private:
    std::vector<char> storage_;
    std::size_t storage_used_ = 0;
    std::vector<Entry> entries_;
    std::size_t entry_count_ = 0;
};

}  // namespace tickpath::session
