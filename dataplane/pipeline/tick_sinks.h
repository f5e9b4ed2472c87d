// Where ticks go when they leave the receive side: into a ring or past a tap. Hot, once per tick.
#pragma once

#include <string_view>

#include "dataplane/core/counters.h"
#include "dataplane/core/cpu.h"
#include "dataplane/model/rings.h"
#include "dataplane/model/tick.h"

namespace tickpath::pipeline {

/// Pushes into a ring and waits while it is full: the worker then does not poll its port, so that loss can
/// happen in the NIC only, where it shows as a sequence hole.
class RingSink {
public:
    RingSink(model::TickRing& ring, core::IdlePolicy idle, core::CounterPage& page, std::string_view owner)
        : ring_(ring), idle_(idle), full_waits_(page.add(owner, "ring_full_waits")) {}

    void on_tick(const model::Tick& tick) noexcept {
        if (!ring_.push(tick)) [[unlikely]]
            wait_and_push(tick);
    }
    void on_idle(std::uint64_t) noexcept {}

private:
    [[gnu::cold, gnu::noinline]] void wait_and_push(const model::Tick& tick) noexcept {
        full_waits_.add();
        while (!ring_.push(tick))
            core::idle(idle_ == core::IdlePolicy::spin ? idle_ : core::IdlePolicy::yield);
    }

    model::TickRing& ring_;
    core::IdlePolicy idle_;
    core::Counter full_waits_;
};

/// Counts every tick, and copies each into a journal ring when there is one. The journal loses nothing: a
/// full ring is waited for, so `--ticks` is for replays and tests rather than for the trading day.
template <class Next>
class Tap {
public:
    Tap(Next& next, model::TickRing* journal, core::CounterPage& page, std::string_view owner)
        : next_(next), ticks_(page.add(owner, "ticks")), journal_(journal, page, owner) {}

    void on_tick(const model::Tick& tick) noexcept {
        ticks_.add();
        if (journal_.ring != nullptr) [[unlikely]]
            journal_.write(tick);
        next_.on_tick(tick);
    }
    void on_idle(std::uint64_t now_cycles) noexcept { next_.on_idle(now_cycles); }

private:
    struct Journal {
        Journal(model::TickRing* to, core::CounterPage& page, std::string_view owner)
            : ring(to), full_waits(page.add(owner, "journal_full_waits")) {}

        [[gnu::cold, gnu::noinline]] void write(const model::Tick& tick) noexcept {
            if (ring->push(tick)) return;
            full_waits.add();
            while (!ring->push(tick))
                core::idle(core::IdlePolicy::yield);
        }

        model::TickRing* ring;
        core::Counter full_waits;
    };

    Next& next_;
    core::Counter ticks_;
    Journal journal_;
};

}  // namespace tickpath::pipeline
