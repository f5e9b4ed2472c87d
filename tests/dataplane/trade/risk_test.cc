#include "dataplane/trade/risk.h"

#include <cstdint>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "dataplane/trade/books.h"
#include "tests/dataplane/trade/instruments.h"
#include "tests/dataplane/trade/tick_maker.h"

namespace tickpath::trade::test {
namespace {

using model::OrderSide;

/// Every limit off; tests switch on what they are about.
RiskSettings no_limits() {
    return {.order_quantity_max = {},
            .price_band_percent = {},
            .orders_per_second = 0,
            .order_burst = 0,
            .position_gross_max = {},
            .position_net_max = {},
            .notional_max = {},
            .rejects_max = 0};
}

class RiskTest : public testing::Test {
protected:
    std::vector<model::Instrument> instruments = two_instruments();
    core::CounterPage page = core::CounterPage::anonymous();
    Books books{{.levels_max = 4, .orders_max = 1}, 2, {}, page, "t"};
    ExposureTable exposure{instruments};
    KillSwitch kill;
    Diagnostics diagnostics;
    RiskSettings settings = no_limits();
    std::uint64_t now_cycles = 5'000'000'000;

    [[nodiscard]] Risk risk() {
        return Risk(settings, instruments, exposure, kill, test_clock, "lab.xml", diagnostics);
    }
    [[nodiscard]] static model::OrderIntent buy(std::int64_t price, std::int64_t quantity,
                                                model::InstrumentId instrument = 0) {
        return {.instrument = instrument, .side = OrderSide::buy, .price = price, .quantity = quantity};
    }
    [[nodiscard]] Refusal check(const model::OrderIntent& intent) {
        return risk().check(intent, books[intent.instrument], now_cycles);
    }
    void quote(std::int64_t bid, std::int64_t ask) {
        books.apply(clear());
        books.apply(add(Side::bid, 1, bid, 1));
        books.apply(add(Side::ask, 1, ask, 1));
    }
};

TEST_F(RiskTest, WithoutLimitsAnySoundOrderPasses) {
    EXPECT_EQ(check(buy(100, 1'000'000)), Refusal::none);
    EXPECT_EQ(check(buy(-5, 1)), Refusal::none) << "spreads trade below zero";
}

TEST_F(RiskTest, TheKillSwitchStopsEverything) {
    kill.engage(KillReason::signal);
    EXPECT_EQ(check(buy(100, 1)), Refusal::killed);
    kill.engage(KillReason::command);
    EXPECT_EQ(kill.reason(), KillReason::signal) << "the first reason stays";
}

TEST_F(RiskTest, RefusesOrdersThatAreNoOrders) {
    EXPECT_EQ(check(buy(100, 0)), Refusal::bad_order);
    EXPECT_EQ(check(buy(100, -1)), Refusal::bad_order);
    EXPECT_EQ(check(buy(std::numeric_limits<std::int64_t>::max(), 1)), Refusal::bad_order);
    EXPECT_EQ(check(buy(1, std::numeric_limits<std::int64_t>::max())), Refusal::bad_order);
    instruments[0].tick_size = 5;
    instruments[0].lot_size = 10;
    EXPECT_EQ(check(buy(100, 20)), Refusal::none);
    EXPECT_EQ(check(buy(101, 20)), Refusal::bad_order);
    EXPECT_EQ(check(buy(100, 21)), Refusal::bad_order);
}

TEST_F(RiskTest, LimitsTheOrderQuantityInWholeUnits) {
    settings.order_quantity_max = {10, 0};
    EXPECT_EQ(check(buy(100, 10)), Refusal::none);
    EXPECT_EQ(check(buy(100, 11)), Refusal::order_quantity);
    EXPECT_EQ(check(buy(100, 100, 1)), Refusal::none) << "10.0 at one place";
    EXPECT_EQ(check(buy(100, 101, 1)), Refusal::order_quantity);
}

TEST_F(RiskTest, TheInstrumentsOwnLimitsHoldToo) {
    settings.order_quantity_max = {10, 0};
    instruments[0].order_quantity_max = 3;
    EXPECT_EQ(check(buy(100, 3)), Refusal::none);
    EXPECT_EQ(check(buy(100, 4)), Refusal::order_quantity);
    instruments[0].order_quantity_max = 30;
    EXPECT_EQ(check(buy(100, 11)), Refusal::order_quantity) << "the tighter one counts";
    settings.order_quantity_max = {};
    EXPECT_EQ(check(buy(100, 30)), Refusal::none);
    EXPECT_EQ(check(buy(100, 31)), Refusal::order_quantity);
    instruments[0].position_max = 20;
    EXPECT_EQ(check(buy(100, 21)), Refusal::position_net);
}

TEST_F(RiskTest, KeepsTheStaticBand) {
    instruments[0].price_min = 90;
    instruments[0].price_max = 110;
    EXPECT_EQ(check(buy(90, 1)), Refusal::none);
    EXPECT_EQ(check(buy(110, 1)), Refusal::none);
    EXPECT_EQ(check(buy(89, 1)), Refusal::static_band);
    EXPECT_EQ(check(buy(111, 1)), Refusal::static_band);
}

TEST_F(RiskTest, ThePriceBandIsAroundTheMiddleOfTheBook) {
    settings.price_band_percent = {25, -1};  // 2.5 %
    quote(999, 1'002);                       // middle 1000.5, band 975.4875 to 1025.5125
    EXPECT_EQ(check(buy(976, 1)), Refusal::none);
    EXPECT_EQ(check(buy(975, 1)), Refusal::price_band);
    EXPECT_EQ(check(buy(1'025, 1)), Refusal::none);
    EXPECT_EQ(check(buy(1'026, 1)), Refusal::price_band);
}

TEST_F(RiskTest, TheEdgeOfTheBandIsInside) {
    settings.price_band_percent = {10, 0};
    quote(999, 1'001);
    EXPECT_EQ(check(buy(900, 1)), Refusal::none);
    EXPECT_EQ(check(buy(1'100, 1)), Refusal::none);
    EXPECT_EQ(check(buy(1'101, 1)), Refusal::price_band);
}

TEST_F(RiskTest, WithoutATwoSidedBookTheLastTradeIsTheReference) {
    settings.price_band_percent = {10, 0};
    EXPECT_EQ(check(buy(100, 1)), Refusal::no_reference);
    books.apply(add(Side::bid, 1, 100, 1));
    EXPECT_EQ(check(buy(100, 1)), Refusal::no_reference);
    books.apply(trade(200, 1));
    EXPECT_EQ(check(buy(180, 1)), Refusal::none);
    EXPECT_EQ(check(buy(179, 1)), Refusal::price_band);
}

TEST_F(RiskTest, NegativeReferencesHaveABandToo) {
    settings.price_band_percent = {10, 0};
    quote(-101, -99);
    EXPECT_EQ(check(buy(-110, 1)), Refusal::none);
    EXPECT_EQ(check(buy(-90, 1)), Refusal::none);
    EXPECT_EQ(check(buy(-111, 1)), Refusal::price_band);
    EXPECT_EQ(check(buy(100, 1)), Refusal::price_band);
}

TEST_F(RiskTest, HugePricesDoNotRunOverTheBand) {
    settings.price_band_percent = {1'000'000'000, 0};
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    quote(huge - 1, huge);
    EXPECT_EQ(check(buy(1, 1)), Refusal::none);
    settings.price_band_percent = {1, 0};
    EXPECT_EQ(check(buy(1, 1)), Refusal::price_band);
}

TEST_F(RiskTest, LimitsTheWorstCaseNetPosition) {
    settings.position_net_max = {10, 0};
    exposure.change(0, OrderSide::buy, 4, 3, 100);  // long 3, 4 more open
    EXPECT_EQ(check(buy(100, 3)), Refusal::none);
    EXPECT_EQ(check(buy(100, 4)), Refusal::position_net);
    model::OrderIntent sell = buy(100, 13);
    sell.side = OrderSide::sell;
    EXPECT_EQ(check(sell), Refusal::none) << "short 10 at worst";
    sell.quantity = 14;
    EXPECT_EQ(check(sell), Refusal::position_net);
}

TEST_F(RiskTest, LimitsTheGrossPositionOverAllInstruments) {
    settings.position_gross_max = {10, 0};
    exposure.change(1, OrderSide::sell, 0, 45, 10'000);  // short 4.5
    EXPECT_EQ(check(buy(100, 5)), Refusal::none);
    EXPECT_EQ(check(buy(100, 6)), Refusal::position_gross);
    EXPECT_EQ(check(buy(100, 100, 1)), Refusal::none) << "buying back first";
    EXPECT_EQ(check(buy(100, 146, 1)), Refusal::position_gross);
}

TEST_F(RiskTest, LimitsTheNotionalOverAllInstruments) {
    settings.notional_max = {1'000, 0};
    exposure.change(1, OrderSide::buy, 10, 0, 5'000'000);  // 1.0 at 500.0000
    EXPECT_EQ(check(buy(10'000, 5)), Refusal::none) << "5 at 100.00 more is 1000";
    EXPECT_EQ(check(buy(10'001, 5)), Refusal::notional);
    EXPECT_EQ(check(buy(10'000, 6)), Refusal::notional);
}

TEST_F(RiskTest, LimitsTheOrderRateWithABurst) {
    settings.orders_per_second = 10;
    settings.order_burst = 3;
    Risk limited = risk();
    const auto try_order = [&] {
        const Refusal refusal = limited.check(buy(100, 1), books[0], now_cycles);
        if (refusal == Refusal::none) limited.commit(now_cycles);
        return refusal;
    };
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(try_order(), Refusal::none) << i;
    EXPECT_EQ(try_order(), Refusal::order_rate);
    now_cycles += 99'000'000;
    EXPECT_EQ(try_order(), Refusal::order_rate);
    now_cycles += 1'000'000;  // a tenth of a second: one token
    EXPECT_EQ(try_order(), Refusal::none);
    EXPECT_EQ(try_order(), Refusal::order_rate);
    now_cycles += 10'000'000'000;  // a long pause fills the bucket, no more
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(try_order(), Refusal::none) << i;
    EXPECT_EQ(try_order(), Refusal::order_rate);
}

TEST_F(RiskTest, ABurstOfNoneIsABurstOfOne) {
    settings.orders_per_second = 1;
    Risk limited = risk();
    EXPECT_EQ(limited.check(buy(100, 1), books[0], now_cycles), Refusal::none);
    limited.commit(now_cycles);
    EXPECT_EQ(limited.check(buy(100, 1), books[0], now_cycles), Refusal::order_rate);
}

TEST_F(RiskTest, LimitsThatNoScaleCanHoldAreErrors) {
    settings.order_quantity_max = {5, -1};  // 0.5 of an instrument in whole units
    settings.position_net_max = {-1, 0};
    settings.notional_max = {1, 40};
    settings.line = 7;
    (void)risk();
    ASSERT_TRUE(diagnostics.has_errors());
    const std::string text = diagnostics.format();
    EXPECT_NE(text.find("lab.xml:7: order_quantity_max 0.5 is not a limit at 0 decimal places (of instrument "
                        "49664582): it must"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("lab.xml:7: position_net_max -1 is not a limit at 0 decimal places (of instrument "
                        "49664582 and 1 more): "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("lab.xml:7: notional_max 1"), std::string::npos) << text;
    EXPECT_EQ(diagnostics.all().size(), 3u) << "each setting once\n" << text;
}

}  // namespace
}  // namespace tickpath::trade::test
