// From ticks to orders: book, event, strategy, may trade, risk, gateway; between ticks the order session.
// Hot: on_tick. One trade stage per trade core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "dataplane/core/command_ring.h"
#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/core/seqlock.h"
#include "dataplane/core/session_numbers.h"
#include "dataplane/model/instrument.h"
#include "dataplane/model/order_link.h"
#include "dataplane/model/tick.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/trade/books.h"
#include "dataplane/trade/event_tracker.h"
#include "dataplane/trade/kill_switch.h"
#include "dataplane/trade/may_trade.h"
#include "dataplane/trade/order_gateway.h"
#include "dataplane/trade/order_ledger.h"
#include "dataplane/trade/refusal.h"
#include "dataplane/trade/risk.h"
#include "dataplane/trade/session_driver.h"
#include "dataplane/trade/strategy.h"
#include "dataplane/trade/trade_report.h"
#include "dataplane/trade/trade_settings.h"
#include "dataplane/trade/warmer.h"
#include "decoders/base/diagnostics.h"
#include "decoders/fix/message_template.h"

namespace tickpath::trade {

/// What a trade stage works with and does not own; all of it outlives the stage, spans may end with the call.
struct TradeParts {
    std::span<const model::Instrument> instruments;  ///< of the instrument file; the id is the position
    std::size_t instruments_max = 0;                 ///< known and learned together
    std::span<const std::uint8_t> channel_depths;    ///< one per channel of the plan; 0 = levels_max
    fix::OrderTemplate order_template = fix::default_order_template();
    fix::TemplateIdentity identity;           ///< of the order session
    session::FixSession* session = nullptr;   ///< null: orders are refused, or shadow
    core::SessionNumbers* numbers = nullptr;  ///< the session's
    core::CommandRing* commands = nullptr;    ///< drained by on_idle; null: see execute
    const core::Seqlock<core::UtcReading>* utc =
        nullptr;                         ///< followed by on_idle; null: UTC stays as the clock was anchored
    std::string_view owner = "trade";    ///< of the counters
    std::string_view file;               ///< the configuration, for messages
    std::uint32_t instruments_line = 0;  ///< of the element that names the instrument file, likewise
};

/// Counters of the stage itself; books, refusals and ledger have their own.
struct StageCounters {
    StageCounters(core::CounterPage& page, std::string_view owner)
        : ticks(page.add(owner, "ticks")),
          events(page.add(owner, "events")),
          events_cut(page.add(owner, "events_cut")),
          events_truncated(page.add(owner, "events_truncated")),
          ticks_unknown_channel(page.add(owner, "ticks_unknown_channel")),
          orders(page.add(owner, "orders")),
          shadow_orders(page.add(owner, "shadow_orders")) {}

    core::Counter ticks;
    core::Counter events;            ///< shown to the strategy: one per instrument and message or datagram
    core::Counter events_cut;        ///< whose last tick never came: not shown
    core::Counter events_truncated;  ///< touched more instruments than an event can hold: some not shown
    core::Counter ticks_unknown_channel;
    core::Counter orders;  ///< taken by the link
    core::Counter shadow_orders;
};

/// A sink of ticks. Owned and called by one core.
///
/// on_idle belongs between ticks: when none waits, and under steady load at least every few milliseconds, for
/// the session's heartbeats and the counterparty's reports pass through it.
template <Strategy S, model::OrderLink Link>
class TradeStage {
public:
    /// Takes all memory. What cannot work is in `diagnostics`; then the stage must not be used.
    TradeStage(const TradeSettings& settings, const TradeParts& parts, S strategy, Link& link,
               KillSwitch& kill, core::CounterPage& page, core::CycleClock clock, Diagnostics& diagnostics)
        : known_count_(parts.instruments.size()),
          warm_instrument_(static_cast<model::InstrumentId>(parts.instruments_max)),
          commands_(parts.commands),
          session_(parts.session),
          is_shadow_(settings.order_mode == OrderMode::shadow),
          utc_(parts.utc),
          clock_(clock),
          counters_(page, parts.owner),
          refusals_(page, parts.owner),
          books_(settings.books, parts.instruments_max + 1, parts.channel_depths, page, parts.owner),
          tracker_(settings.decide, parts.channel_depths.size()),
          strategy_(std::move(strategy)),
          may_trade_(settings.may_trade, clock),
          kill_(kill),
          ledger_(settings.open_orders_max, parts.instruments,
                  parts.numbers == nullptr ? 0 : static_cast<std::uint32_t>(parts.numbers->order_counter()),
                  settings.risk.rejects_max, kill, LedgerCounters(page, parts.owner)),
          orders_(ledger_.exposure()),
          risk_(settings.risk, parts.instruments, ledger_.exposure(), kill, clock, parts.file, diagnostics),
          gateway_(settings.order_mode,
                   PreparedOrders(parts.order_template, parts.identity, parts.instruments, parts.file,
                                  parts.instruments_line, diagnostics),
                   parts.session, parts.numbers, link, ledger_, clock_),
          warmer_(settings.warm_interval_us, clock),
          report_(std::make_unique<TradeReport>()) {
        if (parts.session != nullptr) driver_.emplace(*parts.session, link);
        report_->slowest = SlowestOrders(settings.slowest_count);
    }

