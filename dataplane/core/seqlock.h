// The latest value of something, from the one thread that owns it to any that looks. Hot for the writer only.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "dataplane/core/cache_line.h"

namespace tickpath::core {

/// One writer that never waits; readers retry while a write is under way.
///
/// The usual form needs fences, which TSan cannot see (g++ 12 refuses them). Here the value lies in 64-bit
/// words stored with release and loaded with acquire; on x86-64 both are plain moves. A reader that sees one
/// word of a newer write also sees the odd sequence stored before it, and retries.
template <class T>
class Seqlock {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Seqlock() noexcept : Seqlock(T{}) {}
    explicit Seqlock(const T& value) noexcept { store(value); }

    Seqlock(const Seqlock&) = delete;
    Seqlock& operator=(const Seqlock&) = delete;

    /// Called by the writer only.
    void store(const T& value) noexcept {
        Words words{};
        std::memcpy(words.data(), &value, sizeof value);
        const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed);
        sequence_.store(sequence + 1,
                        std::memory_order_relaxed);  // ordered before the words by their release
        for (std::size_t i = 0; i < word_count; ++i)
            words_[i].store(words[i], std::memory_order_release);  // pairs with the acquire in try_load
        sequence_.store(sequence + 2, std::memory_order_release);  // pairs with the first acquire in try_load
    }

    /// The value, or nullopt when a write came in between.
    [[nodiscard]] std::optional<T> try_load() const noexcept {
        const std::uint64_t before = sequence_.load(std::memory_order_acquire);
        if ((before & 1) != 0) return std::nullopt;
        Words words;
        for (std::size_t i = 0; i < word_count; ++i)
            words[i] = words_[i].load(std::memory_order_acquire);
        if (sequence_.load(std::memory_order_relaxed) != before) return std::nullopt;
        T value;
        std::memcpy(static_cast<void*>(&value), words.data(), sizeof value);
        return value;
    }

    /// Retries until a value is whole. The writer is a polling loop that is never preempted for long.
    [[nodiscard]] T load() const noexcept {
        for (;;)
            if (const std::optional<T> value = try_load()) return *value;
    }

private:
    static constexpr std::size_t word_count = (sizeof(T) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    using Words = std::array<std::uint64_t, word_count>;

    alignas(cache_line_bytes) std::atomic<std::uint64_t> sequence_{0};  // odd while the writer is in store
    std::array<std::atomic<std::uint64_t>, word_count> words_{};
};

}  // namespace tickpath::core
