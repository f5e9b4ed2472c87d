#include "dataplane/trade/books.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/dataplane/trade/tick_maker.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::trade::test {
namespace {

using Prices = std::vector<std::pair<std::int64_t, std::int64_t>>;

class BooksTest : public testing::Test {
protected:
    static constexpr std::array<std::uint8_t, 2> depths = {5,
                                                           0};  // channel 0 sends five levels, channel 1 all
    core::CounterPage page = core::CounterPage::anonymous();
    Books books{{.levels_max = 8, .orders_max = 16}, 3, depths, page, "t"};

    [[nodiscard]] static Prices levels(const BookSide& side) {
        Prices out;
        for (std::size_t i = 0; i < side.size(); ++i)
            out.emplace_back(side[i].price, side[i].quantity);
        return out;
    }
    [[nodiscard]] Prices bids(model::InstrumentId of = 0) const { return levels(books[of].bids()); }
    [[nodiscard]] Prices asks(model::InstrumentId of = 0) const { return levels(books[of].asks()); }
    [[nodiscard]] std::uint64_t faults(const std::string& name) const { return page.value("t.book_" + name); }
    void expect_fault(const std::string& name, const Tick& tick) {
        books.apply(set_valid());
        ASSERT_TRUE(books[0].is_valid());
        const std::uint64_t before = faults(name);
        books.apply(tick);
        EXPECT_EQ(faults(name), before + 1) << name;
        EXPECT_FALSE(books[0].is_valid()) << name;
    }
};

TEST_F(BooksTest, AddInsertsALevelAndMovesThoseBelowDown) {
    EXPECT_TRUE(books.apply(add(Side::bid, 1, 100, 5)));
    EXPECT_TRUE(books.apply(add(Side::bid, 2, 98, 7)));
    EXPECT_TRUE(books.apply(add(Side::bid, 2, 99, 6)));
    EXPECT_TRUE(books.apply(add(Side::bid, 1, 101, 4)));
    EXPECT_EQ(bids(), (Prices{{101, 4}, {100, 5}, {99, 6}, {98, 7}}));
    EXPECT_TRUE(asks().empty());
}

TEST_F(BooksTest, AnAddBeyondTheFeedsDepthPushesTheWorstLevelOut) {
    for (std::uint8_t i = 1; i <= 5; ++i)
        books.apply(add(Side::ask, i, 100 + i, i));
    books.apply(add(Side::ask, 3, 55, 9));
    EXPECT_EQ(asks(), (Prices{{101, 1}, {102, 2}, {55, 9}, {103, 3}, {104, 4}}));
    books.apply(add(Side::ask, 5, 56, 9));
    EXPECT_EQ(asks(), (Prices{{101, 1}, {102, 2}, {55, 9}, {103, 3}, {56, 9}}));
    books.apply(add(Side::ask, 1, 57, 9));
    EXPECT_EQ(asks(), (Prices{{57, 9}, {101, 1}, {102, 2}, {55, 9}, {103, 3}}));
}

TEST_F(BooksTest, AFeedWithoutADepthKeepsLevelsMax) {
    for (std::uint8_t i = 1; i <= 8; ++i)
        books.apply(on_channel(add(Side::ask, i, 100 + i, i), 1));
    EXPECT_EQ(books[0].asks().size(), 8u);
    books.apply(on_channel(add(Side::ask, 1, 100, 1), 1));
    EXPECT_EQ(books[0].asks().size(), 8u);
    EXPECT_EQ(books[0].asks()[7].price, 107);
}

TEST_F(BooksTest, RemoveMovesLevelsUpAndChangeStaysInPlace) {
    for (std::uint8_t i = 1; i <= 4; ++i)
        books.apply(add(Side::bid, i, 100 - i, i));
    books.apply(remove(Side::bid, 2));
    EXPECT_EQ(bids(), (Prices{{99, 1}, {97, 3}, {96, 4}}));
    books.apply(change(Side::bid, 2, 98, 8));
    EXPECT_EQ(bids(), (Prices{{99, 1}, {98, 8}, {96, 4}}));
    books.apply(remove(Side::bid, 1));
    books.apply(remove(Side::bid, 2));
    EXPECT_EQ(bids(), (Prices{{98, 8}}));
}

TEST_F(BooksTest, AChangeWithoutPriceOrQuantityKeepsTheOldOne) {
    books.apply(add(Side::bid, 1, 100, 5));
    books.apply(with_flags(change(Side::bid, 1, 0, 9), flag::no_price));
    EXPECT_EQ(bids(), (Prices{{100, 9}}));
    books.apply(with_flags(change(Side::bid, 1, 101, 0), flag::no_quantity));
    EXPECT_EQ(bids(), (Prices{{101, 9}}));
}

TEST_F(BooksTest, ALevelThatCannotBeIsCountedAndMakesTheBookInvalid) {
    books.apply(add(Side::bid, 1, 100, 5));
    expect_fault("bad_level", add(Side::bid, 3, 90, 1));
    expect_fault("bad_level", remove(Side::bid, 2));
    expect_fault("bad_level", change(Side::bid, 3, 90, 1));
    expect_fault("bad_level", add(Side::bid, 6, 90, 1));
    expect_fault("bad_level", add(Side::bid, 255, 90, 1));
    EXPECT_EQ(bids(), (Prices{{100, 5}})) << "nothing of it was written";
}

TEST_F(BooksTest, AChangeRightBelowTheLastLevelIsAFaultButAppends) {
    expect_fault("bad_level", change(Side::ask, 1, 90, 1));
    expect_fault("bad_level", change(Side::ask, 2, 91, 2));
    EXPECT_EQ(asks(), (Prices{{90, 1}, {91, 2}}));
}

TEST_F(BooksTest, QuotesWithoutWhatTheyNeedAreFaults) {
    books.apply(add(Side::bid, 1, 100, 5));
    expect_fault("bad_value", with_flags(add(Side::bid, 1, 0, 5), flag::no_price));
    expect_fault("bad_value", with_flags(add(Side::bid, 1, 99, 0), flag::no_quantity));
    expect_fault("bad_value", add(Side::bid, 1, 99, 0));
    expect_fault("bad_value", add(Side::bid, 1, 99, -3));
    expect_fault("bad_value", change(Side::bid, 1, 99, 0));
    expect_fault("no_side", add(Side::none, 1, 99, 1));
    expect_fault("no_key", add(Side::bid, 0, 99, 1));
    expect_fault("inexact", with_flags(change(Side::bid, 1, 0, 0), flag::inexact));
    EXPECT_EQ(bids(), (Prices{{100, 5}}));
}

TEST_F(BooksTest, FoldsOrdersIntoPriceLevels) {
    EXPECT_TRUE(books.apply(order(TickAction::add, Side::bid, 11, 100, 5)));
    EXPECT_TRUE(books.apply(order(TickAction::add, Side::bid, 12, 101, 3)));
    EXPECT_TRUE(books.apply(order(TickAction::add, Side::bid, 13, 100, 2)));
    EXPECT_TRUE(books.apply(order(TickAction::add, Side::ask, 14, 103, 9)));
    EXPECT_EQ(bids(), (Prices{{101, 3}, {100, 7}}));
    EXPECT_EQ(books[0].bids()[1].order_count, 2u);
    EXPECT_EQ(asks(), (Prices{{103, 9}}));

    books.apply(order(TickAction::change, Side::bid, 11, 100, 1));
    EXPECT_EQ(bids(), (Prices{{101, 3}, {100, 3}}));
    books.apply(order(TickAction::change, Side::bid, 11, 102, 1));
    EXPECT_EQ(bids(), (Prices{{102, 1}, {101, 3}, {100, 2}}));
    books.apply(with_flags(order(TickAction::remove, Side::bid, 12, 0, 0), flag::no_quantity));
    books.apply(order(TickAction::remove, Side::bid, 11, 102, 0));
    EXPECT_EQ(bids(), (Prices{{100, 2}}));
    EXPECT_EQ(books.resting_orders(), 2u);
}

TEST_F(BooksTest, OrdersThatCannotBeAreFaults) {
    books.apply(order(TickAction::add, Side::bid, 11, 100, 5));
    expect_fault("unknown_order", order(TickAction::remove, Side::bid, 99, 100, 0));
    expect_fault("duplicate_order", order(TickAction::add, Side::bid, 11, 101, 6));
    EXPECT_EQ(bids(), (Prices{{101, 6}})) << "the newer word about an order counts";
    expect_fault("unknown_order", order(TickAction::change, Side::bid, 12, 99, 1));
    EXPECT_EQ(bids(), (Prices{{101, 6}, {99, 1}}));
    expect_fault("bad_value", order(TickAction::add, Side::bid, 13, 99, 0));
    expect_fault("mixed", add(Side::bid, 1, 100, 1));
    books.apply(clear());
    books.apply(add(Side::bid, 1, 100, 1));
    expect_fault("mixed", order(TickAction::add, Side::bid, 13, 99, 1));
}

TEST_F(BooksTest, FullTablesAreFaultsAndLeaveTheBookAsItWas) {
    for (std::uint64_t i = 1; i <= 8; ++i)
        books.apply(order(TickAction::add, Side::bid, i, static_cast<std::int64_t>(100 + i), 1));
    const Prices before = bids();
    expect_fault("levels_full", order(TickAction::add, Side::bid, 9, 90, 1));
    EXPECT_EQ(bids(), before);
    EXPECT_EQ(books.resting_orders(), 8u);
    for (std::uint64_t i = 9; i <= 16; ++i)
        books.apply(order(TickAction::add, Side::bid, i, 101, 1));
    expect_fault("orders_full", order(TickAction::add, Side::ask, 17, 200, 1));
    EXPECT_TRUE(asks().empty());
    EXPECT_EQ(bids().back(), (std::pair<std::int64_t, std::int64_t>(101, 9)));
}

TEST_F(BooksTest, AQuantityThatRunsOverIsAFaultNotAWrap) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    books.apply(order(TickAction::add, Side::bid, 1, 100, most));
    expect_fault("bad_value", order(TickAction::add, Side::bid, 2, 100, 1));
    EXPECT_EQ(bids(), (Prices{{100, most}}));
}

