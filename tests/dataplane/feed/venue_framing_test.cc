// Framings of venues of which no whole packet was seen, through the whole path: the descriptions in
// templates/feeds/framing_only on made-up messages.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/whole_file.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/dataplane/feed/lab_feed.h"
#include "tests/decoders/framing/framing_bytes.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::feed {
namespace {

using model::Tick;
using model::TickKind;
using test::FeedBench;
using test::LabDatagram;
using test::LabEntry;
using test::TestFrame;
using test::umdf_datagram;

const std::string templates_folder = std::string(TICKPATH_SOURCE_ROOT) + "/templates/";

FeedBench bench_of(const std::string& venue) {
    return FeedBench({.description = templates_folder + "feeds/framing_only/" + venue + ".xml",
                      .templates_path = templates_folder + "fast/framing_only/quotes.xml",
                      .channel = "QUOTES",
                      .ticks_reserved = 256});
}

/// Where the three examples have their lines: 239.192.40.N, .41.N and .42.N.
struct Lines {
    std::uint32_t venue;
    [[nodiscard]] TestFrame a(const test::Bytes& payload) const { return on(0xEFC0'2800, 30001, payload); }
    [[nodiscard]] TestFrame b(const test::Bytes& payload) const { return on(0xEFC0'2900, 30001, payload); }
    [[nodiscard]] TestFrame snapshot(const test::Bytes& payload) const {
        return on(0xEFC0'2A00, 30002, payload);
    }

private:
    [[nodiscard]] TestFrame on(std::uint32_t network, std::uint16_t port, const test::Bytes& payload) const {
        return {test::build_frame({.address = network | venue, .port = port, .payload = payload}), 1'000, 0};
    }
};
constexpr Lines t7{1}, umdf{2}, cme{3};

/// A message with this number of entries; entry i is number first + i of "S", at level 1 and price 100 + i.
test::Bytes changes(std::uint32_t packet, std::uint32_t first, std::size_t entries = 1) {
    std::vector<LabEntry> list;
    for (std::uint32_t i = 0; i < entries; ++i)
        list.push_back({.sequence = first + i, .price = 100 + std::int64_t{i}});
    return LabDatagram(packet).incremental(list).messages();
}

std::vector<Tick> quotes(const FeedBench& bench) {
    std::vector<Tick> out;
    for (const Tick& tick : bench.ticks())
        if (tick.kind == TickKind::quote) out.push_back(tick);
    return out;
}

// ---- T7

/// The header as on the wire, with another number; then Reset and what follows.
test::Bytes t7_datagram(std::uint32_t number, const test::Bytes& messages, std::uint8_t sender = 30) {
    test::Bytes bytes = test::t7_packet_start();
    bytes.resize(19);  // header and Reset
    bytes[2] = static_cast<std::byte>(sender | 0x80);
    for (unsigned i = 0; i < 4; ++i)
        bytes[4 + i] = static_cast<std::byte>(number >> (24 - 8 * i) & 0xFF);
    bytes.insert(bytes.end(), messages.begin(), messages.end());
    return bytes;
}

TEST(T7Framing, TakesNumberAndTimeFromTheHeader) {
    FeedBench bench = bench_of("t7");
    test::Bytes two = changes(0, 1);
    const test::Bytes second = changes(0, 2);
    two.insert(two.end(), second.begin(), second.end());
    bench.run(std::vector{t7.a(t7_datagram(3022, two)), t7.b(t7_datagram(3022, two)),
                          t7.a(t7_datagram(3024, changes(0, 4)))});
    const std::vector<Tick> ticks = quotes(bench);
    ASSERT_EQ(ticks.size(), 3u);
    EXPECT_EQ(ticks[0].packet_sequence, 3022u);
    EXPECT_EQ(ticks[0].sending_time, 1'489'748'090'429'270'222u);
    EXPECT_EQ(ticks[1].message_index, 1) << "Reset is not counted";
    EXPECT_EQ(bench.count("QUOTES.B.twins"), 1u);
    EXPECT_EQ(bench.count("QUOTES.missing_packets"), 1u);
    EXPECT_EQ(bench.failures(), 0u);
}

TEST(T7Framing, CountsTheRealPacketCutAtEveryByte) {
    const test::Bytes start = test::t7_packet_start();
    for (std::size_t length = 0; length <= start.size(); ++length) {
        FeedBench bench = bench_of("t7");
        bench.run(std::vector{t7.a({start.begin(), start.begin() + static_cast<std::ptrdiff_t>(length)})});
        const bool has_header = length >= 17;
        EXPECT_EQ(bench.count("QUOTES.preamble_truncated"), has_header ? 0u : 1u) << "length " << length;
        // Behind the Reset stands the beginning of a message of a template that only the venue has.
        EXPECT_EQ(bench.failures(), length == 18 || length > 19 ? 1u : 0u) << "length " << length;
        EXPECT_TRUE(quotes(bench).empty());
    }
}

TEST(T7Framing, KeepsToOneSenderWhereTold) {
    std::string xml = read_whole_file(templates_folder + "feeds/framing_only/t7.xml", 65'536).bytes;
    xml.erase(0, xml.find("<feed"));
    xml.replace(xml.find("header_template=\"73\""), 20, "header_template=\"73\" sender=\"30\"");
    FeedBench bench({.description = xml,
                     .templates_path = templates_folder + "fast/framing_only/quotes.xml",
                     .channel = "QUOTES"});
    bench.run(std::vector{t7.a(t7_datagram(10, changes(0, 1))), t7.a(t7_datagram(700, changes(0, 9), 31)),
                          t7.a(t7_datagram(11, changes(0, 2)))});
    EXPECT_EQ(quotes(bench).size(), 2u);
    EXPECT_EQ(bench.count("QUOTES.other_senders"), 1u);
    EXPECT_EQ(bench.count("QUOTES.holes"), 0u);
    test::Bytes other_template = t7_datagram(12, changes(0, 3));
    other_template[1] = std::byte{0xCA};
    bench.put(t7.a(other_template));
    EXPECT_EQ(bench.count("QUOTES.preambles_bad"), 1u);
}

// ---- UMDF

/// The datagrams of one message, of at most `bytes_max` each.
std::vector<test::Bytes> in_chunks(std::uint32_t number, const test::Bytes& message, std::size_t bytes_max) {
    std::vector<test::Bytes> out;
    const auto count = static_cast<std::uint16_t>((message.size() + bytes_max - 1) / bytes_max);
    for (std::uint16_t index = 1; index <= count; ++index) {
        const std::size_t at = (index - std::size_t{1}) * bytes_max;
        out.push_back(
            umdf_datagram({number, count, index},
                          std::span(message).subspan(at, std::min(bytes_max, message.size() - at))));
    }
    return out;
}

TEST(UmdfFraming, JoinsChunksInAnyOrder) {
    FeedBench bench = bench_of("umdf");
    const std::vector<test::Bytes> chunks = in_chunks(2, changes(2, 2, 20), 50);
    ASSERT_EQ(chunks.size(), 4u);
    bench.put(umdf.a(in_chunks(1, changes(1, 1), 1'000)[0]));
    for (const std::size_t i : {1u, 0u, 3u, 2u})
        bench.put(umdf.a(chunks[i]));
    bench.put(umdf.a(in_chunks(3, changes(3, 22), 1'000)[0]));
    bench.finish();
    const std::vector<Tick> ticks = quotes(bench);
    ASSERT_EQ(ticks.size(), 22u);
    for (std::size_t i = 0; i < ticks.size(); ++i)
        EXPECT_EQ(ticks[i].instrument_sequence, i + 1);
    EXPECT_EQ(ticks[5].packet_sequence, 2u);
    EXPECT_EQ(bench.count("QUOTES.chunked_messages"), 1u);
    EXPECT_EQ(bench.count("QUOTES.chunks_waiting"), 3u);
    EXPECT_EQ(bench.count("QUOTES.chunked_incomplete"), 0u);
    EXPECT_EQ(bench.count("QUOTES.A.packets"), 3u) << "messages are what is numbered";
}

TEST(UmdfFraming, DropsAMessageWithoutAllItsChunksAndDeclaresTheHole) {
    FeedBench bench = bench_of("umdf");
    bench.put(umdf.a(in_chunks(1, changes(1, 1), 1'000)[0]));
    const std::vector<test::Bytes> chunks = in_chunks(2, changes(2, 2, 20), 50);
    for (const std::size_t i : {0u, 1u, 1u, 3u})
        bench.put(umdf.a(chunks[i]));
    bench.put(umdf.a(in_chunks(3, changes(3, 22), 1'000)[0]));
    bench.finish();
    EXPECT_EQ(quotes(bench).size(), 2u);
    EXPECT_EQ(bench.count("QUOTES.chunks_duplicate"), 1u);
    EXPECT_EQ(bench.count("QUOTES.chunked_incomplete"), 1u);
    EXPECT_EQ(bench.count("QUOTES.missing_packets"), 1u);
    EXPECT_EQ(bench.report().hole_count, 1u);
    EXPECT_EQ(bench.failures(), 0u);
}

TEST(UmdfFraming, FillsTheHolesOfOneLineFromTheOther) {
    FeedBench bench = bench_of("umdf");
    for (std::uint32_t number = 1; number <= 12; ++number) {
        const std::vector<test::Bytes> chunks = in_chunks(number, changes(number, number * 20, 20), 50);
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            if (number % 3 != 1 || i != 2) bench.put(umdf.a(chunks[i]));
            if (number % 3 != 2 || i != 3) bench.put(umdf.b(chunks[i]));
        }
    }
    bench.finish();
    EXPECT_EQ(quotes(bench).size(), 12u * 20u);
    EXPECT_EQ(bench.report().hole_count, 0u);
    EXPECT_EQ(bench.count("QUOTES.A.wins") + bench.count("QUOTES.B.wins"), 12u);
    EXPECT_EQ(bench.count("QUOTES.A.packets"), 8u);
    EXPECT_EQ(bench.count("QUOTES.B.packets"), 8u);
    EXPECT_EQ(bench.count("QUOTES.chunked_incomplete"), 8u) << "four of each line";
}

TEST(UmdfFraming, MakesABookValidByASnapshotInChunks) {
    FeedBench bench = bench_of("umdf");
    const auto snapshot = [&](std::uint32_t sequence, bool loses_a_chunk) {
        std::vector<LabEntry> levels;
        for (std::uint32_t level = 1; level <= 5; ++level)
            levels.push_back({.level = level, .price = 200 - std::int64_t{level}});
        const test::Bytes message =
            LabDatagram(1)
                .snapshot({.sequence = sequence, .last_processed = sequence, .entries = levels})
                .messages();
        const std::vector<test::Bytes> chunks = in_chunks(1, message, 20);
        for (std::size_t i = 0; i < chunks.size(); ++i)
            if (!loses_a_chunk || i != 1) bench.put(umdf.snapshot(chunks[i]));
    };
    bench.put(umdf.a(in_chunks(1, changes(1, 1), 1'000)[0]));
    snapshot(1, true);
    EXPECT_EQ(bench.report().channels[0].books.valid, 0u);
    bench.put(umdf.a(in_chunks(2, changes(2, 2), 1'000)[0]));
    snapshot(2, false);  // the next loop, by the same number
    EXPECT_EQ(bench.report().channels[0].books.valid, 1u);
    EXPECT_EQ(bench.count("QUOTES.snapshot.chunked_incomplete"), 1u);
    EXPECT_EQ(bench.failures(), 0u);
}

TEST(UmdfFraming, CountsADatagramCutAtEveryByte) {
    for (const std::size_t bytes_max : {1'000u, 20u}) {
        const std::vector<test::Bytes> chunks = in_chunks(1, changes(1, 1, 3), bytes_max);
        const test::Bytes& last = chunks.back();
        for (std::size_t length = 0; length <= last.size(); ++length) {
            FeedBench bench = bench_of("umdf");
            for (std::size_t i = 0; i + 1 < chunks.size(); ++i)
                bench.put(umdf.a(chunks[i]));
            bench.put(umdf.a({last.begin(), last.begin() + static_cast<std::ptrdiff_t>(length)}));
            bench.finish();
            const bool is_whole = length == last.size();
            ASSERT_EQ(bench.count("QUOTES.preamble_truncated"), is_whole ? 0u : 1u) << "length " << length;
            ASSERT_EQ(quotes(bench).size(), is_whole ? 3u : 0u) << "length " << length;
            ASSERT_EQ(bench.count("QUOTES.chunked_incomplete"), !is_whole && chunks.size() > 1 ? 1u : 0u);
        }
    }
    FeedBench bench = bench_of("umdf");
    test::Bytes longer = in_chunks(1, changes(1, 1), 1'000)[0];
    longer.push_back(std::byte{0x80});
    bench.run(std::vector{umdf.a(longer)});
    EXPECT_EQ(bench.count("QUOTES.preambles_bad"), 1u) << "bytes that no length tells of";
}

TEST(UmdfFraming, DoesNotAllocatePerChunk) {
    FeedBench bench = bench_of("umdf");
    std::vector<TestFrame> frames;
    for (std::uint32_t number = 1; number <= 10; ++number)
        for (const test::Bytes& chunk : in_chunks(number, changes(number, number * 20, 20), 50))
            frames.push_back(umdf.a(chunk));
    frames[7] = frames[6];  // a duplicate, and a message that is not whole
    test::AllocationGuard guard;
    bench.put(frames);
    EXPECT_EQ(guard.count(), 0u);
}

// ---- CME

test::Bytes cme_datagram(std::uint32_t number, const test::Bytes& messages) {
    test::Bytes bytes;
    test::detail::put32(bytes, number);
    bytes.push_back(std::byte{7});  // sub-channel
    bytes.insert(bytes.end(), messages.begin(), messages.end());
    return bytes;
}

TEST(CmeFraming, TakesTheNumberBeforeTheSubChannel) {
    FeedBench bench = bench_of("cme");
    bench.run(std::vector{cme.a(cme_datagram(0x01020304, changes(1, 1))),
                          cme.b(cme_datagram(0x01020304, changes(1, 1))),
                          cme.b(cme_datagram(0x01020305, changes(2, 2)))});
    const std::vector<Tick> ticks = quotes(bench);
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[0].packet_sequence, 0x01020304u);
    EXPECT_EQ(bench.count("QUOTES.B.twins"), 1u);
    EXPECT_EQ(bench.failures(), 0u);
}

TEST(CmeFraming, CountsADatagramCutAtEveryByte) {
    const test::Bytes whole = cme_datagram(1, changes(1, 1));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        FeedBench bench = bench_of("cme");
        bench.run(std::vector{cme.a({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)})});
        ASSERT_EQ(bench.count("QUOTES.preamble_truncated"), length < 5 ? 1u : 0u) << "length " << length;
        ASSERT_EQ(bench.failures(), length < 5 ? 0u : 1u) << "length " << length;
    }
}

}  // namespace
}  // namespace tickpath::feed
