// The presets nse-fo and nse-cm on the generated captures: every book's first level against the generator's
// rows, and damaged datagrams.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/presets.h"
#include "decoders/net/headers.h"
#include "tests/dataplane/feed/expected_rows.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/dataplane/feed/plain_books.h"
#include "tests/support/packet_builder.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::feed {
namespace {

using test::CsvTable;
using test::FeedBench;
using test::FeedBenchOptions;
using test::PlainBook;
using test::PlainBooks;
using test::shared_feed;
using test::TestFrame;

FeedBenchOptions preset(const std::string& segment) {
    return {.description = "nse-" + segment, .templates_path = {}, .channel = {}, .learned_max = 4'096};
}

class SyntheticNse : public ::testing::TestWithParam<const char*> {
protected:
    [[nodiscard]] std::string segment() const { return GetParam(); }
    [[nodiscard]] std::vector<TestFrame> frames() const {
        return test::read_frames(shared_feed("nse/synthetic-" + segment() + ".pcap"));
    }
    [[nodiscard]] std::string upper() const { return segment() == "fo" ? "NSE-FO" : "NSE-CM"; }
};

TEST_P(SyntheticNse, GivesTheBooksOfItsRows) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench bench(preset(segment()));
    bench.run(frames());
    const CsvTable rows(shared_feed("nse/synthetic-" + segment() + ".expected.csv"));
    PlainBooks books(5);
    std::size_t at = 0;
    std::size_t compared = 0;
    const std::vector<model::Tick>& ticks = bench.ticks();
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.number(row, "transcode") != 7208 || rows.text(row, "token").empty()) continue;
        const std::string key = segment() + "|" + rows.text(row, "token");
        // Every tick up to the row's message and instrument; the other instrument of the message follows.
        const auto frame = static_cast<std::uint64_t>(rows.number(row, "datagram"));
        const auto message = rows.number(row, "msg_index");
        const auto belongs = [&](const model::Tick& tick) {
            return tick.frame_number < frame || (tick.frame_number == frame &&
                                                 (tick.message_index < message ||
                                                  (tick.message_index == message && bench.key(tick) == key)));
        };
        while (at < ticks.size() && belongs(ticks[at]))
            books.apply(ticks[at++]);
        ASSERT_GT(at, 0u) << "row " << row;
        const PlainBook& book = books.books[ticks[at - 1].instrument];
        ASSERT_EQ(bench.key(ticks[at - 1]), key) << "row " << row;
        ASSERT_TRUE(book.is_valid) << "row " << row;
        for (const bool is_ask : {false, true}) {
            const std::string side = is_ask ? "ask1" : "bid1";
            const std::vector<test::PlainLevel>& levels = book.sides[is_ask];
            const test::PlainLevel best = levels.empty() ? test::PlainLevel{} : levels[0];
            ASSERT_EQ(best.price, rows.number(row, side + "_price")) << "row " << row;
            ASSERT_EQ(best.quantity, rows.number(row, side + "_qty")) << "row " << row;
        }
        ++compared;
    }
    EXPECT_GT(compared, 8'000u);
    EXPECT_EQ(books.misplaced, 0u);
    for (const char* counter :
         {"lengths_bad", "datagrams_cut", "messages_without_layout", "messages_of_other_segment",
          "prefix_mismatches", "lzo1z_input_overrun", "lzo1z_output_overrun", "lzo1z_lookbehind_overrun",
          "lzo1z_trailing_input", "nse_levels_bad", "nse_volume_steps_back"})
        EXPECT_EQ(bench.count(upper() + "." + counter), 0u) << counter;
    EXPECT_EQ(bench.count(upper() + ".datagrams"), 6'000u);
    EXPECT_FALSE(bench.report().nse[0].suggests_other_variant);
}

TEST_P(SyntheticNse, GivesTheSameBooksWhenFewAreAskedFor) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench all(preset(segment()));
    const std::vector<TestFrame> captured = frames();
    all.run(captured);
    const std::string wanted = all.key(all.ticks().back());
    FeedBenchOptions options = preset(segment());
    std::string xml(framing::preset_text(options.description).value());
    xml.erase(0, xml.find("<feed"));
    options.description = xml.replace(xml.find("interest=\"all\""), 14, "interest=\"known\"");
    model::Instrument instrument;
    std::copy(wanted.begin(), wanted.end(), instrument.feed_key.begin());
    instrument.price_places = 2;
    options.known = {instrument};
    FeedBench one(options);
    one.run(captured);
    std::vector<model::Tick> expected;
    for (const model::Tick& tick : all.ticks())
        if (all.key(tick) == wanted) expected.push_back(tick);
    std::size_t at = 0;
    for (const model::Tick& tick : one.ticks()) {
        if (tick.kind == model::TickKind::session) continue;
        ASSERT_LT(at, expected.size());
        ASSERT_EQ(tick.price, expected[at].price) << at;
        ASSERT_EQ(tick.quantity, expected[at].quantity) << at;
        ASSERT_EQ(tick.frame_number, expected[at].frame_number) << at;
        ASSERT_EQ(tick.kind, expected[at].kind) << at;
        ++at;
    }
    EXPECT_EQ(at, expected.size());
    EXPECT_GT(one.count(upper() + ".blocks_given_up"), 1'000u);
}

TEST_P(SyntheticNse, SurvivesDamage) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::vector<TestFrame> captured = frames();
    std::mt19937_64 random(7);
    FeedBench bench(preset(segment()));
    const std::size_t count = test::at_level(2'000, 20'000, 400'000);
    for (std::size_t i = 0; i < count; ++i) {
        TestFrame frame = captured[random() % captured.size()];
        const net::UdpView udp = net::parse_udp(frame.bytes).udp;
        test::Bytes payload(udp.payload.begin(), udp.payload.end());
        if (random() % 4 == 0) payload.resize(random() % payload.size());
        for (std::uint64_t n = random() % 4; n-- > 0 && !payload.empty();)
            payload[random() % payload.size()] = static_cast<std::byte>(random());
        frame.bytes = test::build_frame(
            {.address = udp.group.address, .port = udp.group.port, .payload = std::move(payload)});
        bench.put(frame);
    }
    EXPECT_EQ(bench.count(upper() + ".datagrams"), count) << "each is accounted for";
    EXPECT_GT(bench.count(upper() + ".datagrams_cut"), count / 10);
    EXPECT_GT(bench.ticks().size(), count);
}

INSTANTIATE_TEST_SUITE_P(Segments, SyntheticNse, ::testing::Values("fo", "cm"),
                         [](const auto& segment) { return std::string(segment.param); });

}  // namespace
}  // namespace tickpath::feed
