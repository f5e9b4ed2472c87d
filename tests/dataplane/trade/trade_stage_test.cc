// From tick to order and back, with a real session on a link in memory.
#include "dataplane/trade/trade_stage.h"

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/trade/null_link.h"
#include "dataplane/trade/null_strategy.h"
#include "tests/dataplane/trade/stage_rig.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/fix_text.h"
#include "tests/support/scripted_peer.h"
#include "tests/support/test_level.h"

namespace tickpath::trade::test {
namespace {

using model::OrderState;

/// Asks for whatever the test says, at every event.
class Wisher {
public:
    Wisher() = default;
    Wisher(const StrategySettings&, std::span<const model::Instrument>, Diagnostics&) {}
    explicit Wisher(std::vector<model::OrderIntent> intents) : wishes(std::move(intents)) {}

    void on_event(const Book&, const Event&, Orders& orders) noexcept {
        for (const model::OrderIntent& wish : wishes)
            orders.submit(wish);
    }
    std::vector<model::OrderIntent> wishes;
};

class TradeStageTest : public testing::Test {
protected:
    StageRig<HitQuote> rig{armed_settings(), selling()};

    /// A bid that hit-quote sells to; each differs from the one before.
    void trigger(StageRig<HitQuote>& on, std::int64_t quantity = 1) {
        on.tick(add(Side::bid, 1, 100, quantity));
        on.tick(remove(Side::bid, 1));
    }
    void trigger() { trigger(rig); }
    [[nodiscard]] std::uint64_t refused(Refusal refusal) const { return rig.stage.refused(refusal); }
    [[nodiscard]] std::uint64_t numbers_used() const {
        return rig.numbers.next_outbound() + rig.numbers.order_counter();
    }
    /// One trigger is refused for this reason, nothing is sent and no number is used.
    void expect_refusal(Refusal refusal) {
        const std::uint64_t before = refused(refusal);
        const std::uint64_t numbers_before = numbers_used();
        const std::uint64_t sends_before = rig.link.send_calls;
        trigger();
        EXPECT_EQ(refused(refusal), before + 1) << name(refusal);
        EXPECT_EQ(numbers_used(), numbers_before) << name(refusal);
        EXPECT_EQ(rig.link.send_calls, sends_before) << name(refusal);
        EXPECT_EQ(rig.counted("refused_" + std::string(name(refusal))), refused(refusal));
    }
};

TEST_F(TradeStageTest, SendsAnOrderThatNamesItsCause) {
    ASSERT_FALSE(rig.diagnostics.has_errors()) << rig.diagnostics.format();
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    Tick bid = add(Side::bid, 1, 123, 7);
    bid.line = 1;
    bid.message_index = 2;
    bid.entry_index = 9;
    rig.packet_sequence = 482'726;
    rig.tick(bid);
    rig.settle();

    ASSERT_EQ(rig.counterparty.orders.size(), 1u);
    const Fields& order = rig.counterparty.orders[0];
    EXPECT_EQ(order[35], "D");
    EXPECT_EQ(order[49], "TRADER");
    EXPECT_EQ(order[56], "EXCH");
    EXPECT_EQ(order[34], "2");
    EXPECT_EQ(order[55], "RTS-9.13");
    EXPECT_EQ(order[54], "2");
    EXPECT_EQ(order[40], "2");
    EXPECT_EQ(order[59], "3");
    EXPECT_EQ(fix::parse_decimal(order[44]), (Decimal{123, -2}));
    EXPECT_EQ(at_places(*fix::parse_decimal(order[38]), 0), 5) << "capped at quantity_max";
    EXPECT_EQ(order[52], order[60]);
    EXPECT_EQ(decode_order_id(order[11]), (OrderId{1, 482'727, 2, 9, 0}));

    EXPECT_EQ(rig.stage.ledger().exposure()[0], (Exposure{.position = -5, .open_buy = 0, .open_sell = 0}));
    EXPECT_EQ(rig.stage.ledger().find(0)->state, OrderState::done);
    EXPECT_EQ(rig.counted("orders"), 1u);
    EXPECT_EQ(rig.counted("fills"), 1u);
}

/// SendingTime of the next order, against what the counter alone would say.
std::int64_t stamp_error_ns(StageRig<HitQuote>& rig) {
    rig.settle();
    const std::size_t before = rig.counterparty.orders.size();
    rig.tick(add(Side::bid, 1, 100, 1));
    rig.tick(remove(Side::bid, 1));
    const std::uint64_t expected_ns = test_clock.to_realtime_ns(core::cycles_now());
    rig.settle();
    EXPECT_EQ(rig.counterparty.orders.size(), before + 1);
    const auto stamp = fix::parse_utc_timestamp(rig.counterparty.orders.back()[52]);
    EXPECT_EQ(rig.counterparty.orders.back()[60], rig.counterparty.orders.back()[52]);
    return static_cast<std::int64_t>(*stamp) - static_cast<std::int64_t>(expected_ns);
}

TEST_F(TradeStageTest, StampsOrdersByTheSystemsClockAsItIsStepped) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    constexpr std::int64_t second = 1'000'000'000;
    EXPECT_NEAR(static_cast<double>(stamp_error_ns(rig)), 0, second);
    for (const std::int64_t step_s : {3600, -7200, 0}) {
        const std::uint64_t cycles = core::cycles_now();
        rig.utc.store(
            {cycles, test_clock.to_realtime_ns(cycles) + static_cast<std::uint64_t>(step_s * second)});
        EXPECT_NEAR(static_cast<double>(stamp_error_ns(rig)), static_cast<double>(step_s * second), second)
            << step_s;
    }
}

TEST_F(TradeStageTest, StampsOrdersByTheSystemsClockAsItIsSlewed) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    // A day of readings, one a second, of a clock that gains 500 ppm.
    std::uint64_t gained_ns = 0;
    for (std::uint64_t reading = 0; reading < 86'400; ++reading) {
        const std::uint64_t cycles = core::cycles_now();
        rig.utc.store({cycles, test_clock.to_realtime_ns(cycles) + (gained_ns += 500'000)});
        if (reading % 10'800 != 0) continue;
        EXPECT_NEAR(static_cast<double>(stamp_error_ns(rig)), static_cast<double>(gained_ns), 1e9);
    }
}

TEST_F(TradeStageTest, AsManyOrdersAndFillsAsTriggersUnderOneNumberSequence) {
    rig.make_book();
    rig.make_book(1, 20'000);
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    for (int i = 0; i < 100; ++i) {
        rig.tick(add(Side::bid, 1, 100, 1));
        rig.tick(of_instrument(add(Side::bid, 1, 10'000, 10), 1));  // another symbol length
        rig.tick(remove(Side::bid, 1));
        rig.tick(of_instrument(remove(Side::bid, 1), 1));
        if (i % 7 == 0) rig.settle(2);
    }
    rig.settle();
    ASSERT_EQ(rig.counterparty.orders.size(), 200u);
    std::set<std::string> ids;
    for (std::size_t i = 0; i < 200; ++i) {
        const Fields& order = rig.counterparty.orders[i];
        EXPECT_EQ(order[34], std::to_string(i + 2));
        EXPECT_EQ(order[55], i % 2 == 0 ? "RTS-9.13" : "USD000UTSTOM");
        ids.insert(order[11]);
    }
    EXPECT_EQ(ids.size(), 200u);
    EXPECT_EQ(rig.counted("fills"), 200u);
    EXPECT_EQ(rig.stage.ledger().exposure()[0].position, -100);
    EXPECT_EQ(rig.stage.ledger().exposure()[1].position, -1000);
    bool is_sound = false;
    (void)messages_of(rig.counterparty.heard, is_sound);
    EXPECT_TRUE(is_sound);
    EXPECT_EQ(rig.session.state(), session::State::active);
}

TEST_F(TradeStageTest, RefusesWithoutASession) {
    rig.make_book();
    expect_refusal(Refusal::session_not_ready);
}

TEST_F(TradeStageTest, RefusesWhileSessionBytesOfLowerNumbersWait) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.link.refuses_sends = true;
    rig.now_cycles += 40'000'000'000;  // a heartbeat is due and finds no way out
    rig.stage.on_idle(rig.now_cycles);
    ASSERT_FALSE(rig.session.output().empty());
    rig.link.refuses_sends = false;
    expect_refusal(Refusal::session_not_ready);
}

TEST_F(TradeStageTest, RefusesByTheStateOfTheBook) {
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    expect_refusal(Refusal::book_invalid);
    rig.tick(set_valid());
    rig.tick(add(Side::ask, 1, 90, 1));
    expect_refusal(Refusal::book_crossed);
}

TEST_F(TradeStageTest, AnyBookWillDoWhenTheSettingsSaySo) {
    TradeSettings settings = armed_settings();
    settings.may_trade.trade_when = TradeWhen::any;
    StageRig<HitQuote> any{settings, selling()};
    ASSERT_NO_FATAL_FAILURE(any.log_on());
    trigger(any);
    EXPECT_EQ(any.counted("orders"), 1u);
}

TEST_F(TradeStageTest, RefusesUntilArmedAndAfterDisarming) {
    TradeSettings settings = armed_settings();
    settings.may_trade.armed = false;
    StageRig<HitQuote> disarmed{settings, selling()};
    disarmed.make_book();
    ASSERT_NO_FATAL_FAILURE(disarmed.log_on());
    trigger(disarmed);
    EXPECT_EQ(disarmed.stage.refused(Refusal::disarmed), 1u);
    ASSERT_TRUE(disarmed.commands.send({.kind = core::CommandKind::arm}));
    disarmed.settle();
    trigger(disarmed);
    EXPECT_EQ(disarmed.counted("orders"), 1u);
    ASSERT_TRUE(disarmed.commands.send({.kind = core::CommandKind::disarm}));
    disarmed.settle();
    trigger(disarmed);
    EXPECT_EQ(disarmed.stage.refused(Refusal::disarmed), 2u);
    EXPECT_EQ(disarmed.counted("orders"), 1u);
}

TEST_F(TradeStageTest, TheKillCommandIsForTheRestOfTheRun) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    ASSERT_TRUE(rig.commands.send({.kind = core::CommandKind::kill}));
    rig.settle();
    expect_refusal(Refusal::killed);
    ASSERT_TRUE(rig.commands.send({.kind = core::CommandKind::arm}));
    rig.settle();
    expect_refusal(Refusal::killed);
    EXPECT_EQ(rig.stage.report().kill_reason, KillReason::command);
}

TEST_F(TradeStageTest, EnoughRejectedOrdersThrowTheKillSwitch) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.counterparty.answer = Counterparty::Answer::reject;
    for (int i = 0; i < 10; ++i) {
        trigger();
        rig.settle(2);
    }
    EXPECT_EQ(rig.counted("orders_rejected"), 10u);
    expect_refusal(Refusal::killed);
    EXPECT_EQ(rig.stage.report().kill_reason, KillReason::rejects);
}

TEST_F(TradeStageTest, RefusesATickThatIsTooOld) {
    TradeSettings settings = armed_settings();
    settings.may_trade.max_tick_age_us = 100;
    StageRig<HitQuote> hasty{settings, selling()};
    hasty.make_book();
    ASSERT_NO_FATAL_FAILURE(hasty.log_on());
    Tick old = add(Side::bid, 1, 100, 1);
    old.rx_cycles = core::cycles_now() - 10'000'000;
    hasty.stage.on_tick(old);
    EXPECT_EQ(hasty.stage.refused(Refusal::tick_too_old), 1u);
    EXPECT_EQ(hasty.counted("orders"), 0u);
}

TEST_F(TradeStageTest, RefusesByRisk) {
    TradeSettings settings = armed_settings();
    settings.risk.position_net_max = {3, 0};
    StageRig<HitQuote> limited{settings, selling()};
    limited.make_book();
    ASSERT_NO_FATAL_FAILURE(limited.log_on());
    limited.counterparty.answer = Counterparty::Answer::acknowledge;
    trigger(limited, 2);
    trigger(limited, 2);
    EXPECT_EQ(limited.counted("orders"), 1u);
    EXPECT_EQ(limited.stage.refused(Refusal::position_net), 1u) << "the open order counts";
}

TEST_F(TradeStageTest, AnOrderThatLeavesTakesItsShareOfTheRate) {
    TradeSettings settings = armed_settings();
    settings.risk.orders_per_second = 1;
    settings.risk.order_burst = 2;
    StageRig<HitQuote> slow{settings, selling()};
    slow.make_book();
    ASSERT_NO_FATAL_FAILURE(slow.log_on());
    slow.link.backlog = 1;
    trigger(slow);  // refused later on: takes nothing
    slow.link.backlog = 0;
    for (int i = 0; i < 3; ++i)
        trigger(slow);
    EXPECT_EQ(slow.counted("orders"), 2u);
    EXPECT_EQ(slow.stage.refused(Refusal::order_rate), 1u);
}

TEST_F(TradeStageTest, RefusesInstrumentsThatAreNotInTheFile) {
    for (const model::InstrumentId instrument : {2u, 3u, 99u, model::no_instrument}) {
        StageRig<Wisher> wishing{armed_settings(),
                                 Wisher({{.instrument = instrument, .price = 100, .quantity = 1}})};
        ASSERT_NO_FATAL_FAILURE(wishing.log_on());
        wishing.make_book();
        EXPECT_EQ(wishing.stage.refused(Refusal::instrument_unknown), 2u);
        EXPECT_EQ(wishing.counted("orders"), 0u);
    }
}

TEST_F(TradeStageTest, RefusesWhatIsTooMuchForOneEvent) {
    StageRig<Wisher> wishing{armed_settings(),
                             Wisher(std::vector<model::OrderIntent>(
                                 Orders::intents_max + 3, {.instrument = 0, .price = 100, .quantity = 1}))};
    ASSERT_NO_FATAL_FAILURE(wishing.log_on());
    wishing.tick(set_valid());
    wishing.tick(add(Side::ask, 1, 200, 5));
    EXPECT_EQ(wishing.counted("orders"), Orders::intents_max);
    EXPECT_EQ(wishing.stage.refused(Refusal::orders_per_event), 3u);
}

TEST_F(TradeStageTest, RefusesWhileTheLinkIsDownOrHoldsEarlierBytes) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.link.backlog = 1;
    expect_refusal(Refusal::link_not_ready);
    rig.link.backlog = 0;
    rig.link.break_off();  // noticed by the session only at the next idle round
    expect_refusal(Refusal::link_not_ready);
}

TEST_F(TradeStageTest, AnOrderThatTheLinkDropsIsAGapThatTheNextLogonFills) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.link.refuses_sends = true;
    trigger();
    EXPECT_EQ(refused(Refusal::link_refused), 1u);
    EXPECT_EQ(rig.counted("orders"), 0u);
    EXPECT_EQ(rig.stage.ledger().exposure()[0], Exposure{}) << "it never left";
    EXPECT_EQ(rig.numbers.next_outbound(), 3u) << "its number is never used again";
    EXPECT_EQ(rig.link.state(), model::LinkState::down)
        << "orders behind the gap would be lost on this connection";
    rig.link.refuses_sends = false;
    rig.settle(10);
    ASSERT_EQ(rig.session.state(), session::State::active);
    EXPECT_EQ(rig.counterparty.state(), session::State::active) << "the gap was filled";
    trigger();
    rig.settle();
    ASSERT_EQ(rig.counterparty.orders.size(), 1u);
    EXPECT_EQ(rig.counterparty.orders[0][34], "4") << "after the lost order's 2 and the Logon";
    EXPECT_EQ(rig.counted("fills"), 1u);
}

TEST_F(TradeStageTest, RefusesMoreOpenOrdersThanTheTableHolds) {
    TradeSettings settings = armed_settings();
    settings.open_orders_max = 4;
    StageRig<HitQuote> small{settings, selling()};
    small.make_book();
    ASSERT_NO_FATAL_FAILURE(small.log_on());
    small.counterparty.answer = Counterparty::Answer::acknowledge;
    for (int i = 0; i < 5; ++i)
        trigger(small);
    small.settle();
    EXPECT_EQ(small.counted("orders"), 4u);
    EXPECT_EQ(small.stage.refused(Refusal::order_table_full), 1u);
    EXPECT_EQ(small.numbers.order_counter(), 4u);

    small.counterparty.report(small.counterparty.orders[2], '2', "1", "0");  // one becomes free, not the next
    small.settle();
    trigger(small);
    small.settle();
    EXPECT_EQ(small.counted("orders"), 5u);
    EXPECT_EQ(decode_order_id(small.counterparty.orders[4][11])->counter, 6u)
        << "counters 4 and 5 are skipped";
}

TEST_F(TradeStageTest, RefusesWhenNoOrderIdIsLeft) {
    core::SessionNumbers numbers;
    numbers.start(1);
    core::DurablePair cell;
    cell.set(order_counter_max, 0);
    std::memcpy(reinterpret_cast<char*>(&numbers) + 2 * sizeof cell, &cell, sizeof cell);
    ASSERT_EQ(numbers.order_counter(), order_counter_max);
    StageRig<HitQuote> last{armed_settings(), selling(), &numbers};
    last.make_book();
    ASSERT_NO_FATAL_FAILURE(last.log_on());
    trigger(last);
    trigger(last);
    EXPECT_EQ(last.counted("orders"), 1u);
    EXPECT_EQ(last.stage.refused(Refusal::ids_exhausted), 1u);
}

TEST_F(TradeStageTest, ABrokenLinkMakesOrdersUnknownUntilAReportSettlesThem) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.counterparty.answer = Counterparty::Answer::none;
    trigger();
    rig.settle(2);
    EXPECT_EQ(rig.stage.ledger().find(0)->state, OrderState::pending);
    rig.link.connects = false;
    rig.link.break_off();
    rig.settle(2);
    EXPECT_EQ(rig.stage.ledger().find(0)->state, OrderState::unknown);
    EXPECT_EQ(rig.stage.ledger().exposure()[0].open_sell, 1);
    expect_refusal(Refusal::session_not_ready);

    rig.link.connects = true;
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    EXPECT_EQ(rig.stage.ledger().find(0)->state, OrderState::unknown) << "nothing heard of it yet";
    rig.counterparty.report(rig.counterparty.orders[0], '4', "0", "0");
    rig.settle();
    EXPECT_EQ(rig.stage.ledger().find(0)->state, OrderState::done);
    EXPECT_EQ(rig.stage.ledger().exposure()[0], Exposure{});
    trigger();
    EXPECT_EQ(rig.counted("orders"), 2u);
}

TEST_F(TradeStageTest, ABreakThatTheStageSleptThroughIsNoticed) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.counterparty.answer = Counterparty::Answer::none;
    trigger();
    rig.link.break_off();
    rig.link.come_up();
    rig.settle(10);
    EXPECT_EQ(rig.stage.ledger().find(0)->state, OrderState::unknown);
    EXPECT_EQ(rig.session.state(), session::State::active) << "logged on again";
}

TEST_F(TradeStageTest, AnswersMayComeInAnyPieces) {
    rig.make_book();
    rig.link.receive_bytes_max = 7;
    for (int i = 0; i < 200 && rig.session.state() != session::State::active; ++i)
        rig.settle(1);
    ASSERT_EQ(rig.session.state(), session::State::active);
    trigger();
    rig.settle(200);
    EXPECT_EQ(rig.counted("fills"), 1u);
}

TEST_F(TradeStageTest, StopsWithACleanLogout) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.stage.begin_stop("end of run", rig.now_cycles);
    EXPECT_FALSE(rig.stage.is_stopped());
    expect_refusal(Refusal::disarmed);
    rig.settle();
    EXPECT_TRUE(rig.stage.is_stopped());
    bool is_sound = false;
    const std::vector<Fields> heard = messages_of(rig.counterparty.heard, is_sound);
    ASSERT_TRUE(is_sound);
    EXPECT_EQ(heard.back()[35], "5");
    EXPECT_EQ(heard.back()[58], "end of run");
    rig.settle();
    EXPECT_EQ(rig.link.state(), model::LinkState::down) << "it does not connect again";
}

TEST_F(TradeStageTest, StopsWithinTheLogoutTimeOutWhenThePeerIsSilent) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.stage.begin_stop("", rig.now_cycles);
    for (int i = 0; i < 30 && !rig.stage.is_stopped(); ++i)
        rig.stage.on_idle(rig.now_cycles += 100'000'000);
    EXPECT_TRUE(rig.stage.is_stopped());
}

TEST_F(TradeStageTest, StopsThoughThePeerDoesNotReadItsLogout) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.link.refuses_sends = true;
    rig.stage.begin_stop("", rig.now_cycles);
    for (int i = 0; i < 60 && !rig.stage.is_stopped(); ++i)
        rig.stage.on_idle(rig.now_cycles += 100'000'000);
    EXPECT_TRUE(rig.stage.is_stopped());
}

TEST_F(TradeStageTest, AnswersABurstOfTestRequestsInFull) {
    constexpr int request_count = 400;
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    static_cast<void>(rig.link.take_sent());
    const std::string header =
        "|49=EXCH|52=" + tickpath::test::utc_text(rig.now().utc_ns) + "|56=TRADER|112=";
    for (int i = 0; i < request_count; ++i)
        rig.link.deliver(
            tickpath::test::fix_message("35=1|34=" + std::to_string(i + 2) + header + std::string(400, 'x')));
    for (int i = 0; i < 40; ++i)
        rig.stage.on_idle(rig.now_cycles += 10'000'000);
    EXPECT_EQ(rig.session.state(), session::State::active) << rig.session.reason();
    EXPECT_EQ(tickpath::test::split_messages(rig.link.sent()).size(), std::size_t{request_count});
}

TEST_F(TradeStageTest, DropsAPeerThatDoesNotReadAndConnectsAgain) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.link.refuses_sends = true;
    for (int i = 0; i < 1'000 && rig.link.generation() == 1; ++i)  // Heartbeats and a Logout find no way out
        rig.stage.on_idle(rig.now_cycles += 100'000'000);
    EXPECT_EQ(rig.link.generation(), 2u);
    EXPECT_EQ(rig.session.state(), session::State::logon_sent);
}

TEST_F(TradeStageTest, DoesNotConnectAgainWhenTheLinkBreaksWhileStopping) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.stage.begin_stop("", rig.now_cycles);
    rig.link.break_off();
    const std::uint64_t connections = rig.link.generation();
    rig.settle();
    EXPECT_TRUE(rig.stage.is_stopped());
    EXPECT_EQ(rig.link.generation(), connections);
}

