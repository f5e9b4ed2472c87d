// Books against their plain twin on random tick streams, sound and unsound alike.
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/trade/books.h"
#include "tests/dataplane/trade/plain_books.h"
#include "tests/dataplane/trade/tick_maker.h"
#include "tests/support/test_level.h"

namespace tickpath::trade::test {
namespace {

constexpr std::size_t instrument_count = 4;
constexpr std::array<std::uint8_t, 3> depths = {5, 0, 20};

/// Mostly what a feed would send: instruments keep to their channel and to levels or orders. One tick in
/// `oddity` has something wrong with it.
class RandomTicks {
public:
    RandomTicks(std::uint64_t seed, std::uint64_t oddity) : random_(seed), oddity_(oddity) {}

    Tick next() {
        Tick tick;
        tick.instrument = static_cast<model::InstrumentId>(below(instrument_count));
        tick.channel = static_cast<std::uint16_t>(tick.instrument % 3);
        tick.side = below(2) == 0 ? Side::bid : Side::ask;
        tick.action = static_cast<TickAction>(below(3));
        if (tick.instrument < 2)
            tick.level = static_cast<std::uint8_t>(1 + below(6));
        else
            tick.entry_id = 1 + below(40);
        tick.price = 1000 + (tick.side == Side::bid ? -1 : 1) * static_cast<std::int64_t>(below(12));
        tick.quantity = 1 + static_cast<std::int64_t>(below(100));
        if (below(40) == 0) tick.kind = static_cast<TickKind>(below(4));
        if (tick.kind == TickKind::status && below(3) != 0) tick.action = TickAction::set_valid;
        if (below(oddity_) == 0) spoil(tick);
        return tick;
    }

private:
    void spoil(Tick& tick) {
        switch (below(10)) {
            case 0:
                tick.channel = static_cast<std::uint16_t>(below(4));
                break;
            case 1:
                tick.instrument = below(2) == 0 ? model::no_instrument : instrument_count;
                break;
            case 2:
                tick.side = Side::none;
                break;
            case 3:
                tick.level = static_cast<std::uint8_t>(below(256));
                break;
            case 4:
                tick.entry_id = below(60);
                break;
            case 5:
                tick.quantity = -static_cast<std::int64_t>(below(3));
                break;
            case 6:
                tick.quantity =
                    std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(below(2));
                break;
            case 7:
                tick.price = static_cast<std::int64_t>(random_());
                break;
            case 8:
                tick.action = static_cast<TickAction>(below(5));
                break;
            default:
                tick.flags = static_cast<std::uint16_t>(1u << below(10));
        }
    }
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

    std::mt19937_64 random_;
    std::uint64_t oddity_;
};

void expect_same(const Book& book, const PlainBooks::PlainBook& twin, std::uint64_t step) {
    for (const Side side : {Side::bid, Side::ask}) {
        const std::vector<Level> wanted = twin.side(side);
        ASSERT_EQ(book.side(side).size(), wanted.size()) << "step " << step;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            ASSERT_EQ(book.side(side)[i], wanted[i]) << "step " << step << " level " << i;
    }
    ASSERT_EQ(book.is_valid(), twin.is_valid) << "step " << step;
    ASSERT_EQ(book.is_stale(), twin.is_stale) << "step " << step;
    ASSERT_EQ(book.last_trade_price(), twin.last_trade) << "step " << step;
}

void compare(std::uint64_t seed, std::uint64_t oddity, std::uint64_t steps) {
    const BookLimits limits{.levels_max = 7, .orders_max = 48};
    core::CounterPage page = core::CounterPage::anonymous();
    Books books(limits, instrument_count, depths, page, "t");
    PlainBooks twin(limits, instrument_count, {depths.begin(), depths.end()});
    RandomTicks ticks(seed, oddity);
    for (std::uint64_t step = 0; step < steps; ++step) {
        const Tick tick = ticks.next();
        ASSERT_EQ(books.apply(tick), twin.apply(tick)) << "seed " << seed << " step " << step;
        for (std::size_t i = 0; i < instrument_count; ++i) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " instrument " << i);
            ASSERT_NO_FATAL_FAILURE(expect_same(books[static_cast<model::InstrumentId>(i)], twin[i], step));
        }
        ASSERT_EQ(books.resting_orders(), twin.resting_orders()) << "seed " << seed << " step " << step;
    }
}

TEST(BooksRandom, AgreeWithTheirTwinOnOrderlyStreams) {
    for (std::uint64_t seed = 1; seed <= tickpath::test::at_level(5, 20, 200); ++seed)
        ASSERT_NO_FATAL_FAILURE(compare(seed, 200, 5'000));
}

TEST(BooksRandom, AgreeWithTheirTwinOnUnsoundStreams) {
    for (std::uint64_t seed = 101; seed <= 100 + tickpath::test::at_level(5, 20, 200); ++seed)
        ASSERT_NO_FATAL_FAILURE(compare(seed, 5, 5'000));
}

}  // namespace
}  // namespace tickpath::trade::test
