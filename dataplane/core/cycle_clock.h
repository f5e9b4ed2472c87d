// Time stamp counter reads and their conversion to nanoseconds. Hot reads, cold calibration.
#pragma once

#include <cstdint>

#include <x86intrin.h>

namespace tickpath::core {

/// The time stamp counter now; about 10 ns, never a system call.
[[nodiscard]] inline std::uint64_t cycles_now() noexcept {
    return __rdtsc();
}

/// Cycles to nanoseconds and to CLOCK_REALTIME. A value fitted once at start; copies are cheap and
/// independent.
class CycleClock {
public:
    /// Measures the counter against CLOCK_MONOTONIC_RAW for about `calibration_ms`; takes that long.
    [[nodiscard]] static CycleClock calibrate(std::uint32_t calibration_ms = 20);

    /// For tests: a clock with a known rate whose origin cycle is `origin_realtime_ns`.
    constexpr CycleClock(double ns_per_cycle, std::uint64_t origin_cycles,
                         std::uint64_t origin_realtime_ns) noexcept
        : ns_per_cycle_(ns_per_cycle),
          origin_cycles_(origin_cycles),
          origin_realtime_ns_(origin_realtime_ns) {}

    [[nodiscard]] std::uint64_t to_ns(std::uint64_t cycle_count) const noexcept {
        return static_cast<std::uint64_t>(static_cast<double>(cycle_count) * ns_per_cycle_);
    }
    [[nodiscard]] std::uint64_t to_cycles(std::uint64_t duration_ns) const noexcept {
        return static_cast<std::uint64_t>(static_cast<double>(duration_ns) / ns_per_cycle_);
    }
    /// UTC nanoseconds since 1970 of a counter value, as far as the calibration is good.
    [[nodiscard]] std::uint64_t to_realtime_ns(std::uint64_t cycles) const noexcept {
        const auto since_origin = static_cast<std::int64_t>(cycles - origin_cycles_);
        return origin_realtime_ns_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                                         static_cast<double>(since_origin) * ns_per_cycle_));
    }

private:
    double ns_per_cycle_;
    std::uint64_t origin_cycles_;
    std::uint64_t origin_realtime_ns_;
};

}  // namespace tickpath::core
