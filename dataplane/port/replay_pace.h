// Decides when a frame of a capture is due. Hot: once per poll of a replaying port.
#pragma once

#include <cstdint>

#include "dataplane/core/cycle_clock.h"
#include "dataplane/port/port_settings.h"

namespace tickpath::port {

/// Maps real time since the first poll to capture time since the first frame. A capture whose times step back
/// gives such frames at once.
class ReplayPace {
public:
    ReplayPace(Pace pace, core::CycleClock clock) noexcept : pace_(pace), clock_(clock) {}

    /// A frame with this time is due now.
    void start(std::uint64_t now_cycles, std::uint64_t first_time_ns) noexcept {
        start_cycles_ = now_cycles;
        first_time_ns_ = first_time_ns;
        is_started_ = true;
    }
    [[nodiscard]] bool is_max() const noexcept { return pace_.is_max(); }
    [[nodiscard]] bool is_started() const noexcept { return is_started_; }

    /// Capture time that has come by `now_cycles`; frames up to it are due. The end of time when the pace is
    /// max.
    [[nodiscard]] std::int64_t due_time_ns(std::uint64_t now_cycles) const noexcept {
        if (pace_.is_max()) return INT64_MAX;
        const double elapsed_ns = static_cast<double>(clock_.to_ns(now_cycles - start_cycles_));
        return static_cast<std::int64_t>(first_time_ns_) +
               static_cast<std::int64_t>(elapsed_ns * pace_.speed);
    }

private:
    Pace pace_;
    core::CycleClock clock_;
    std::uint64_t start_cycles_ = 0;
    std::uint64_t first_time_ns_ = 0;
    bool is_started_ = false;
};

}  // namespace tickpath::port
