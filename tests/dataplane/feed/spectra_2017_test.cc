// The preset moex-spectra-2017 on the one real packet of that feed.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/dataplane/feed/expected_rows.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/support/packet_builder.h"
#include "tests/support/shared_data.h"

namespace tickpath::feed {
namespace {

using model::Tick;
using model::TickAction;
using test::FeedBench;
using test::shared_feed;

constexpr std::uint32_t line_a = 0xEFC0'4603;  // 239.192.70.3

struct Sample {
    test::Bytes payload;
    nlohmann::json decoded;
};

Sample real_packet() {
    std::ifstream in(shared_feed("moex-asts-2017/single-messages.jsonl"));
    for (std::string line; std::getline(in, line);) {
        const nlohmann::json row = nlohmann::json::parse(line);
        if (row["feed"] != "forts") continue;
        Sample sample{.payload = {}, .decoded = row["decoded"]};
        const std::string hex = row["payload_hex"];
        for (std::size_t at = 0; at < hex.size(); at += 2)
            sample.payload.push_back(static_cast<std::byte>(std::stoi(hex.substr(at, 2), nullptr, 16)));
        return sample;
    }
    ADD_FAILURE() << "there is no packet of forts";
    return {};
}

test::TestFrame frame_of(const test::Bytes& payload) {
    return {test::build_frame({.address = line_a, .port = 40003, .payload = payload}), 1, 0};
}

FeedBench bench_2017() {
    return FeedBench({.description = "moex-spectra-2017",
                      .templates_path = shared_feed("moex-asts-2017/forts-templates-2017.xml"),
                      .channel = "FUT-BOOK-5"});
}

TEST(Spectra2017, IsDecodedToTheValuesOfItsRealPacket) {
    TICKPATH_NEEDS_SHARED_DATA();
    const Sample sample = real_packet();
    FeedBench bench = bench_2017();
    bench.run(std::vector{frame_of(sample.payload)});
    EXPECT_EQ(bench.failures(), 0u);
    EXPECT_EQ(bench.count("FUT-BOOK-5.number_mismatch"), 0u) << "the preamble is MsgSeqNum";
    std::vector<Tick> ticks;
    for (const Tick& tick : bench.ticks())
        if (tick.kind == model::TickKind::quote) ticks.push_back(tick);
    const nlohmann::json& entries = sample.decoded["MDEntries"];
    ASSERT_EQ(ticks.size(), entries.size());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const nlohmann::json& entry = entries[i];
        const Tick& tick = ticks[i];
        EXPECT_EQ(tick.packet_sequence, sample.decoded["MsgSeqNum"].get<std::uint32_t>());
        EXPECT_EQ(tick.sending_time, sample.decoded["SendingTime"].get<std::uint64_t>());
        EXPECT_EQ(bench.key(tick), std::to_string(entry["SecurityID"].get<std::uint64_t>()));
        EXPECT_EQ(tick.instrument_sequence, entry["RptSeq"].get<std::uint32_t>());
        EXPECT_EQ(tick.level, entry["MDPriceLevel"].get<unsigned>());
        EXPECT_EQ(tick.price, entry["MDEntryPx"][0].get<std::int64_t>()) << "exponent -5, as the scale";
        EXPECT_EQ(tick.quantity, entry["MDEntrySize"].get<std::int64_t>());
        EXPECT_EQ(tick.exchange_time, entry["MDEntryTime"].get<std::uint64_t>());
        EXPECT_EQ(tick.side, model::Side::ask);
        EXPECT_EQ(tick.action,
                  entry["MDUpdateAction"].get<int>() == 0 ? TickAction::add : TickAction::remove);
    }
}

TEST(Spectra2017, CountsItsPacketCutAtEveryByte) {
    TICKPATH_NEEDS_SHARED_DATA();
    const test::Bytes whole = real_packet().payload;
    for (std::size_t length = 0; length < whole.size(); ++length) {
        FeedBench bench = bench_2017();
        bench.run(
            std::vector{frame_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)})});
        ASSERT_EQ(bench.count("FUT-BOOK-5.preamble_truncated") + bench.failures(), 1u) << "length " << length;
        ASSERT_EQ(bench.count("decode.messages"), 0u) << "length " << length;
    }
}

}  // namespace
}  // namespace tickpath::feed