    TradeStage(const TradeStage&) = delete;
    TradeStage& operator=(const TradeStage&) = delete;

    void on_tick(const model::Tick& tick) noexcept {
        counters_.ticks.add();
        if (!tracker_.has(tick.channel)) [[unlikely]]
            return counters_.ticks_unknown_channel.add();
        bool was_cut = false;
        PendingEvent& event = tracker_.event_of(tick, was_cut);
        if (was_cut) [[unlikely]]
            counters_.events_cut.add();
        if (may_trigger(tick)) [[likely]]
            touch(event, tick);
        else
            apply_quietly(event, tick);
        if (tracker_.ends_event(tick) && event.touch_count != 0) complete(event, tick);
    }

    void on_idle(std::uint64_t now_cycles) noexcept {
        if (commands_ != nullptr) commands_->drain([this](core::Command command) { execute(command); });
        follow_utc();
        if (driver_) driver_->drive(now_at(now_cycles), ledger_);
        if (warmer_.is_due(now_cycles)) warm(now_cycles);
    }

    /// Arm, disarm and kill; the others are the worker's.
    void execute(core::Command command) noexcept {
        switch (command.kind) {
            case core::CommandKind::arm:
                return may_trade_.arm();
            case core::CommandKind::disarm:
                return may_trade_.disarm();
            case core::CommandKind::kill:
                return kill_.engage(KillReason::command);
            case core::CommandKind::report:
            case core::CommandKind::stop:
            case core::CommandKind::link_lost:
            case core::CommandKind::link_back:
                return;
        }
    }

    /// No more orders; logs the session out. Go on with on_idle until is_stopped, which comes within the
    /// session's logout time-out.
    void begin_stop(std::string_view text, std::uint64_t now_cycles) noexcept {
        may_trade_.disarm();
        if (driver_) driver_->stop(text, now_at(now_cycles));
    }
    [[nodiscard]] bool is_stopped() const noexcept { return !driver_ || driver_->is_over(); }

    /// For the thread that runs the stage, or after it has ended.
    [[nodiscard]] TradeReport report() const noexcept {
        TradeReport report = *report_;
        fill_in(report);
        return report;
    }

    [[nodiscard]] const Book& book(model::InstrumentId instrument) const noexcept {
        return books_[instrument];
    }
    [[nodiscard]] const OrderLedger& ledger() const noexcept { return ledger_; }
    [[nodiscard]] std::uint64_t refused(Refusal refusal) const noexcept { return refusals_.value(refusal); }
    [[nodiscard]] std::uint64_t warm_runs() const noexcept { return warm_runs_; }
    [[nodiscard]] bool warms_the_send() const noexcept { return warmer_.has_loopback(); }
    [[nodiscard]] const S& strategy() const noexcept { return strategy_; }

private:
    /// Snapshots, and what was seen before they came, bring a book up to date; the market has moved on.
    [[nodiscard]] static bool may_trigger(const model::Tick& tick) noexcept {
        constexpr std::uint16_t quiet = model::tick_flag::snapshot | model::tick_flag::stale |
                                        model::tick_flag::unused | model::tick_flag::replayed;
        return !tick.has(quiet) && tick.kind != model::TickKind::status;
    }

