#include "dataplane/trade/exposure.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "tests/dataplane/trade/instruments.h"

namespace tickpath::trade::test {
namespace {

using model::OrderSide;

class ExposureTest : public testing::Test {
protected:
    std::vector<model::Instrument> instruments = two_instruments();
    ExposureTable table{instruments};
};

TEST_F(ExposureTest, KeepsSumsAtTheFinestScale) {
    EXPECT_EQ(table.gross_places(), 1);
    EXPECT_EQ(table.notional_places(), 5);
    table.change(0, OrderSide::buy, 3, 0, 10'000);  // 3 open at 100.00
    EXPECT_EQ(table.gross(), 30);
    EXPECT_EQ(table.notional(), Wide{300} * 100'000);
    table.change(1, OrderSide::sell, 25, 0, 605'000);  // 2.5 open at 60.5000
    EXPECT_EQ(table.gross(), 30 + 25);
    EXPECT_EQ(table.notional(), Wide{300} * 100'000 + Wide{25} * 605'000);
}

TEST_F(ExposureTest, FillsMoveOpenQuantityIntoThePosition) {
    table.change(0, OrderSide::sell, 10, 0, 10'000);
    table.change(0, OrderSide::sell, -4, 4, 10'000);
    EXPECT_EQ(table[0], (Exposure{.position = -4, .open_buy = 0, .open_sell = 6}));
    table.change(0, OrderSide::sell, -6, 0, 10'000);  // the rest was cancelled
    EXPECT_EQ(table[0], (Exposure{.position = -4, .open_buy = 0, .open_sell = 0}));
    EXPECT_EQ(table.gross(), 40);
    table.change(0, OrderSide::buy, 0, 4, 10'000);
    EXPECT_EQ(table[0], Exposure{});
    EXPECT_EQ(table.gross(), 0);
    EXPECT_EQ(table.notional(), 0);
}

TEST_F(ExposureTest, WorstCaseIsTheSideThatLeadsFurther) {
    table.change(0, OrderSide::buy, 0, 10, 10'000);   // long 10
    table.change(0, OrderSide::buy, 5, 0, 10'000);    // may become 15
    table.change(0, OrderSide::sell, 30, 0, 10'000);  // or short 20
    EXPECT_EQ(table.worst_with(0, OrderSide::buy, 4, 10'000).net, 20);
    EXPECT_EQ(table.worst_with(0, OrderSide::buy, 6, 10'000).net, 21);
    EXPECT_EQ(table.worst_with(0, OrderSide::sell, 1, 10'000).net, 21);
    EXPECT_EQ(table.worst_with(0, OrderSide::buy, 6, 10'000).gross, 210);
}

TEST_F(ExposureTest, ChangesNothingWhenAskedOnly) {
    table.change(0, OrderSide::buy, 5, 0, 10'000);
    const Wide gross = table.gross();
    (void)table.worst_with(0, OrderSide::buy, 100, 20'000);
    EXPECT_EQ(table.gross(), gross);
    EXPECT_EQ(table[0].open_buy, 5);
}

TEST_F(ExposureTest, NegativePricesCountByTheirSize) {
    table.change(0, OrderSide::buy, 1, 0, -5'000);
    EXPECT_EQ(table.notional(), Wide{50} * 100'000);
}

TEST_F(ExposureTest, ClampsInsteadOfRunningOver) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    table.change(0, OrderSide::buy, most, 0, most);
    EXPECT_EQ(table.notional(), wide_cap);
    table.change(0, OrderSide::buy, 1, 0, most);
    EXPECT_EQ(table[0].open_buy, most);
    table.change(0, OrderSide::buy, -most, 0, 1);
    EXPECT_EQ(table.notional(), 0);
}

TEST_F(ExposureTest, KnowsNothingOfInstrumentsOutsideTheFile) {
    EXPECT_EQ(table[2], Exposure{});
    EXPECT_EQ(table[model::no_instrument], Exposure{});
}

}  // namespace
}  // namespace tickpath::trade::test
