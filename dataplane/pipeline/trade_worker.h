// The poll loop of a trade core: ticks from the rings of the receive workers into the trade stage. Hot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/model/rings.h"
#include "dataplane/pipeline/worker_health.h"

namespace tickpath::pipeline {

/// Drains in turn; answers from the counterparty are looked at when no tick waits, under steady load once a
/// millisecond.
template <class Trade>
class TradeWorker {
public:
    static constexpr std::size_t ticks_per_turn_max = 256;  ///< then the next ring has its turn

    TradeWorker(std::vector<model::TickRing*> rings, Trade& trade, core::IdlePolicy idle,
                core::CycleClock clock, WorkerHealth& health)
        : rings_(std::move(rings)),
          trade_(trade),
          idle_(idle),
          idle_interval_cycles_(clock.to_cycles(idle_interval_ns)),
          health_(health) {}

    /// Returns when `receivers_done` is set and the rings are empty: whatever was decoded is acted upon.
    template <class BetweenTurns>
    void run(const std::atomic<bool>& receivers_done, BetweenTurns&& between_turns) noexcept {
        for (;;) {
            // Read before draining: what was published before the flag is then seen in the rings.
            const bool last_turn = receivers_done.load(std::memory_order_acquire);
            const std::uint64_t began = core::cycles_now();
            std::size_t ticks = 0;
            for (model::TickRing* ring : rings_)
                ticks += drain(*ring);
            between_turns();
            if (ticks == 0 || began - last_idle_cycles_ > idle_interval_cycles_) {
                trade_.on_idle(began);
                last_idle_cycles_ = began;
            }
            if (ticks != 0) {
                health_.loop_done(began);
                continue;
            }
            if (last_turn) break;
            core::idle(idle_);
        }
        health_.note_faults();
    }

private:
    static constexpr std::uint64_t idle_interval_ns = 1'000'000;

    [[nodiscard]] std::size_t drain(model::TickRing& ring) noexcept {
        std::size_t count = 0;
        for (; count < ticks_per_turn_max; ++count) {
            const model::Tick* tick = ring.front();
            if (tick == nullptr) break;
            trade_.on_tick(*tick);
            ring.pop();
        }
        return count;
    }

    std::vector<model::TickRing*> rings_;
    Trade& trade_;
    core::IdlePolicy idle_;
    std::uint64_t idle_interval_cycles_;
    std::uint64_t last_idle_cycles_ = 0;
    WorkerHealth& health_;
};

}  // namespace tickpath::pipeline
