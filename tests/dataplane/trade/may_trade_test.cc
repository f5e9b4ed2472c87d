#include "dataplane/trade/may_trade.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/trade/books.h"
#include "tests/dataplane/trade/tick_maker.h"

namespace tickpath::trade::test {
namespace {

class MayTradeTest : public testing::Test {
protected:
    core::CounterPage page = core::CounterPage::anonymous();
    Books books{{.levels_max = 4, .orders_max = 1}, 1, {}, page, "t"};

    MayTradeTest() {
        books.apply(add(Side::bid, 1, 100, 1));
        books.apply(add(Side::ask, 1, 101, 1));
        books.apply(set_valid());
    }
    [[nodiscard]] Refusal check(const MayTrade& may_trade, bool session_ready = true,
                                std::uint64_t rx_cycles = 1'000'000,
                                std::uint64_t now_cycles = 1'000'500) const {
        return may_trade.check(session_ready, books[0], rx_cycles, now_cycles);
    }
};

TEST_F(MayTradeTest, LetsAnArmedTraderWithAGoodBookTrade) {
    EXPECT_EQ(check(MayTrade({.armed = true}, test_clock)), Refusal::none);
}

TEST_F(MayTradeTest, StartsDisarmedUnlessToldOtherwise) {
    MayTrade may_trade({}, test_clock);
    EXPECT_EQ(check(may_trade), Refusal::disarmed);
    may_trade.arm();
    EXPECT_EQ(check(may_trade), Refusal::none);
    may_trade.disarm();
    EXPECT_EQ(check(may_trade), Refusal::disarmed);
}

TEST_F(MayTradeTest, WaitsForTheSession) {
    EXPECT_EQ(check(MayTrade({.armed = true}, test_clock), false), Refusal::session_not_ready);
}

TEST_F(MayTradeTest, WantsAValidBook) {
    books.apply(status(TickAction::set_invalid));
    EXPECT_EQ(check(MayTrade({.armed = true}, test_clock)), Refusal::book_invalid);
    EXPECT_EQ(check(MayTrade({.armed = true, .trade_when = TradeWhen::any}, test_clock)), Refusal::none);
}

TEST_F(MayTradeTest, WantsAnUncrossedBook) {
    books.apply(change(Side::ask, 1, 100, 1));
    EXPECT_EQ(check(MayTrade({.armed = true}, test_clock)), Refusal::book_crossed);
    EXPECT_EQ(check(MayTrade({.armed = true, .trade_when = TradeWhen::any}, test_clock)), Refusal::none);
}

TEST_F(MayTradeTest, RefusesATickThatIsTooOld) {
    const MayTrade may_trade({.armed = true, .max_tick_age_us = 10}, test_clock);
    EXPECT_EQ(check(may_trade, true, 1'000'000, 1'010'000), Refusal::none) << "as old as allowed";
    EXPECT_EQ(check(may_trade, true, 1'000'000, 1'010'001), Refusal::tick_too_old);
    EXPECT_EQ(check(may_trade, true, 1'000'000, 999'000), Refusal::none) << "another core's counter is ahead";
    const MayTrade ageless({.armed = true, .max_tick_age_us = 0}, test_clock);
    EXPECT_EQ(check(ageless, true, 0, 1'000'000'000'000), Refusal::none);
}

}  // namespace
}  // namespace tickpath::trade::test
