// Time stamp counter reads and their conversion to nanoseconds. Hot reads, cold calibration.
#pragma once

#include <cstdint>

#include <x86intrin.h>

namespace tickpath::core {

/// The time stamp counter now; about 10 ns, never a system call.
[[nodiscard]] inline std::uint64_t cycles_now() noexcept {
    return __rdtsc();
}

/// What CLOCK_REALTIME said at a value of the counter.
struct UtcReading {
    std::uint64_t cycles = 0;
    std::uint64_t realtime_ns = 0;
};
/// Reads both at one moment, to some tens of nanoseconds: the best of a few tries. Cold.
[[nodiscard]] UtcReading read_utc() noexcept;

/// Cycles to nanoseconds and to CLOCK_REALTIME. The rate is fitted once at start, against a clock that nobody
/// sets; UTC is what the system's clock said last, see anchor. Copies are cheap and independent.
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
    /// UTC nanoseconds since 1970 of a counter value. As good as the last anchor: NTP slews the system's
    /// clock by up to 500 ppm and may step it, and only a new anchor tells.
    [[nodiscard]] std::uint64_t to_realtime_ns(std::uint64_t cycles) const noexcept {
        const auto since_origin = static_cast<std::int64_t>(cycles - origin_cycles_);
        return origin_realtime_ns_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                                         static_cast<double>(since_origin) * ns_per_cycle_));
    }

    /// UTC from here on; durations do not change. Time goes back when the system's clock was set back.
    constexpr void anchor(const UtcReading& reading) noexcept {
        origin_cycles_ = reading.cycles;
        origin_realtime_ns_ = reading.realtime_ns;
    }

private:
    double ns_per_cycle_;
    std::uint64_t origin_cycles_;
    std::uint64_t origin_realtime_ns_;
};

}  // namespace tickpath::core
