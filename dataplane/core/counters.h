// Named counters in one page of memory, optionally a file that stays readable when the process is wedged or
// dead.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "decoders/base/error.h"

namespace tickpath::core {

/// One number with one writer. Readers may be other threads or processes; they subtract, nobody resets.
class Counter {
public:
    /// Counts into a cell that nobody reads: for stages used without a page.
    Counter() noexcept;
    explicit Counter(std::atomic<std::uint64_t>& cell) noexcept : cell_(&cell) {}

    void add(std::uint64_t n = 1) noexcept {
        cell_->store(cell_->load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
    /// For "longest", "most": keeps the larger of the stored value and `value`.
    void raise_to(std::uint64_t value) noexcept {
        if (value > cell_->load(std::memory_order_relaxed)) cell_->store(value, std::memory_order_relaxed);
    }
    void set(std::uint64_t value) noexcept { cell_->store(value, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const noexcept { return cell_->load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t>* cell_;
};

/// A fixed table of counters. Cells of different owners (threads) never share a cache line.
///
/// File layout, little-endian: 64-byte header {char magic[8] "TICKCNT1", u32 version, u32 capacity, u32
/// used}, then `capacity` entries of 128 bytes {char name[112] zero-terminated, u64 cell index, u64
/// reserved}, then cells.
class CounterPage {
public:
    /// Memory of this process only. Counters beyond `capacity` all share one overflow cell named
    /// "counters.overflow".
    [[nodiscard]] static CounterPage anonymous(std::size_t capacity = 1024);
    /// A shared mapping of `path`, its counters at zero, prefaulted. Locked until the page goes: one process
    /// counts into a file at a time.
    ///
    /// `io` with errno when the file cannot be had, EWOULDBLOCK when another process counts into it;
    /// `bad_syntax` when there is something in it that no page has written: it is left as it is.
    [[nodiscard]] static Result<CounterPage> file(const std::string& path, std::size_t capacity = 1024);
    /// An existing file, read only: for other processes and post-mortem.
    [[nodiscard]] static Result<CounterPage> open(const std::string& path);

    CounterPage(CounterPage&& other) noexcept;
    CounterPage& operator=(CounterPage&& other) noexcept;
    ~CounterPage();

    /// The counter `owner` + "." + `name`, made on first use. Call at start, from one thread.
    /// Owners start a fresh cache line, so ask for all counters of an owner together.
    [[nodiscard]] Counter add(std::string_view owner, std::string_view name);

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] std::string_view name(std::size_t index) const noexcept;  ///< in order of making
    [[nodiscard]] std::uint64_t value(std::size_t index) const noexcept;
    /// Value of the counter with this full name; 0 when there is none.
    [[nodiscard]] std::uint64_t value(std::string_view full_name) const noexcept;
    /// Sum over all counters whose full name ends in "." + `suffix`.
    [[nodiscard]] std::uint64_t sum(std::string_view suffix) const noexcept;

private:
    struct Layout;
    CounterPage(void* memory, std::size_t bytes, int descriptor = -1) noexcept
        : memory_(memory), bytes_(bytes), descriptor_(descriptor) {}
    [[nodiscard]] Layout layout() const noexcept;
    [[nodiscard]] bool is_sound() const noexcept;

    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    int descriptor_ = -1;  ///< of `file`, holds its lock
    std::size_t next_cell_ = 0;
    std::string last_owner_;
};

}  // namespace tickpath::core
