// Real captures, cut and damaged: nothing crashes, and every packet is accounted for.
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/presets.h"
#include "decoders/net/headers.h"
#include "tests/dataplane/feed/expected_rows.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/support/packet_builder.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::feed {
namespace {

using test::FeedBench;
using test::FeedBenchOptions;
using test::shared_feed;
using test::TestFrame;

struct Capture {
    FeedBenchOptions options;
    std::vector<TestFrame> frames;
};

/// The preset with a small window: thousands of paths are made here.
std::string with_small_window(std::string_view preset) {
    std::string xml(framing::preset_text(preset).value());
    xml.erase(0, xml.find("<feed"));
    return xml.replace(xml.find("packets=\"1024\""), 14, "packets=\"16\"");
}

Capture forts() {
    return {{.description = with_small_window("moex-spectra-2013"),
             .templates_path = shared_feed("moex-forts-2013/templates.xml"),
             .channel = "FUT-BOOK-5"},
            test::read_frames(shared_feed("moex-forts-2013/forts-book5.pcap"))};
}
Capture asts() {
    return {{.description = with_small_window("moex-asts"),
             .templates_path = shared_feed("moex-asts-2017/asts-FIX50SP2-2017-Mar.xml"),
             .channel = "OLR-CURR"},
            test::read_frames(shared_feed("moex-asts-2017/asts-curr-olr-a.pcap"))};
}

TestFrame with_payload(const TestFrame& frame, test::Bytes payload) {
    const net::UdpView udp = net::parse_udp(frame.bytes).udp;
    return {test::build_frame(
                {.address = udp.group.address, .port = udp.group.port, .payload = std::move(payload)}),
            frame.time_ns, frame.number};
}
test::Bytes payload_of(const TestFrame& frame) {
    const auto payload = net::parse_udp(frame.bytes).udp.payload;
    return {payload.begin(), payload.end()};
}

/// Where the packets of a one-message feed went, over all its streams.
struct Account {
    std::uint64_t routed = 0;      // by the router
    std::uint64_t numberless = 0;  // no packet number could be read
    std::uint64_t dropped = 0;     // twins, late ones, held ones that a restart overtook
    std::uint64_t decoded = 0;     // messages of any kind, or none

    [[nodiscard]] bool is_closed() const { return routed == numberless + dropped + decoded; }
};
Account account_of(const FeedBench& bench) {
    Account account;
    const core::CounterPage& page = bench.page();
    account.routed = page.sum("routed");
    account.numberless = page.sum("unnumbered") + page.sum("preamble_truncated");
    account.dropped = page.sum("twins") + page.sum("late") + page.sum("held_dropped");
    account.decoded =
        page.sum("messages") + page.sum("messages_unmapped") + bench.failures() - page.sum("failed_trailing");
    return account;
}

TEST(HostileFeed, CountsEveryPacketOfWholeCaptures) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const Capture& capture : {forts(), asts()}) {
        FeedBench bench(capture.options);
        bench.run(capture.frames);
        const Account account = account_of(bench);
        EXPECT_EQ(account.routed, capture.frames.size());
        EXPECT_TRUE(account.is_closed());
        EXPECT_EQ(bench.failures(), 0u);
    }
}

TEST(HostileFeed, CountsADatagramCutAtEveryByte) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const Capture& capture : {forts(), asts()}) {
        // One packet of each kind that the capture begins with.
        for (const std::size_t at : {0u, 3u, 60u, 61u, 62u, 63u, 64u}) {
            const test::Bytes whole = payload_of(capture.frames[at]);
            for (std::size_t length = 0; length < whole.size(); ++length) {
                FeedBench bench(capture.options);
                bench.put(with_payload(capture.frames[at],
                                       {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}));
                bench.finish();
                const Account account = account_of(bench);
                ASSERT_EQ(account.routed, 1u);
                ASSERT_EQ(account.numberless + bench.failures(), 1u)
                    << "frame " << at << " length " << length;
                ASSERT_EQ(bench.page().sum("messages"), 0u) << "frame " << at << " length " << length;
            }
        }
    }
}

TEST(HostileFeed, CountsBytesBehindTheMessageAndKeepsTheMessage) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const Capture& capture : {forts(), asts()}) {
        FeedBench bench(capture.options);
        test::Bytes longer = payload_of(capture.frames[0]);
        longer.push_back(std::byte{0x80});
        bench.run(std::vector<TestFrame>{with_payload(capture.frames[0], longer)});
        EXPECT_EQ(bench.count("decode.failed_trailing"), 1u);
        EXPECT_EQ(bench.count("decode.messages"), 1u);
        const DecodeFailure failure = bench.report().last_failure;
        EXPECT_EQ(failure.error, Errc::trailing);
        EXPECT_EQ(failure.offset, longer.size() - 1);
        EXPECT_FALSE(bench.ticks().empty());
    }
}

TEST(HostileFeed, NamesThePlaceOfTheLastFailure) {
    TICKPATH_NEEDS_SHARED_DATA();
    const Capture capture = asts();
    FeedBench bench(capture.options);
    test::Bytes unknown = payload_of(capture.frames[5]);
    unknown[5] = std::byte{0x7F};  // template identifier
    bench.put(capture.frames[4]);
    bench.put(with_payload(capture.frames[5], unknown));
    const DecodeFailure failure = bench.report().last_failure;
    EXPECT_EQ(failure.error, Errc::d9);
    EXPECT_EQ(failure.packet_number, 44'365u);
    EXPECT_EQ(failure.frame_number, 5u);
    EXPECT_EQ(failure.line, 0);
    EXPECT_GE(failure.offset, 4u);
    EXPECT_LE(failure.offset, 7u);
}

TEST(HostileFeed, SurvivesSeededDamage) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::array<Capture, 2> captures = {forts(), asts()};
    const std::uint64_t rounds = test::at_level(20, 100, 2'000);
    std::uint64_t failures = 0;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        std::mt19937_64 random(seed);
        const Capture& capture = captures[seed % captures.size()];
        FeedBench bench(capture.options);
        const std::size_t first =
            capture.frames.size() > 2'000 ? random() % (capture.frames.size() - 1'000) : 0;
        const std::size_t count = std::min<std::size_t>(1'000, capture.frames.size());
        for (std::size_t i = first; i < first + count; ++i) {
            if (random() % 4 != 0) {
                bench.put(capture.frames[i]);
                continue;
            }
            test::Bytes payload = payload_of(capture.frames[i]);
            for (std::uint64_t flips = 1 + random() % 3; flips != 0; --flips)
                payload[random() % payload.size()] ^= static_cast<std::byte>(1u << random() % 8);
            bench.put(with_payload(capture.frames[i], payload));
        }
        bench.finish();
        ASSERT_EQ(account_of(bench).routed, count) << "seed " << seed;
        ASSERT_TRUE(account_of(bench).is_closed()) << "seed " << seed;
        failures += bench.failures();
    }
    EXPECT_GT(failures, 0u);
}

TEST(HostileFeed, CountsFramesCutAtEveryByte) {
    TICKPATH_NEEDS_SHARED_DATA();
    const Capture capture = asts();
    FeedBench bench(capture.options);
    const TestFrame& whole = capture.frames[0];
    for (std::size_t length = 0; length < whole.bytes.size(); ++length)
        bench.put(
            {{whole.bytes.begin(), whole.bytes.begin() + static_cast<std::ptrdiff_t>(length)}, 0, length});
    bench.finish();
    EXPECT_EQ(bench.count("router.truncated"), whole.bytes.size());
    EXPECT_TRUE(bench.ticks().empty());
}

}  // namespace
}  // namespace tickpath::feed