    void touch(PendingEvent& event, const model::Tick& tick) noexcept {
        Touch* touch = event.find(tick.instrument);
        const bool is_new = touch == nullptr;
        if (is_new) {
            if (event.touch_count == PendingEvent::touches_max || !books_.has(tick.instrument)) [[unlikely]]
                return apply_untouched(event, tick);
            touch = &event.touches[event.touch_count];
            *touch = {.before = books_[tick.instrument].top(), .instrument = tick.instrument};
        }
        if (!books_.apply(tick)) [[unlikely]]
            return;
        event.touch_count += is_new ? 1 : 0;
        touch->entry_index = tick.entry_index;
        touch->message_index = tick.message_index;
        const bool is_trade = tick.kind == model::TickKind::trade;
        touch->has_trades |= is_trade;
        touch->has_quotes |= !is_trade;
    }

    /// A quote that could not be applied leaves its book behind half of the event: the strategy is not asked.
    [[gnu::noinline]] void apply_quietly(PendingEvent& event, const model::Tick& tick) noexcept {
        books_.apply(tick);
        if (tick.has(model::tick_flag::stale)) event.drop(tick.instrument);
    }

    [[gnu::cold, gnu::noinline]] void apply_untouched(PendingEvent& event, const model::Tick& tick) noexcept {
        if (event.touch_count == PendingEvent::touches_max) counters_.events_truncated.add();
        books_.apply(tick);
    }

    /// Out of line: once per event, so that what runs once per tick stays small.
    [[gnu::noinline]] void complete(PendingEvent& event, const model::Tick& last) noexcept {
        for (std::size_t i = 0; i < event.touch_count; ++i) {
            const Touch& touch = event.touches[i];
            strategy_.on_event(books_[touch.instrument], event_for(touch, last), orders_);
            if (!orders_.intents().empty()) [[unlikely]]
                place_all(touch, last);
        }
        counters_.events.add(event.touch_count);
        event.touch_count = 0;
        report_->receive_to_decoded_ns.record(span_ns(last.rx_cycles, last.decoded_cycles));
    }

    [[nodiscard]] static Event event_for(const Touch& touch, const model::Tick& last) noexcept {
        return {.last = last,
                .before = touch.before,
                .entry_index = touch.entry_index,
                .message_index = touch.message_index,
                .has_quotes = touch.has_quotes,
                .has_trades = touch.has_trades};
    }

    void place_all(const Touch& touch, const model::Tick& last) noexcept {
        const OrderCause cause{.line = last.line,
                               .message_index = touch.message_index,
                               .entry_index = touch.entry_index,
                               .packet_sequence = last.packet_sequence};
        for (const model::OrderIntent& intent : orders_.intents())
            place(intent, cause, last);
        for (std::size_t i = 0; i < orders_.overflow_count(); ++i)
            refusals_.count(Refusal::orders_per_event);
        orders_.clear();
    }

    void place(const model::OrderIntent& intent, const OrderCause& cause, const model::Tick& last) noexcept {
        const std::uint64_t wanted_cycles = core::cycles_now();  // t3
        if (const Refusal refusal = judge(intent, last, wanted_cycles); refusal != Refusal::none)
            return refusals_.count(refusal);
        const SendResult sent = gateway_.send(intent, cause, wanted_cycles);
        if (sent.refusal != Refusal::none) [[unlikely]]
            return refusals_.count(sent.refusal);
        note_sent(intent, last, wanted_cycles, sent);
    }

    [[nodiscard]] Refusal judge(const model::OrderIntent& intent, const model::Tick& last,
                                std::uint64_t now_cycles) const noexcept {
        if (intent.instrument >= known_count_) [[unlikely]]
            return Refusal::instrument_unknown;
        const Book& book = books_[intent.instrument];
        const Refusal refusal = may_trade_.check(gateway_.session_ready(), book, last.rx_cycles, now_cycles);
        return refusal != Refusal::none ? refusal : risk_.check(intent, book, now_cycles);
    }

    /// After the order has left: nothing here delays it.
    void note_sent(const model::OrderIntent& intent, const model::Tick& last, std::uint64_t wanted_cycles,
                   const SendResult& sent) noexcept {
        const std::uint64_t taken_cycles = core::cycles_now();  // t4
        risk_.commit(wanted_cycles);
        warmer_.triggered(taken_cycles);
        (is_shadow_ ? counters_.shadow_orders : counters_.orders).add();
        const std::uint64_t tick_to_order_ns = span_ns(last.rx_cycles, sent.ready_cycles);
        report_->decoded_to_wanted_ns.record(span_ns(last.decoded_cycles, wanted_cycles));
        report_->wanted_to_ready_ns.record(span_ns(wanted_cycles, sent.ready_cycles));
        report_->tick_to_order_ns.record(tick_to_order_ns);
        if (!is_shadow_) report_->send_ns.record(span_ns(sent.ready_cycles, taken_cycles));
        if (report_->slowest.wants(tick_to_order_ns)) [[unlikely]]
            keep_slow(intent, last, sent.id, tick_to_order_ns);
    }

