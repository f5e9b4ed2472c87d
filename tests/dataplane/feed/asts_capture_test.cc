// The preset moex-asts on its real captures: order log of currencies and trades of equities.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/presets.h"
#include "tests/dataplane/feed/expected_rows.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/dataplane/feed/same_tick.h"
#include "tests/support/shared_data.h"

namespace tickpath::feed {
namespace {

namespace flag = model::tick_flag;
using model::Tick;
using model::TickKind;
using test::CsvTable;
using test::FeedBench;
using test::FeedBenchOptions;
using test::shared_feed;

FeedBenchOptions order_log() {
    return {.description = "moex-asts",
            .templates_path = shared_feed("moex-asts-2017/asts-FIX50SP2-2017-Mar.xml"),
            .channel = "OLR-CURR"};
}
FeedBenchOptions trades() {
    return {.description = "moex-asts",
            .templates_path = shared_feed("moex-asts-2019-trades/templates.xml"),
            .channel = "TLR-FOND"};
}

std::vector<Tick> entries(const FeedBench& bench) {
    std::vector<Tick> out;
    for (const Tick& tick : bench.ticks())
        if (tick.entry_index != no_entry) out.push_back(tick);
    return out;
}

/// Price or quantity of a tick against a cell pair.
void expect_value(const CsvTable& rows, std::size_t row, const std::string& column, std::int64_t found,
                  bool is_absent, int places) {
    const auto value = test::decimal_in(rows, row, column);
    ASSERT_EQ(is_absent, !value) << column << " of row " << row;
    if (value) {
        ASSERT_EQ(found, at_places(*value, places)) << column << " of row " << row;
    }
}

void expect_values(const FeedBench& bench, const Tick& tick, const CsvTable& rows, std::size_t row) {
    ASSERT_EQ(test::common_text(tick), test::common_text(rows, row)) << "row " << row;
    ASSERT_EQ(static_cast<std::int64_t>(tick.entry_id), rows.number(row, "entry_id")) << "row " << row;
    ASSERT_FALSE(tick.has(flag::inexact)) << "row " << row;
    const model::Instrument& instrument = bench.instrument(tick);
    expect_value(rows, row, "price", tick.price, tick.has(flag::no_price), instrument.price_places);
    expect_value(rows, row, "size", tick.quantity, tick.has(flag::no_quantity), instrument.quantity_places);
}

TEST(AstsOrderLog, IsDecodedToTheExpectedValues) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench bench(order_log());
    bench.run(test::read_frames(shared_feed("moex-asts-2017/asts-curr-olr-a.pcap")));
    const CsvTable rows(shared_feed("moex-asts-2017/expected.csv"));
    const std::vector<Tick> ticks = entries(bench);
    ASSERT_EQ(ticks.size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        expect_values(bench, ticks[row], rows, row);
        ASSERT_EQ(bench.key(ticks[row]), rows.text(row, "symbol") + "|" + rows.text(row, "session"))
            << "row " << row;
        ASSERT_EQ(static_cast<int>(ticks[row].action), rows.number(row, "action")) << "row " << row;
        ASSERT_EQ(ticks[row].level, 0) << "row " << row;
    }
    EXPECT_EQ(bench.failures(), 0u);
    EXPECT_EQ(bench.count("OLR-CURR.number_mismatch"), 0u);
    EXPECT_EQ(bench.report().hole_count, 0u);
    // Joined midway and without a snapshot no book can be trusted.
    EXPECT_EQ(bench.report().channels[0].books.valid, 0u);
    for (const Tick& tick : ticks)
        ASSERT_TRUE(tick.has(flag::stale));
}

TEST(AstsTrades, AreDecodedToTheExpectedValues) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench bench(trades());
    bench.run(test::read_frames(shared_feed("moex-asts-2019-trades/asts-fond-tlr-a.pcap")));
    const CsvTable rows(shared_feed("moex-asts-2019-trades/expected.csv"));
    const std::vector<Tick> ticks = entries(bench);
    ASSERT_EQ(ticks.size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        expect_values(bench, ticks[row], rows, row);
        ASSERT_TRUE(bench.key(ticks[row]).starts_with(rows.text(row, "symbol") + "|")) << "row " << row;
        ASSERT_EQ(ticks[row].side, rows.text(row, "side") == "B" ? model::Side::bid : model::Side::ask)
            << "row " << row;
        ASSERT_FALSE(ticks[row].has(flag::stale)) << "row " << row;
    }
    EXPECT_EQ(bench.failures(), 0u);
    EXPECT_EQ(bench.count("TLR-FOND.number_mismatch"), 0u);
    EXPECT_EQ(bench.count("TLR-FOND.instrument_gaps"), 0u);
}