TEST_F(BooksTest, ClearEmptiesOneBookAndItsOrders) {
    books.apply(order(TickAction::add, Side::bid, 1, 100, 5));
    books.apply(of_instrument(order(TickAction::add, Side::bid, 1, 100, 5), 1));
    EXPECT_TRUE(books.apply(clear()));
    EXPECT_TRUE(bids(0).empty());
    EXPECT_EQ(bids(1), (Prices{{100, 5}}));
    EXPECT_EQ(books.resting_orders(), 1u);
    books.apply(order(TickAction::add, Side::bid, 1, 101, 5));
    EXPECT_EQ(faults("duplicate_order"), 0u);
}

TEST_F(BooksTest, StartsInvalidAndFollowsTheFeedsWord) {
    EXPECT_FALSE(books[0].is_valid());
    books.apply(set_valid());
    EXPECT_TRUE(books[0].is_valid());
    EXPECT_FALSE(books[1].is_valid());
    books.apply(status(TickAction::set_invalid));
    EXPECT_FALSE(books[0].is_valid());
}

TEST_F(BooksTest, AHoleInAChannelInvalidatesItsBooksAndNoOthers) {
    for (model::InstrumentId i = 0; i < 3; ++i) {
        const std::uint16_t channel = i == 2 ? 1 : 0;
        books.apply(on_channel(of_instrument(add(Side::bid, 1, 100, 1), i), channel));
        books.apply(on_channel(set_valid(i), channel));
        ASSERT_TRUE(books[i].is_valid());
    }
    books.apply(status(TickAction::set_invalid, model::no_instrument));
    EXPECT_FALSE(books[0].is_valid());
    EXPECT_FALSE(books[1].is_valid());
    EXPECT_TRUE(books[2].is_valid());
}

