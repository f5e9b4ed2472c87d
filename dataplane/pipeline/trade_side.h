// A trade stage as a thread runs it: what control may see of it, and how it ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/core/seqlock.h"
#include "dataplane/model/tick.h"
#include "dataplane/pipeline/order_status.h"
#include "dataplane/pipeline/report_booth.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/trade/trade_report.h"

namespace tickpath::pipeline {

/// A sink of ticks around `Stage` (trade::TradeStage) and the link it sends on. Hot members forward; the rest
/// is cold.
template <class Stage, model::OrderLink Link>
class TradeSide {
public:
    /// `session` is null when orders need none.
    TradeSide(Stage& stage, const session::FixSession* session, const Link& link, core::CycleClock clock)
        : stage_(stage), session_(session), link_(link), clock_(clock), is_ready_(session == nullptr) {}

    void on_tick(const model::Tick& tick) noexcept { stage_.on_tick(tick); }
    void on_idle(std::uint64_t now_cycles) noexcept { stage_.on_idle(now_cycles); }

    /// Once a loop, on the trade thread.
    void between_turns() noexcept {
        if (session_ != nullptr && (session_->state() != told_.session || link_.state() != told_.link))
            [[unlikely]]
            tell_status();
        if (session_ != nullptr) is_ready_.store(session_->ready(), std::memory_order_relaxed);
        booth_.answer_if_asked([this] { return stage_.report(); });
    }

    /// Before the first tick and after the last: keeps the order session going until `until` is set.
    /// `between()` runs once a turn.
    template <class Between>
    void attend(const std::atomic<bool>& until, bool is_drained, Between&& between) noexcept {
        while (!until.load(std::memory_order_acquire)) {
            stage_.on_idle(core::cycles_now());
            between_turns();
            between();
            if (is_drained) is_settled_.store(stage_.ledger().open_orders() == 0, std::memory_order_relaxed);
            core::idle(core::IdlePolicy::yield);
        }
    }

    /// Logs out and waits for the end, at most `leave_bound_ns`: a peer that never answers must not hold a
    /// shutdown.
    void leave() noexcept {
        const std::uint64_t began = core::cycles_now();
        stage_.begin_stop("", began);
        while (!stage_.is_stopped() && clock_.to_ns(core::cycles_now() - began) < leave_bound_ns) {
            stage_.on_idle(core::cycles_now());
            core::idle(core::IdlePolicy::yield);
        }
        if (session_ != nullptr) tell_status();
    }

    // For the control thread.
    [[nodiscard]] bool is_ready() const noexcept { return is_ready_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool is_settled() const noexcept { return is_settled_.load(std::memory_order_relaxed); }
    [[nodiscard]] OrderStatus status() const noexcept { return status_.load(); }
    [[nodiscard]] trade::TradeReport ask() { return booth_.ask(); }        ///< while the thread runs
    [[nodiscard]] trade::TradeReport report() { return stage_.report(); }  ///< when it does not

private:
    static constexpr std::uint64_t leave_bound_ns = 15'000'000'000;

    [[gnu::cold, gnu::noinline]] void tell_status() noexcept {
        std::string_view why = session_->reason();
        if constexpr (requires { link_.error_text(); })
            if (why.empty() && link_.state() != model::LinkState::up) why = link_.error_text();
        told_.become(session_->state(), link_.state(), why);
        status_.store(told_);
    }

    Stage& stage_;
    const session::FixSession* session_;
    const Link& link_;
    core::CycleClock clock_;
    OrderStatus told_;  ///< the last status stored
    core::Seqlock<OrderStatus> status_;
    ReportBooth<trade::TradeReport> booth_;
    std::atomic<bool> is_ready_;
    std::atomic<bool> is_settled_{false};
};

}  // namespace tickpath::pipeline
