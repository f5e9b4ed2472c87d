// The trade side of a run that has none (order_link="none"): takes ticks, does nothing, is always done.
#pragma once

#include <atomic>
#include <cstdint>

#include "dataplane/core/cpu.h"
#include "dataplane/model/tick.h"
#include "dataplane/pipeline/order_status.h"
#include "dataplane/trade/trade_report.h"

namespace tickpath::pipeline {

/// The members of TradeSide.
class NoTrade {
public:
    void on_tick(const model::Tick&) noexcept {}
    void on_idle(std::uint64_t) noexcept {}
    void between_turns() noexcept {}
    template <class Between>
    void attend(const std::atomic<bool>& until, bool, Between&& between) noexcept {
        while (!until.load(std::memory_order_acquire)) {
            between();
            core::idle(core::IdlePolicy::sleep);
        }
    }
    void leave() noexcept {}

    [[nodiscard]] bool is_ready() const noexcept { return true; }
    [[nodiscard]] bool is_settled() const noexcept { return true; }
    [[nodiscard]] OrderStatus status() const noexcept { return {}; }
    [[nodiscard]] trade::TradeReport ask() { return trade::TradeReport(); }
    [[nodiscard]] trade::TradeReport report() { return trade::TradeReport(); }
};

}  // namespace tickpath::pipeline