TEST_F(BooksTest, BelongsToTheChannelWhoseQuotesItTakesFirst) {
    books.apply(on_channel(set_valid(), 1));
    EXPECT_TRUE(books[0].is_valid());
    books.apply(add(Side::bid, 1, 100, 1));
    EXPECT_FALSE(books[0].is_valid()) << "channel 1's word is void: it does not quote this book";

    EXPECT_FALSE(books.apply(on_channel(add(Side::bid, 1, 999, 1), 1)));
    EXPECT_FALSE(books.apply(on_channel(clear(), 1)));
    books.apply(on_channel(set_valid(), 1));
    EXPECT_EQ(bids(), (Prices{{100, 1}}));
    EXPECT_FALSE(books[0].is_valid());
    EXPECT_EQ(page.value("t.ticks_other_channel"), 3u);

    books.apply(set_valid());
    books.apply(on_channel(status(TickAction::set_invalid, model::no_instrument), 1));
    EXPECT_TRUE(books[0].is_valid());
}

TEST_F(BooksTest, StaleAndUnusedTicksAreCountedAndNotApplied) {
    books.apply(add(Side::bid, 1, 100, 1));
    EXPECT_FALSE(books.apply(with_flags(add(Side::bid, 1, 101, 1), flag::stale)));
    EXPECT_FALSE(books.apply(with_flags(add(Side::bid, 1, 102, 1), flag::unused | flag::snapshot)));
    EXPECT_FALSE(books.apply(with_flags(trade(77, 1), flag::stale)));
    EXPECT_FALSE(books.apply(with_flags(clear(), flag::stale)));
    EXPECT_EQ(bids(), (Prices{{100, 1}}));
    EXPECT_FALSE(books[0].last_trade_price());
    EXPECT_TRUE(books[0].is_stale());
    EXPECT_EQ(page.value("t.ticks_stale"), 3u);
    EXPECT_EQ(page.value("t.ticks_unused"), 1u);

    books.apply(with_flags(add(Side::bid, 1, 103, 1), flag::snapshot));
    books.apply(set_valid());
    EXPECT_EQ(bids(), (Prices{{103, 1}, {100, 1}}));
    EXPECT_FALSE(books[0].is_stale());
}

