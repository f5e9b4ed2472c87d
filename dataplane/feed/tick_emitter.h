// Hands ticks to the sink one behind, so that the last one of a message and of a datagram can say so. Hot.
#pragma once

#include "dataplane/core/counters.h"
#include "dataplane/model/tick.h"

namespace tickpath::feed {

template <class Sink>
class TickEmitter {
public:
    TickEmitter(Sink& sink, core::Counter ticks) noexcept : sink_(sink), ticks_(ticks) {}

    void put(const model::Tick& tick) noexcept {
        flush();
        pending_ = tick;
        has_pending_ = true;
    }
    /// The message is complete: what was put last is the last of its event.
    void end_event() noexcept { pending_.flags |= model::tick_flag::last_of_event; }
    void end_packet() noexcept {
        pending_.flags |= model::tick_flag::last_of_event | model::tick_flag::last_of_packet;
        flush();
    }

private:
    void flush() noexcept {
        if (!has_pending_) return;
        sink_.on_tick(pending_);
        ticks_.add();
        has_pending_ = false;
    }

    Sink& sink_;
    core::Counter ticks_;
    model::Tick pending_;
    bool has_pending_ = false;
};

}  // namespace tickpath::feed
