// Hands ticks to the sink one behind, so that the last one of a message and of a datagram can say so; those
// of entries that others follow leave at once where the trade side asks for it. Hot.
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
        is_of_message_ = true;
    }
    /// Entries of a message come before its end.
    void begin_message() noexcept {
        is_of_message_ = false;
        early_count_ = 0;
    }
    /// More entries of the same message follow, so that what was put last is the last of nothing.
    void hand_on_early() noexcept {
        if (!has_pending_ || !is_of_message_) return;
        pending_.flags |= model::tick_flag::early;
        flush();
        ++early_count_;
    }
    /// How many ticks of the message have left early.
    [[nodiscard]] std::uint64_t early_count() const noexcept { return early_count_; }
    /// The message failed: what it still has pending is dropped.
    void abandon_message() noexcept { has_pending_ = has_pending_ && !is_of_message_; }
    /// Another one of the same message follows, so this one is not the last: handed on at once, not copied.
    void pass(const model::Tick& tick) noexcept {
        flush();
        sink_.on_tick(tick);
        ticks_.add();
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
    std::uint64_t early_count_ = 0;  ///< since begin_message
    bool is_of_message_ = false;     ///< the pending tick was put since begin_message
    bool has_pending_ = false;
};

}  // namespace tickpath::feed