TEST_F(BooksTest, ANewsOfInvalidityCountsEvenWhenFlaggedStale) {
    books.apply(set_valid());
    books.apply(with_flags(status(TickAction::set_invalid), flag::stale));
    EXPECT_FALSE(books[0].is_valid());
}

TEST_F(BooksTest, TradesLeaveTheirPriceAndNothingElse) {
    books.apply(add(Side::bid, 1, 100, 1));
    books.apply(set_valid());
    EXPECT_TRUE(books.apply(on_channel(trade(104, 3), 1))) << "a trade may come on a channel of its own";
    EXPECT_EQ(books[0].last_trade_price(), 104);
    books.apply(with_flags(trade(0, 3), flag::inexact));
    books.apply(with_flags(trade(0, 3), flag::no_price));
    EXPECT_EQ(books[0].last_trade_price(), 104);
    EXPECT_TRUE(books[0].is_valid());
    EXPECT_EQ(bids(), (Prices{{100, 1}}));
}

TEST_F(BooksTest, IsCrossedWhenTheBidIsNotBelowTheAsk) {
    books.apply(add(Side::bid, 1, 100, 1));
    EXPECT_FALSE(books[0].is_crossed());
    books.apply(add(Side::ask, 1, 101, 1));
    EXPECT_FALSE(books[0].is_crossed());
    books.apply(change(Side::ask, 1, 100, 1));
    EXPECT_TRUE(books[0].is_crossed()) << "locked";
    books.apply(change(Side::ask, 1, 99, 1));
    EXPECT_TRUE(books[0].is_crossed());
}

TEST_F(BooksTest, TicksOfInstrumentsBeyondTheTableAreCounted) {
    EXPECT_FALSE(books.apply(of_instrument(add(Side::bid, 1, 100, 1), 3)));
    EXPECT_FALSE(books.apply(of_instrument(trade(100, 1), model::no_instrument)));
    books.apply(set_valid(3));
    EXPECT_EQ(page.value("t.ticks_unknown_instrument"), 3u);
}

TEST_F(BooksTest, TakesNoMemoryWhileApplying) {
    const tickpath::test::AllocationGuard guard;
    for (int round = 0; round < 200; ++round) {
        for (std::uint8_t i = 1; i <= 6; ++i)
            books.apply(add(Side::bid, i, 100, 1));
        books.apply(clear());
        for (std::uint64_t id = 1; id <= 20; ++id)
            books.apply(order(TickAction::add, Side::ask, id, static_cast<std::int64_t>(id), 1));
        books.apply(clear());
        books.apply(status(TickAction::set_invalid, model::no_instrument));
    }
}

}  // namespace
}  // namespace tickpath::trade::test
