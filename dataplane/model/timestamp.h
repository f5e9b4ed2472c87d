// A time with the clock it was read from; two stamps compare only within one domain.
#pragma once

#include <cstdint>
#include <string_view>

namespace tickpath::model {

/// Which clock, hence which unit and epoch.
enum class TimeDomain : std::uint8_t {
    none,             ///< no stamp
    nic_realtime_ns,  ///< NIC clock kept at UTC: nanoseconds since 1970
    nic_ticks,        ///< free-running NIC clock: its own ticks
    kernel_ns,        ///< kernel receive time: nanoseconds since 1970
    capture_ns,       ///< time in a capture file: nanoseconds since 1970
    trailer_ns,       ///< switch trailer: nanoseconds since 1970
    cycles,           ///< time stamp counter of this machine
};

[[nodiscard]] constexpr std::string_view name(TimeDomain domain) noexcept {
    switch (domain) {
        case TimeDomain::none:
            return "none";
        case TimeDomain::nic_realtime_ns:
            return "nic_realtime_ns";
        case TimeDomain::nic_ticks:
            return "nic_ticks";
        case TimeDomain::kernel_ns:
            return "kernel_ns";
        case TimeDomain::capture_ns:
            return "capture_ns";
        case TimeDomain::trailer_ns:
            return "trailer_ns";
        case TimeDomain::cycles:
            return "cycles";
    }
    return "none";
}

struct Timestamp {
    std::uint64_t value = 0;
    TimeDomain domain = TimeDomain::none;

    friend constexpr bool operator==(Timestamp, Timestamp) noexcept = default;
};

}  // namespace tickpath::model
