// What the machine itself takes away: a loop that does nothing but look at the clock, and the gaps in what it
// saw. A percentile of a latency that is worse than these belongs to the code, the rest to the machine. Cold.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/core/histogram.h"

namespace tickpath::latency {

struct StallBaseline {
    static constexpr std::size_t range_count = 6;
    /// Names of the ranges of `gaps_by_range`.
    static constexpr std::array<std::string_view, range_count> range_names = {
        "below 1 µs", "1-10 µs", "10-100 µs", "100 µs-1 ms", "1-10 ms", "10 ms and more"};

    std::uint64_t duration_ns = 0;
    core::Histogram gaps_ns;  ///< between two looks at the clock
    std::array<std::uint64_t, range_count> gaps_by_range{};
    std::uint64_t stalled_ns = 0;  ///< sum of the gaps of 1 µs and more
};

/// The index of the range that a gap is in.
[[nodiscard]] std::size_t range_of(std::uint64_t gap_ns) noexcept;

/// Spins for so long on the core that this thread happens to be on.
[[nodiscard]] StallBaseline measure_stalls(std::uint32_t duration_ms);

}  // namespace tickpath::latency
