#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/trade/books.h"
#include "dataplane/trade/hit_quote.h"
#include "dataplane/trade/null_strategy.h"
#include "tests/dataplane/trade/instruments.h"
#include "tests/dataplane/trade/tick_maker.h"

namespace tickpath::trade::test {
namespace {

StrategySettings settings_of(std::vector<StrategySettings::Value> values) {
    return {.name = "hit-quote", .values = std::move(values), .file = "lab.xml", .line = 7};
}

class HitQuoteTest : public testing::Test {
protected:
    std::vector<model::Instrument> instruments = two_instruments();
    core::CounterPage page = core::CounterPage::anonymous();
    Books books{{.levels_max = 4, .orders_max = 1}, 3, {}, page, "t"};
    ExposureTable exposure{instruments};
    Orders orders{exposure};
    Diagnostics diagnostics;

    [[nodiscard]] HitQuote make(std::vector<StrategySettings::Value> values) {
        return HitQuote(settings_of(std::move(values)), instruments, diagnostics);
    }
    /// Applies the ticks as one event and returns what the strategy wants.
    std::vector<model::OrderIntent> event(HitQuote& strategy, const std::vector<Tick>& ticks) {
        const Book& book = books[ticks.back().instrument];
        const Top before = book.top();
        for (const Tick& tick : ticks)
            books.apply(tick);
        orders.clear();
        strategy.on_event(book,
                          {.last = ticks.back(),
                           .before = before,
                           .entry_index = 0,
                           .message_index = 0,
                           .has_quotes = true,
                           .has_trades = false},
                          orders);
        return {orders.intents().begin(), orders.intents().end()};
    }
};

TEST_F(HitQuoteTest, SellsToABidAtOrAboveItsLimit) {
    HitQuote strategy = make({{"sell_at", "1.00", 8}, {"quantity_max", "5", 8}});
    ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.format();
    EXPECT_TRUE(event(strategy, {add(Side::bid, 1, 99, 3)}).empty());
    const auto at = event(strategy, {add(Side::bid, 1, 100, 3)});
    ASSERT_EQ(at.size(), 1u);
    EXPECT_EQ(at[0].side, model::OrderSide::sell);
    EXPECT_EQ(at[0].time_in_force, model::TimeInForce::immediate_or_cancel);
    EXPECT_EQ(at[0].price, 100);
    EXPECT_EQ(at[0].quantity, 3);
    const auto through = event(strategy, {add(Side::bid, 1, 120, 9)});
    ASSERT_EQ(through.size(), 1u);
    EXPECT_EQ(through[0].price, 120);
    EXPECT_EQ(through[0].quantity, 5) << "capped";
}

TEST_F(HitQuoteTest, BuysFromAnOfferAtOrBelowItsLimit) {
    HitQuote strategy = make({{"buy_at", "1", 8}});
    EXPECT_TRUE(event(strategy, {add(Side::ask, 1, 101, 3)}).empty());
    const auto at = event(strategy, {add(Side::ask, 1, 100, 3)});
    ASSERT_EQ(at.size(), 1u);
    EXPECT_EQ(at[0].side, model::OrderSide::buy);
    EXPECT_EQ(at[0].quantity, 1) << "the default cap";
}

TEST_F(HitQuoteTest, ActsOncePerChangeOfTheBestQuote) {
    HitQuote strategy = make({{"sell_at", "1.00", 8}});
    EXPECT_EQ(event(strategy, {add(Side::bid, 1, 101, 3)}).size(), 1u) << "newly there";
    EXPECT_EQ(event(strategy, {add(Side::bid, 2, 100, 3)}).size(), 0u) << "below the best";
    EXPECT_EQ(event(strategy, {change(Side::bid, 1, 101, 3)}).size(), 0u) << "said again";
    EXPECT_EQ(event(strategy, {change(Side::bid, 1, 101, 4)}).size(), 1u) << "another quantity";
    EXPECT_EQ(event(strategy, {add(Side::ask, 1, 105, 4)}).size(), 0u) << "the other side";
    EXPECT_EQ(event(strategy, {remove(Side::bid, 1)}).size(), 1u) << "the next level is at the limit too";
    EXPECT_EQ(event(strategy, {remove(Side::bid, 1)}).size(), 0u) << "gone";
    EXPECT_EQ(event(strategy, {add(Side::bid, 1, 101, 3), change(Side::bid, 1, 102, 3)}).size(), 1u)
        << "one order per event";
}

TEST_F(HitQuoteTest, MayWatchBothSides) {
    HitQuote strategy = make({{"sell_at", "1.00", 8}, {"buy_at", "0.90", 8}});
    const auto both = event(strategy, {add(Side::bid, 1, 101, 1), add(Side::ask, 1, 80, 1)});
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0].side, model::OrderSide::sell);
    EXPECT_EQ(both[1].side, model::OrderSide::buy);
}

