// The presets nse-fo and nse-cm on the generated captures: every book's first level against the generator's
// rows, all five against the bytes, and damaged datagrams.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/presets.h"
#include "decoders/lzo1z/decompress.h"
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

/// Where a 7208 of one market has the levels of a record, from the exchange's tables (spec nse-broadcast §6)
/// and not from our layouts.
struct LevelTable {
    std::size_t record_bytes, levels_at, level_bytes, quantity_bytes;
};
constexpr LevelTable fo_levels{214, 56, 12, 4};
constexpr LevelTable cm_levels{262, 60, 16, 8};

std::int64_t big_signed(const test::Bytes& bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = (std::to_integer<unsigned>(bytes.at(at)) & 0x80u) != 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < size; ++i)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes.at(at + i));
    return static_cast<std::int64_t>(value);
}

/// The packed message of this index in a frame's datagram, decompressed; empty when there is none.
test::Bytes message_of(const TestFrame& frame, std::int64_t index) {
    const std::span<const std::byte> payload = net::parse_udp(frame.bytes).udp.payload;
    const test::Bytes all(payload.begin(), payload.end());
    for (std::size_t at = 4; at + 2 <= all.size();) {
        const auto compressed = static_cast<std::size_t>(big_signed(all, at, 2));
        const std::size_t size =
            compressed != 0 ? compressed : 8 + static_cast<std::size_t>(big_signed(all, at + 2 + 46, 2));
        const std::span<const std::byte> packed = payload.subspan(at + 2, size);
        if (index-- == 0) {
            test::Bytes message(packed.begin(), packed.end());
            if (compressed == 0) return message;
            message.resize(2'048);
            message.resize(lzo1z::decompress(packed, message).written);
            return message;
        }
        at += 2 + size;
    }
    return {};
}

/// All levels of one side as the message has them; a level without quantity and price is none.
std::vector<test::PlainLevel> levels_of(const test::Bytes& message, std::int64_t token, bool is_ask,
                                        const LevelTable& table) {
    std::vector<test::PlainLevel> levels;
    for (std::size_t record = 8 + 42; record + table.record_bytes <= message.size();
         record += table.record_bytes) {
        if (big_signed(message, record, 4) != token) continue;
        for (std::size_t i = 0; i < 5; ++i) {
            const std::size_t at = record + table.levels_at + (i + (is_ask ? 5 : 0)) * table.level_bytes;
            const test::PlainLevel level{.price = big_signed(message, at + table.quantity_bytes, 4),
                                         .quantity = big_signed(message, at, table.quantity_bytes)};
            if (level.price != 0 || level.quantity != 0) levels.push_back(level);
        }
        break;
    }
    return levels;
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
    const std::vector<TestFrame> captured = frames();
    bench.run(captured);
    const LevelTable& table = segment() == "fo" ? fo_levels : cm_levels;
    std::size_t deep = 0;
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
        const test::Bytes bytes = message_of(captured[frame], message);
        for (const bool is_ask : {false, true}) {
            const std::string side = is_ask ? "ask1" : "bid1";
            const std::vector<test::PlainLevel>& levels = book.sides[is_ask];
            const test::PlainLevel best = levels.empty() ? test::PlainLevel{} : levels[0];
            ASSERT_EQ(best.price, rows.number(row, side + "_price")) << "row " << row;
            ASSERT_EQ(best.quantity, rows.number(row, side + "_qty")) << "row " << row;
            ASSERT_EQ(levels, levels_of(bytes, rows.number(row, "token"), is_ask, table)) << "row " << row;
            deep += levels.size() == 5 ? 1 : 0;
        }
        ++compared;
    }
    EXPECT_GT(compared, 8'000u);
    EXPECT_GT(deep, 8'000u) << "sides of five levels";
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

// A datagram of the capture, one in four cut, some of its bytes others.
TestFrame damaged(TestFrame frame, std::mt19937_64& random) {
    const net::UdpView udp = net::parse_udp(frame.bytes).udp;
    test::Bytes payload(udp.payload.begin(), udp.payload.end());
    if (random() % 4 == 0) payload.resize(random() % payload.size());
    for (std::uint64_t n = random() % 4; n-- > 0 && !payload.empty();)
        payload[random() % payload.size()] = static_cast<std::byte>(random());
    frame.bytes = test::build_frame(
        {.address = udp.group.address, .port = udp.group.port, .payload = std::move(payload)});
    return frame;
}

// Each round with a path of its own: records are drawn in no order, and one that knows the newest of each
// instrument has nothing more to say.
TEST_P(SyntheticNse, SurvivesDamage) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::vector<TestFrame> captured = frames();
    std::mt19937_64 random(7);
    constexpr std::size_t datagrams = 2'000;
    const std::size_t rounds = test::at_level(1, 10, 200);
    for (std::size_t round = 0; round < rounds; ++round) {
        FeedBench bench(preset(segment()));
        for (std::size_t i = 0; i < datagrams; ++i)
            bench.put(damaged(captured[random() % captured.size()], random));
        ASSERT_EQ(bench.count(upper() + ".datagrams"), datagrams) << "each is accounted for";
        EXPECT_GT(bench.count(upper() + ".datagrams_cut"), datagrams / 10);
        EXPECT_GT(bench.ticks().size(), datagrams);
    }
}

INSTANTIATE_TEST_SUITE_P(Segments, SyntheticNse, ::testing::Values("fo", "cm"),
                         [](const auto& segment) { return std::string(segment.param); });

}  // namespace
}  // namespace tickpath::feed
