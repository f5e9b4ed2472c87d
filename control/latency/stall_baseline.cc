#include "control/latency/stall_baseline.h"

#include "dataplane/core/cycle_clock.h"

namespace tickpath::latency {

std::size_t range_of(std::uint64_t gap_ns) noexcept {
    std::size_t range = 0;
    for (std::uint64_t limit_ns = 1'000; gap_ns >= limit_ns && range + 1 < StallBaseline::range_count;
         limit_ns *= 10)
        ++range;
    return range;
}

StallBaseline measure_stalls(std::uint32_t duration_ms) {
    const core::CycleClock clock = core::CycleClock::calibrate();
    StallBaseline baseline;
    const std::uint64_t begin = core::cycles_now();
    const std::uint64_t end = begin + clock.to_cycles(std::uint64_t{duration_ms} * 1'000'000);
    for (std::uint64_t last = begin; last < end;) {
        const std::uint64_t now = core::cycles_now();
        const std::uint64_t gap_ns = clock.to_ns(now - last);
        baseline.gaps_ns.record(gap_ns);
        ++baseline.gaps_by_range[range_of(gap_ns)];
        if (gap_ns >= 1'000) baseline.stalled_ns += gap_ns;
        last = now;
        baseline.duration_ns = clock.to_ns(now - begin);
    }
    return baseline;
}

}  // namespace tickpath::latency
