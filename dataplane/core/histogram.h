// Counts values in logarithmic buckets of 1/64 relative width: percentiles without keeping samples. One
// writer.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace tickpath::core {

/// Values below 128 are exact; above, a bucket is at most 1/64 of its value wide. Values beyond 2^42 (73
/// minutes in nanoseconds) fall into the last bucket; `max()` stays exact. Unit is the caller's; reports use
/// nanoseconds.
class Histogram {
public:
    Histogram() = default;
    Histogram(const Histogram& other) noexcept { merge(other); }
    Histogram& operator=(const Histogram& other) noexcept {
        if (this != &other) {
            clear();
            merge(other);
        }
        return *this;
    }

    void record(std::uint64_t value) noexcept {
        add(buckets_[bucket_of(value)], 1);
        add(count_, 1);
        add(sum_, value);
        if (value < load(min_)) store(min_, value);
        if (value > load(max_)) store(max_, value);
    }

    /// Called by the writer of this one; `other` may have another writer.
    void merge(const Histogram& other) noexcept {
        for (std::size_t i = 0; i < bucket_count; ++i)
            add(buckets_[i], load(other.buckets_[i]));
        add(count_, load(other.count_));
        add(sum_, load(other.sum_));
        store(min_, std::min(load(min_), load(other.min_)));
        store(max_, std::max(load(max_), load(other.max_)));
    }

    [[nodiscard]] std::uint64_t count() const noexcept { return load(count_); }
    [[nodiscard]] std::uint64_t min() const noexcept { return count() == 0 ? 0 : load(min_); }
    [[nodiscard]] std::uint64_t max() const noexcept { return load(max_); }
    [[nodiscard]] double mean() const noexcept {
        return count() == 0 ? 0.0 : static_cast<double>(load(sum_)) / static_cast<double>(count());
    }

    /// The smallest recorded-bucket upper bound with at least `percent` of all values at or below it; 0 when
    /// empty.
    [[nodiscard]] std::uint64_t percentile(double percent) const noexcept {
        const std::uint64_t total = count();
        if (total == 0) return 0;
        const double wanted = static_cast<double>(total) * percent / 100.0;
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < bucket_count; ++i) {
            seen += load(buckets_[i]);
            if (seen != 0 && static_cast<double>(seen) >= wanted) return clamped(upper_bound_of(i));
        }
        return max();
    }

private:
    static constexpr unsigned sub_bits = 6;
    static constexpr unsigned value_bits_max = 42;
    static constexpr std::size_t linear_count = std::size_t{1} << (sub_bits + 1);
    static constexpr std::size_t bucket_count = linear_count + ((value_bits_max - sub_bits - 1) << sub_bits);

    [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t value) noexcept {
        if (value < linear_count) return static_cast<std::size_t>(value);
        const auto bits = static_cast<unsigned>(std::bit_width(value));
        if (bits > value_bits_max) return bucket_count - 1;
        const unsigned shift = bits - sub_bits - 1;
        return linear_count + (std::size_t{shift - 1} << sub_bits) +
               static_cast<std::size_t>((value >> shift) & ((1u << sub_bits) - 1));
    }

    [[nodiscard]] static constexpr std::uint64_t upper_bound_of(std::size_t bucket) noexcept {
        if (bucket < linear_count) return bucket;
        const std::size_t above = bucket - linear_count;
        const unsigned shift = static_cast<unsigned>(above >> sub_bits) + 1;
        const std::uint64_t sub =
            (above & ((std::size_t{1} << sub_bits) - 1)) + (std::uint64_t{1} << sub_bits);
        return ((sub + 1) << shift) - 1;
    }

    // The bucket's bound, but never outside what was recorded; a concurrent writer may have min above max for
    // a moment.
    [[nodiscard]] std::uint64_t clamped(std::uint64_t value) const noexcept {
        return std::max(std::min(value, load(max_)), std::min(load(min_), load(max_)));
    }

    // Relaxed single-writer accesses: plain moves on x86-64, and no data race for a reader on another thread.
    [[nodiscard]] static std::uint64_t load(const std::uint64_t& cell) noexcept {
        return std::atomic_ref(const_cast<std::uint64_t&>(cell)).load(std::memory_order_relaxed);
    }
    static void store(std::uint64_t& cell, std::uint64_t value) noexcept {
        std::atomic_ref(cell).store(value, std::memory_order_relaxed);
    }
    static void add(std::uint64_t& cell, std::uint64_t n) noexcept { store(cell, load(cell) + n); }

    void clear() noexcept {
        for (std::uint64_t& bucket : buckets_)
            store(bucket, 0);
        store(count_, 0);
        store(sum_, 0);
        store(min_, std::numeric_limits<std::uint64_t>::max());
        store(max_, 0);
    }

    std::array<std::uint64_t, bucket_count> buckets_{};
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t max_ = 0;
};

}  // namespace tickpath::core
