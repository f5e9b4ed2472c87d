// Counts values in logarithmic buckets of 1/64 relative width: percentiles without keeping samples. One
// writer.
#pragma once

#include <algorithm>
#include <array>
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
    void record(std::uint64_t value) noexcept {
        ++buckets_[bucket_of(value)];
        ++count_;
        sum_ += value;
        min_ = std::min(min_, value);
        max_ = std::max(max_, value);
    }

    void merge(const Histogram& other) noexcept {
        for (std::size_t i = 0; i < bucket_count; ++i)
            buckets_[i] += other.buckets_[i];
        count_ += other.count_;
        sum_ += other.sum_;
        min_ = std::min(min_, other.min_);
        max_ = std::max(max_, other.max_);
    }

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t min() const noexcept { return count_ == 0 ? 0 : min_; }
    [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
    [[nodiscard]] double mean() const noexcept {
        return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
    }

    /// The smallest recorded-bucket upper bound with at least `percent` of all values at or below it; 0 when
    /// empty.
    [[nodiscard]] std::uint64_t percentile(double percent) const noexcept {
        if (count_ == 0) return 0;
        const double wanted = static_cast<double>(count_) * percent / 100.0;
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < bucket_count; ++i) {
            seen += buckets_[i];
            if (seen != 0 && static_cast<double>(seen) >= wanted)
                return std::clamp(upper_bound_of(i), min_, max_);
        }
        return max_;
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

    std::array<std::uint64_t, bucket_count> buckets_{};
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t max_ = 0;
};

}  // namespace tickpath::core
