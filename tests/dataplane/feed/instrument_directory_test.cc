#include "dataplane/feed/instrument_directory.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/allocation_guard.h"

namespace tickpath::feed {
namespace {

model::Instrument known(model::InstrumentId id, std::string_view key) {
    model::Instrument instrument;
    instrument.id = id;
    std::ranges::copy(key, instrument.feed_key.begin());
    instrument.price_places = 4;
    instrument.is_known = true;
    return instrument;
}

struct Bench {
    std::vector<model::Instrument> table;
    core::CounterPage page = core::CounterPage::anonymous();
    InstrumentDirectory directory;

    explicit Bench(std::uint32_t learned_max = 3)
        : table{known(0, "49664582"), known(1, "SBER|TQBR")},
          directory(
              [&] {
                  table.resize(2 + learned_max + 1);  // the last entry belongs to another path
                  return InstrumentTable{
                      .all = table, .known_count = 2, .learned_first = 2, .learned_max = learned_max};
              }(),
              page, "d") {}
};

constexpr framing::LearnedScale scale{.price_places = 2, .quantity_places = 1};

TEST(InstrumentDirectory, FindsKnownInstrumentsByTextAndNumber) {
    Bench bench;
    EXPECT_EQ(bench.directory.find("SBER|TQBR", scale), 1u);
    EXPECT_EQ(bench.directory.find("49664582", scale), 0u);
    EXPECT_EQ(bench.directory.find(std::uint64_t{49664582}, scale), 0u);
    EXPECT_EQ(bench.directory.find(std::uint64_t{49664582}, scale), 0u);
    EXPECT_EQ(bench.page.value("d.instruments_learned"), 0u);
    EXPECT_EQ(bench.directory.instrument(0).price_places, 4);
}

TEST(InstrumentDirectory, LearnsOthersOnceWithTheFeedsScale) {
    Bench bench;
    EXPECT_EQ(bench.directory.find("GAZP|TQBR", scale), 2u);
    EXPECT_EQ(bench.directory.find("", scale), 3u);
    EXPECT_EQ(bench.directory.find("GAZP|TQBR", scale), 2u);
    EXPECT_EQ(bench.page.value("d.instruments_learned"), 2u);
    const model::Instrument& learned = bench.table[2];
    EXPECT_EQ(learned.id, 2u);
    EXPECT_EQ(learned.key(), "GAZP|TQBR");
    EXPECT_EQ(learned.price_places, 2);
    EXPECT_EQ(learned.quantity_places, 1);
    EXPECT_FALSE(learned.is_known);
}

TEST(InstrumentDirectory, RefusesWhatTheTableCannotHold) {
    Bench bench(1);
    EXPECT_EQ(bench.directory.find(std::uint64_t{1}, scale), 2u);
    EXPECT_EQ(bench.directory.find(std::uint64_t{2}, scale), model::no_instrument);
    EXPECT_EQ(bench.directory.find("x", scale), model::no_instrument);
    EXPECT_EQ(bench.directory.find(std::uint64_t{1}, scale), 2u);
    EXPECT_EQ(bench.page.value("d.instruments_not_learned"), 2u);
    EXPECT_EQ(bench.table[3].key(), "");
}

TEST(InstrumentDirectory, TellsZeroFromNothing) {
    Bench bench;
    EXPECT_EQ(bench.directory.find(std::uint64_t{0}, scale), 2u);
    EXPECT_EQ(bench.directory.find("0", scale), 2u);
}

TEST(InstrumentDirectory, KeepsThousandsApartWithoutAllocation) {
    Bench bench(5000);
    test::AllocationGuard guard;
    for (int round = 0; round < 2; ++round)
        for (std::uint64_t i = 0; i < 5000; ++i)
            ASSERT_EQ(bench.directory.find(i * 1024, scale), 2 + i);
    EXPECT_EQ(guard.count(), 0u);
}

TEST(InstrumentKey, JoinsAndNoticesWhatIsTooLong) {
    InstrumentKey key;
    key.append_number(~std::uint64_t{0});
    for (int i = 0; i < 11; ++i)
        key.append('x');
    EXPECT_EQ(key.text(), "18446744073709551615xxxxxxxxxxx");
    EXPECT_FALSE(key.is_too_long());
    key.append('x');
    EXPECT_TRUE(key.is_too_long());
    EXPECT_EQ(key.text().size(), InstrumentKey::chars_max);
}

}  // namespace
}  // namespace tickpath::feed