void expect_same_by_entry(FeedBenchOptions options, const std::string& capture) {
    const std::vector<test::TestFrame> frames = test::read_frames(shared_feed(capture));
    FeedBench by_message(options);
    options.by_entry = true;
    FeedBench by_entry(options);
    by_message.run(frames);
    by_entry.run(frames);
    ASSERT_EQ(by_entry.ticks().size(), by_message.ticks().size());
    std::size_t early = 0;
    for (std::size_t i = 0; i < by_entry.ticks().size(); ++i) {
        ASSERT_EQ(test::said_by(by_entry.ticks()[i]), test::said_by(by_message.ticks()[i])) << i;
        early += by_entry.ticks()[i].has(flag::early);
    }
    EXPECT_GT(early, 100u);
    EXPECT_EQ(by_entry.count(options.channel + ".early_ticks"), early);
    EXPECT_EQ(by_message.count(options.channel + ".early_ticks"), 0u);
}

TEST(AstsOrderLog, ByEntryTellsWhatByMessageTells) {
    TICKPATH_NEEDS_SHARED_DATA();
    expect_same_by_entry(order_log(), "moex-asts-2017/asts-curr-olr-a.pcap");
}

TEST(AstsTrades, ByEntryTellWhatByMessageTell) {
    TICKPATH_NEEDS_SHARED_DATA();
    expect_same_by_entry(trades(), "moex-asts-2019-trades/asts-fond-tlr-a.pcap");
}

TEST(AstsTrades, HaveTheHolesOfAnExtractAndNoBookToInvalidate) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench bench(trades());
    bench.run(test::read_frames(shared_feed("moex-asts-2019-trades/asts-fond-tlr-a.pcap")));
    // 91650 to 99896 in 3,346 packets of one template: the rest of the numbers went elsewhere.
    const FeedReport report = bench.report();
    EXPECT_EQ(bench.count("TLR-FOND.missing_packets"), 99'896u - 91'650u + 1 - 3'346u);
    EXPECT_EQ(report.lines[0].losses, bench.count("TLR-FOND.missing_packets"));
    EXPECT_GT(report.hole_count, 2'000u);
    ASSERT_EQ(report.holes.size(), FeedLimits{}.holes_kept);
    EXPECT_EQ(report.holes[0].first, 91'651u);
    EXPECT_EQ(report.holes[0].count, 2u);
    for (const Tick& tick : bench.ticks())
        ASSERT_NE(tick.kind, TickKind::status);
}

TEST(AstsOrderLog, RefusesPricesThatTheScaleCannotHold) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBenchOptions options = order_log();
    options.description = framing::preset_text("moex-asts").value();
    options.description.erase(0, options.description.find("<feed"));
    options.description.replace(options.description.find("price_places=\"6\""), 16, "price_places=\"3\"");
    FeedBench bench(options);
    bench.run(test::read_frames(shared_feed("moex-asts-2017/asts-curr-olr-a.pcap")));
    const CsvTable rows(shared_feed("moex-asts-2017/expected.csv"));
    const std::vector<Tick> ticks = entries(bench);
    ASSERT_EQ(ticks.size(), rows.size());
    std::size_t inexact = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto price = test::decimal_in(rows, row, "price");
        const bool is_exact = !price || at_places(*price, 3).has_value();
        ASSERT_EQ(ticks[row].has(flag::inexact), !is_exact) << "row " << row;
        if (!is_exact) {
            ASSERT_EQ(ticks[row].price, 0) << "row " << row;
        }
        inexact += !is_exact;
    }
    EXPECT_GT(inexact, 0u);
    EXPECT_EQ(bench.count("OLR-CURR.inexact"), inexact);
    EXPECT_EQ(bench.count("OLR-CURR.entries_unusable"), inexact);
}

TEST(AstsOrderLog, LearnsOnlyAsManyInstrumentsAsThereIsRoomFor) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBenchOptions options = order_log();
    options.learned_max = 5;
    FeedBench bench(options);
    bench.run(test::read_frames(shared_feed("moex-asts-2017/asts-curr-olr-a.pcap")));
    const CsvTable rows(shared_feed("moex-asts-2017/expected.csv"));
    EXPECT_EQ(bench.count("directory.instruments_learned"), 5u);
    EXPECT_EQ(entries(bench).size() + bench.count("OLR-CURR.entries_without_instrument"), rows.size());
    EXPECT_GT(bench.count("OLR-CURR.entries_without_instrument"), 0u);
}

}  // namespace
}  // namespace tickpath::feed
