// The way of a frame through this room: router, sequencer, decoder, normaliser, recovery, sink. Hot.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/model/frame.h"
#include "dataplane/model/tick.h"

namespace tickpath::feed {

/// Everything between rx_burst and the ticks, for the channels of one core. Allocates in the constructor
/// only.
///
/// `Sink` has `void on_tick(const model::Tick&) noexcept`: the trade stage when both share a core, or a ring.
template <class Sink>
class FeedPath {
public:
    /// `owner` names this path in the counter page: "r0" makes "r0.router.not_udp", "r0.FUT-BOOK-5.A.wins".
    FeedPath(const FeedPlan& plan, core::CounterPage& page, std::string_view owner, core::CycleClock clock,
             Sink& sink);

    /// Runs every frame to the end before the next. Ticks are with the sink when it returns, except those of
    /// packets held back behind a hole.
    void on_burst(std::span<const model::Frame> frames) noexcept;

    /// Gives up holes whose window has passed. Call when a poll found nothing.
    void on_idle(std::uint64_t now_cycles) noexcept;

    /// No more frames will come: every held packet is delivered, every open hole declared.
    void finish() noexcept;

    /// Not while another thread is in one of the above.
    [[nodiscard]] FeedReport report() const;
};

}  // namespace tickpath::feed