    [[gnu::cold, gnu::noinline]] void keep_slow(const model::OrderIntent& intent, const model::Tick& last,
                                                const OrderId& id, std::uint64_t tick_to_order_ns) noexcept {
        report_->slowest.add({.tick_to_order_ns = tick_to_order_ns,
                              .cl_ord_id = encode(id),
                              .instrument = intent.instrument,
                              .channel = last.channel,
                              .line = last.line,
                              .message_index = last.message_index,
                              .packet_sequence = last.packet_sequence,
                              .frame_number = last.frame_number,
                              .rx_time = last.rx_time,
                              .rx_domain = last.rx_domain});
    }

    /// A dummy tick through book, checks and patch to a loopback socket. The book is one that no feed can
    /// name; checks only read; no number is taken.
    [[gnu::cold, gnu::noinline]] void warm(std::uint64_t now_cycles) noexcept {
        books_.apply(warmer_.next_tick(warm_instrument_, now_cycles));
        if (known_count_ == 0) return;
        const auto target = static_cast<model::InstrumentId>(warm_runs_++ % known_count_);
        const Book& book = books_[target];
        const model::OrderIntent intent{.instrument = target,
                                        .price = book.bids().best().price,
                                        .quantity = books_[warm_instrument_].bids().best().quantity};
        Refusal verdict = may_trade_.check(gateway_.session_ready(), book, now_cycles, now_cycles);
        if (verdict != Refusal::killed) verdict = risk_.check(intent, book, now_cycles);
        warm_verdict_ = verdict;  // keeps the compiler from leaving the checks out
        if (fix::MessageTemplate::fits(intent.price, intent.quantity))
            warmer_.send(gateway_.rehearse(intent, now_cycles));
    }

    /// Orders and session stamp what control read last. A reading that is being written is taken the next
    /// time.
    void follow_utc() noexcept {
        if (utc_ == nullptr) return;
        if (const std::optional<core::UtcReading> reading = utc_->try_load()) clock_.anchor(*reading);
    }

    [[nodiscard]] session::Now now_at(std::uint64_t cycles) const noexcept {
        return {.monotonic_ns = clock_.to_ns(cycles), .utc_ns = clock_.to_realtime_ns(cycles)};
    }

    /// Zero when the stamps of two cores disagree about the order.
    [[nodiscard]] std::uint64_t span_ns(std::uint64_t from_cycles,
                                        std::uint64_t until_cycles) const noexcept {
        return until_cycles > from_cycles ? clock_.to_ns(until_cycles - from_cycles) : 0;
    }

    void fill_in(TradeReport& report) const noexcept {
        report.slowest.sort();
        report.ticks = counters_.ticks.value();
        report.events = counters_.events.value();
        report.orders = counters_.orders.value();
        report.shadow_orders = counters_.shadow_orders.value();
        report.reports = ledger_.counters().reports.value();
        report.fills = ledger_.counters().fills.value();
        report.is_shadow = is_shadow_;
        report.is_armed = may_trade_.is_armed();
        report.kill_reason = kill_.reason();
        report.has_session = session_ != nullptr;
        if (session_ != nullptr) report.session_state = session_->state();
    }

    const std::size_t known_count_;
    const model::InstrumentId warm_instrument_;  ///< one beyond the last that a feed can name
    core::CommandRing* const commands_;
    session::FixSession* const session_;
    const bool is_shadow_;
    const core::Seqlock<core::UtcReading>* const utc_;
    core::CycleClock clock_;
    StageCounters counters_;
    RefusalCounters refusals_;
    Books books_;
    EventTracker tracker_;
    S strategy_;
    MayTrade may_trade_;
    KillSwitch& kill_;
    OrderLedger ledger_;
    Orders orders_;
    Risk risk_;
    OrderGateway<Link> gateway_;
    std::optional<SessionDriver<Link>> driver_;
    Warmer warmer_;
    std::uint64_t warm_runs_ = 0;
    volatile Refusal warm_verdict_ = Refusal::none;
    std::unique_ptr<TradeReport> report_;  ///< histograms are large: apart from the hot members
};

}  // namespace tickpath::trade