TEST_F(TradeStageTest, StopsAtOnceWithoutAConnection) {
    rig.link.connects = false;
    rig.stage.begin_stop("", rig.now_cycles);
    EXPECT_TRUE(rig.stage.is_stopped());
    rig.link.connects = true;
    rig.settle();
    EXPECT_EQ(rig.link.state(), model::LinkState::down);
}

TEST_F(TradeStageTest, ReportsWhereTheTimeWentAndItsSlowestOrders) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    for (int i = 0; i < 20; ++i) {
        Tick bid = add(Side::bid, 1, 100, 1);
        bid.packet_sequence = static_cast<std::uint32_t>(1'000 + i);
        bid.frame_number = static_cast<std::uint64_t>(i);
        bid.decoded_cycles = core::cycles_now();
        bid.rx_cycles = bid.decoded_cycles - static_cast<std::uint64_t>(i) * 1'000'000;
        rig.stage.on_tick(bid);
        rig.tick(remove(Side::bid, 1));
    }
    rig.settle();
    const TradeReport report = rig.stage.report();
    EXPECT_EQ(report.orders, 20u);
    EXPECT_EQ(report.fills, 20u);
    EXPECT_EQ(report.tick_to_order_ns.count(), 20u);
    EXPECT_EQ(report.decoded_to_wanted_ns.count(), 20u);
    EXPECT_EQ(report.wanted_to_ready_ns.count(), 20u);
    EXPECT_EQ(report.send_ns.count(), 20u);
    EXPECT_EQ(report.receive_to_decoded_ns.count(), report.events);
    EXPECT_GE(report.tick_to_order_ns.max(), 19'000'000u);
    EXPECT_EQ(report.session_state, session::State::active);
    EXPECT_TRUE(report.is_armed);
    EXPECT_FALSE(report.is_shadow);
    const std::span<const SlowOrder> slowest = report.slowest.orders();
    ASSERT_EQ(slowest.size(), 16u);
    for (std::size_t i = 0; i < slowest.size(); ++i) {
        EXPECT_EQ(slowest[i].packet_sequence, 1'019 - i);
        EXPECT_EQ(slowest[i].frame_number, 19 - i);
        EXPECT_EQ(decode_order_id({slowest[i].cl_ord_id.data(), 20})->packet_sequence, 1'019 - i);
    }
}

TEST_F(TradeStageTest, ShadowOrdersDoEverythingButLeave) {
    TradeSettings settings = armed_settings();
    settings.order_mode = OrderMode::shadow;
    StageRig<HitQuote> shadow{settings, selling()};
    shadow.make_book();
    const std::uint64_t number = shadow.numbers.next_outbound();
    for (int i = 0; i < 3; ++i)
        trigger(shadow);
    EXPECT_EQ(shadow.counted("shadow_orders"), 3u);
    EXPECT_EQ(shadow.counted("orders"), 0u);
    EXPECT_EQ(shadow.link.send_calls, 0u);
    EXPECT_EQ(shadow.numbers.next_outbound(), number);
    EXPECT_EQ(shadow.numbers.order_counter(), 0u);
    EXPECT_EQ(shadow.stage.ledger().open_orders(), 0u);
    EXPECT_EQ(shadow.counted("fills"), 0u) << "nobody reported one";
    const TradeReport report = shadow.stage.report();
    EXPECT_TRUE(report.is_shadow);
    EXPECT_EQ(report.tick_to_order_ns.count(), 3u);
    EXPECT_EQ(report.send_ns.count(), 0u);
    std::set<std::string> ids;
    for (const SlowOrder& order : report.slowest.orders())
        ids.emplace(order.cl_ord_id.data(), order.cl_ord_id.size());
    EXPECT_EQ(ids.size(), 3u);
    rig.counterparty.answer = Counterparty::Answer::none;
    shadow.kill.engage(KillReason::signal);
    trigger(shadow);
    EXPECT_EQ(shadow.stage.refused(Refusal::killed), 1u) << "checks are in force";
}

TEST_F(TradeStageTest, ShadowOrdersCountAsFilledAtOnceSoThatPositionLimitsHold) {
    TradeSettings settings = armed_settings();
    settings.order_mode = OrderMode::shadow;
    settings.risk.position_net_max = {12, 0};
    StageRig<HitQuote> shadow{settings, selling()};
    shadow.make_book();
    std::int64_t sold = 0;
    for (std::uint64_t orders = 1; shadow.stage.refused(Refusal::position_net) == 0; ++orders) {
        ASSERT_LE(orders, 13u) << "no limit holds";
        trigger(shadow);
        sold = -shadow.stage.ledger().exposure()[0].position;
        EXPECT_LE(sold, 12);
    }
    EXPECT_GT(sold, 0);
    EXPECT_EQ(shadow.stage.ledger().exposure()[0], (Exposure{.position = -sold})) << "nothing is open";
    EXPECT_EQ(shadow.counted("fills"), 0u) << "nobody reported one";
}

TEST(TradeStageWithoutSession, RunsOnANullLink) {
    core::CounterPage page = core::CounterPage::anonymous();
    KillSwitch kill;
    NullLink link;
    Diagnostics diagnostics;
    const std::vector<model::Instrument> instruments = two_instruments();
    constexpr std::array<std::uint8_t, 1> depths = {5};
    TradeParts parts;
    parts.instruments = instruments;
    parts.instruments_max = 2;
    parts.channel_depths = depths;
    TradeStage<HitQuote, NullLink> stage(armed_settings(), parts, selling(), link, kill, page, test_clock,
                                         diagnostics);
    ASSERT_FALSE(diagnostics.has_errors());
    stage.on_tick(add(Side::bid, 1, 100, 1));
    stage.on_idle(1'000'000);
    EXPECT_EQ(stage.refused(Refusal::session_not_ready), 1u);
    EXPECT_FALSE(stage.report().has_session);
    stage.begin_stop("", 2'000'000);
    EXPECT_TRUE(stage.is_stopped());
}

TEST(TradeStageConstruction, TellsWhatCannotWork) {
    core::CounterPage page = core::CounterPage::anonymous();
    KillSwitch kill;
    NullLink link;
    Diagnostics diagnostics;
    std::vector<model::Instrument> instruments = two_instruments();
    instruments[0].fix_symbol = {};
    instruments[1].price_places = 15;
    TradeParts parts;
    parts.instruments = instruments;
    parts.instruments_max = 2;
    parts.file = "lab.xml";
    parts.instruments_line = 4;
    const TradeStage<NullStrategy, NullLink> stage(armed_settings(), parts, NullStrategy({}, {}, diagnostics),
                                                   link, kill, page, test_clock, diagnostics);
    const std::string text = diagnostics.format();
    EXPECT_NE(text.find("lab.xml:4: instrument 49664582: no order can be written with symbol ''"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("lab.xml:4: instrument USD|CETS: no order can be written with symbol 'USD000UTSTOM', "
                        "price_places 15"),
              std::string::npos)
        << text;
}

TEST_F(TradeStageTest, TakesNoMemoryFromTickToFill) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    const std::string heartbeat_free_round = rig.link.take_sent();
    const tickpath::test::AllocationGuard guard;
    for (int i = 0; i < 1'000; ++i) {
        trigger();
        rig.stage.on_idle(rig.now_cycles += 1'000);
    }
    EXPECT_EQ(rig.counted("orders"), 1'000u);
}

// The switch is thrown by another thread, as by a signal, while orders go out back to back.
TEST_F(TradeStageTest, TheKillSwitchStopsOrdersUnderLoad) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    std::atomic<bool> go{false};
    std::thread person([&] {
        while (!go.load()) {
        }
        rig.kill.engage(KillReason::signal);
    });
    std::uint64_t after_kill = 0;
    const std::uint64_t ticks_after = tickpath::test::at_level(2'000, 10'000, 100'000);
    for (int i = 0; after_kill < ticks_after; ++i) {
        if (i == 500) go.store(true);
        const bool was_killed = rig.kill.is_engaged();
        const std::uint64_t orders_before = rig.counted("orders");
        trigger();
        if (was_killed) {
            ASSERT_EQ(rig.counted("orders"), orders_before);
            ++after_kill;
        }
        (void)rig.link.take_sent();
    }
    person.join();
    EXPECT_GE(rig.counted("orders"), 500u);
    EXPECT_GE(refused(Refusal::killed), after_kill);
}

}  // namespace
}  // namespace tickpath::trade::test
