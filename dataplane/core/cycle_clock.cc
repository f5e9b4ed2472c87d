#include "dataplane/core/cycle_clock.h"

#include <ctime>

namespace tickpath::core {
namespace {

std::uint64_t now_ns(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

UtcReading read_utc() noexcept {
    UtcReading best;
    std::uint64_t best_took = ~std::uint64_t{0};
    for (int i = 0; i < 5; ++i) {  // the thread may be put off its CPU between two reads
        const std::uint64_t before = cycles_now();
        const std::uint64_t realtime_ns = now_ns(CLOCK_REALTIME);
        const std::uint64_t took = cycles_now() - before;
        if (took >= best_took) continue;
        best_took = took;
        best = {before + took / 2, realtime_ns};
    }
    return best;
}

CycleClock CycleClock::calibrate(std::uint32_t calibration_ms) {
    const std::uint64_t start_ns = now_ns(CLOCK_MONOTONIC_RAW);
    const std::uint64_t start_cycles = cycles_now();
    const std::uint64_t until_ns = start_ns + std::uint64_t{calibration_ms} * 1'000'000u;
    while (now_ns(CLOCK_MONOTONIC_RAW) < until_ns) {
    }
    const std::uint64_t elapsed_ns = now_ns(CLOCK_MONOTONIC_RAW) - start_ns;
    const std::uint64_t end_cycles = cycles_now();
    const UtcReading utc = read_utc();
    return {static_cast<double>(elapsed_ns) / static_cast<double>(end_cycles - start_cycles), utc.cycles,
            utc.realtime_ns};
}

}  // namespace tickpath::core
