#include "control/journal/tick_writer.h"

#include <cerrno>
#include <chrono>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tickpath::journal {
namespace {

constexpr std::size_t drain_ticks_max = 1024;      // per ring and turn, so that no ring starves another
constexpr std::size_t buffer_bytes = 1024 * 1024;  // one write per some 6,000 ticks
constexpr std::chrono::milliseconds empty_sleep{1};

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

bool is_written(const model::Tick& tick) {
    return !tick.has(model::tick_flag::replayed) && !tick.has(model::tick_flag::own_event);
}

}  // namespace

Result<std::unique_ptr<TickWriter>> TickWriter::open(const std::string& path,
                                                     std::vector<model::TickRing*> rings, TickNames names) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) return Errc::io;
    return std::unique_ptr<TickWriter>(new TickWriter(descriptor, std::move(rings), std::move(names)));
}

TickWriter::TickWriter(int descriptor, std::vector<model::TickRing*> rings, TickNames names)
    : descriptor_(descriptor), rings_(std::move(rings)), names_(std::move(names)) {
    buffer_.reserve(buffer_bytes + tick_csv_line_bytes_max);
    buffer_ += tick_csv_header;
}

TickWriter::~TickWriter() {
    static_cast<void>(stop());
    ::close(descriptor_);
}

void TickWriter::start() {
    thread_ = std::thread([this] { run(); });
}

bool TickWriter::stop() {
    is_stopping_.store(true, std::memory_order_release);  // pairs with the acquire in run
    if (thread_.joinable()) thread_.join();
    return !has_failed_;
}

void TickWriter::run() {
    while (true) {
        const bool was_told = is_stopping_.load(std::memory_order_acquire);  // pairs with the release in stop
        if (drain()) continue;
        flush();
        // An empty turn after the word is the end: the producers had finished before it was given.
        if (was_told) return;
        std::this_thread::sleep_for(empty_sleep);
    }
}

bool TickWriter::drain() {
    bool has_drained = false;
    for (model::TickRing* ring : rings_) {
        for (std::size_t taken = 0; taken < drain_ticks_max; ++taken) {
            const model::Tick* tick = ring->front();
            if (tick == nullptr) break;
            has_drained = true;
            if (is_written(*tick)) {
                append_tick_csv(buffer_, *tick, names_);
                lines_.store(lines_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            }
            ring->pop();
            if (buffer_.size() >= buffer_bytes) flush();
        }
    }
    return has_drained;
}

// After a refusal ticks are still taken, so that producers go on; stop() tells that the file is incomplete.
void TickWriter::flush() {
    if (!has_failed_ && !write_all(descriptor_, buffer_)) has_failed_ = true;
    buffer_.clear();
}

}  // namespace tickpath::journal
