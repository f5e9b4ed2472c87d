// The two clocks a session is told.
#pragma once

#include <cstdint>

namespace tickpath::session {

/// Timers run on the monotonic clock; SendingTime and its check on UTC.
struct Now {
    std::uint64_t monotonic_ns = 0;
    std::uint64_t utc_ns = 0;  ///< since 1970
};

/// Nanoseconds from `since_ns` to `now_ns`; 0 when a caller's clock was read earlier than the last event.
[[nodiscard]] constexpr std::uint64_t elapsed_ns(std::uint64_t since_ns, std::uint64_t now_ns) noexcept {
    return now_ns > since_ns ? now_ns - since_ns : 0;
}

}  // namespace tickpath::session