TEST_F(HitQuoteTest, ConvertsItsLimitToEachInstrumentsScale) {
    HitQuote strategy = make({{"sell_at", "1.00", 8}, {"quantity_max", "2", 8}});
    EXPECT_TRUE(event(strategy, {of_instrument(add(Side::bid, 1, 9'999, 30), 1)}).empty());
    const auto at = event(strategy, {of_instrument(add(Side::bid, 1, 10'000, 30), 1)});
    ASSERT_EQ(at.size(), 1u);
    EXPECT_EQ(at[0].quantity, 20);
    EXPECT_TRUE(event(strategy, {of_instrument(add(Side::bid, 1, 10'000, 30), 2)}).empty())
        << "an instrument that is not in the file";
}

TEST_F(HitQuoteTest, MayBeToldToWatchOneInstrument) {
    HitQuote strategy = make({{"sell_at", "1.00", 8}, {"instrument", "USD000UTSTOM", 8}});
    EXPECT_TRUE(event(strategy, {add(Side::bid, 1, 101, 1)}).empty());
    EXPECT_EQ(event(strategy, {of_instrument(add(Side::bid, 1, 20'000, 30), 1)}).size(), 1u);
    HitQuote by_key = make({{"sell_at", "1.00", 8}, {"instrument", "49664582", 8}});
    EXPECT_EQ(event(by_key, {change(Side::bid, 1, 102, 1)}).size(), 1u);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.format();
}

TEST_F(HitQuoteTest, TellsEverythingThatIsWrongWithItsSettings) {
    (void)make({{"sel_at", "1.00", 8},
                {"buy_at", "1e3", 9},
                {"quantity_max", "-1", 10},
                {"instrument", "NONE", 11}});
    EXPECT_EQ(diagnostics.format(),
              "lab.xml:9: strategy hit-quote: buy_at: '1e3' is not a decimal number such as 97.25\n"
              "lab.xml:8: strategy hit-quote has no setting 'sel_at' (did you mean 'sell_at'?)\n"
              "lab.xml:10: strategy hit-quote: quantity_max: must be above zero\n"
              "lab.xml:11: strategy hit-quote: instrument: 'NONE' is not in the instrument file\n");
}

TEST_F(HitQuoteTest, WantsALimitThatTheScaleCanHold) {
    (void)make({});
    (void)make({{"sell_at", "1.005", 8}});
    EXPECT_EQ(
        diagnostics.format(),
        "lab.xml:7: strategy hit-quote: sell_at: neither sell_at nor buy_at is set: there is nothing to do\n"
        "lab.xml:8: strategy hit-quote: sell_at: 1.005 needs more than the 2 decimal places of 49664582\n");
}

TEST(NullStrategyTest, HasNoSettings) {
    Diagnostics diagnostics;
    const StrategySettings settings{
        .name = "null", .values = {{"sell_at", "1", 3}}, .file = "lab.xml", .line = 2};
    const NullStrategy strategy(settings, {}, diagnostics);
    EXPECT_EQ(diagnostics.format(), "lab.xml:3: strategy null has no setting 'sell_at'\n");
}

TEST(SettingsReaderTest, ReadsWholeNumbers) {
    Diagnostics diagnostics;
    const StrategySettings settings{
        .name = "mine", .values = {{"depth", "-12", 3}, {"size", "1.5", 4}}, .file = "lab.xml", .line = 2};
    SettingsReader reader(settings, diagnostics);
    EXPECT_EQ(reader.integer("depth"), -12);
    EXPECT_FALSE(reader.integer("size"));
    EXPECT_FALSE(reader.integer("absent"));
    reader.finish();
    EXPECT_EQ(diagnostics.format(), "lab.xml:4: strategy mine: size: '1.5' is not a whole number\n");
}

TEST(OrdersTest, KeepsABoundedNumberOfWishes) {
    const ExposureTable exposure{std::span<const model::Instrument>{}};
    Orders orders(exposure);
    for (std::size_t i = 0; i < Orders::intents_max + 2; ++i)
        orders.submit({});
    EXPECT_EQ(orders.intents().size(), Orders::intents_max);
    EXPECT_EQ(orders.overflow_count(), 2u);
    orders.clear();
    EXPECT_TRUE(orders.intents().empty());
    EXPECT_EQ(orders.overflow_count(), 0u);
}

}  // namespace
}  // namespace tickpath::trade::test
