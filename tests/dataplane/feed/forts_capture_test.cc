// The preset moex-spectra-2013 on its real capture: values, line arbitration, holes and recovery.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/presets.h"
#include "decoders/net/headers.h"
#include "tests/dataplane/feed/expected_rows.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/dataplane/feed/forts_packet.h"
#include "tests/dataplane/feed/plain_books.h"
#include "tests/dataplane/feed/same_tick.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/shared_data.h"

namespace tickpath::feed {
namespace {

namespace flag = model::tick_flag;
using model::Tick;
using model::TickAction;
using model::TickKind;
using test::CsvTable;
using test::FeedBench;
using test::FeedBenchOptions;
using test::PlainBook;
using test::PlainBooks;
using test::shared_feed;
using test::TestFrame;

constexpr std::uint16_t port_a = 40003, port_b = 41003, port_snapshot = 40004;

struct FortsFrame {
    TestFrame frame;
    std::uint16_t port = 0;
    std::uint64_t number = 0;  // of the packet
};

const std::vector<FortsFrame>& forts_frames() {
    static const std::vector<FortsFrame> frames = [] {
        std::vector<FortsFrame> out;
        for (TestFrame& frame : test::read_frames(shared_feed("moex-forts-2013/forts-book5.pcap"))) {
            const net::UdpView udp = net::parse_udp(frame.bytes).udp;
            const std::uint64_t number = test::forts_packet_number(udp.payload);
            out.push_back({std::move(frame), udp.group.port, number});
        }
        return out;
    }();
    return frames;
}

using LeavesOut = std::function<bool(const FortsFrame&)>;

std::vector<TestFrame> forts_without(const LeavesOut& is_left_out) {
    std::vector<TestFrame> kept;
    for (const FortsFrame& frame : forts_frames())
        if (!is_left_out(frame)) kept.push_back(frame.frame);
    return kept;
}
LeavesOut nothing() {
    return [](const FortsFrame&) { return false; };
}
LeavesOut port(std::uint16_t number) {
    return [=](const FortsFrame& frame) { return frame.port == number; };
}
LeavesOut numbers(std::uint64_t first, std::uint64_t last, std::set<std::uint16_t> ports) {
    return [=](const FortsFrame& frame) {
        return frame.number >= first && frame.number <= last && ports.contains(frame.port);
    };
}

FeedBenchOptions forts() {
    return {.description = "moex-spectra-2013",
            .templates_path = shared_feed("moex-forts-2013/templates.xml"),
            .channel = "FUT-BOOK-5"};
}

bool is_incremental_entry(const Tick& tick) {
    return tick.entry_index != no_entry && !tick.has(flag::replayed) && !tick.has(flag::snapshot);
}
bool is_status(const Tick& tick, TickAction action) {
    return tick.kind == TickKind::status && tick.action == action;
}

/// What a tick says of the venue, without how it came here.
using Said = std::vector<std::int64_t>;
std::vector<Said> incremental_entries(const FeedBench& bench) {
    std::vector<Said> said;
    for (const Tick& tick : bench.ticks())
        if (is_incremental_entry(tick))
            said.push_back({tick.packet_sequence, tick.entry_index, tick.instrument_sequence,
                            static_cast<std::int64_t>(tick.exchange_time), tick.price, tick.quantity,
                            static_cast<int>(tick.action), static_cast<int>(tick.side), tick.level,
                            std::stoll(bench.key(tick))});
    return said;
}

/// The books at the end, by feed key.
std::map<std::string, PlainBook> final_books(const FeedBench& bench) {
    PlainBooks books(5);
    std::map<model::InstrumentId, std::string> keys;
    for (const Tick& tick : bench.ticks()) {
        books.apply(tick);
        if (tick.instrument != model::no_instrument) keys[tick.instrument] = bench.key(tick);
    }
    EXPECT_EQ(books.misplaced, 0u);
    std::map<std::string, PlainBook> by_key;
    for (const auto& [id, key] : keys)
        by_key[key] = books.books[id];
    return by_key;
}

void expect_same_books(const FeedBench& bench, const FeedBench& reference) {
    const auto found = final_books(bench);
    const auto expected = final_books(reference);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [key, book] : expected) {
        EXPECT_TRUE(found.at(key).is_valid) << key;
        EXPECT_TRUE(found.at(key).same_levels(book)) << key;
    }
}

TEST(FortsCapture, IsDecodedToTheExpectedValues) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench bench(forts());
    bench.run(forts_without(port(port_b)));
    const CsvTable rows(shared_feed("moex-forts-2013/expected.csv"));
    std::map<std::string, std::vector<Tick>> ticks;
    for (const Tick& tick : bench.ticks())
        if (tick.entry_index != no_entry && !tick.has(flag::replayed))
            ticks[tick.line == 0 ? "A" : "SA"].push_back(tick);
    std::map<std::string, std::size_t> next;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.text(row, "security_id").empty()) continue;  // session status and sequence reset
        const std::string& line = rows.text(row, "line");
        ASSERT_LT(next[line], ticks[line].size());
        const Tick& tick = ticks[line][next[line]++];
        ASSERT_EQ(test::common_text(tick), test::common_text(rows, row)) << "row " << row;
        ASSERT_EQ(bench.key(tick), rows.text(row, "security_id")) << "row " << row;
        ASSERT_EQ(tick.level, rows.number(row, "level")) << "row " << row;
        ASSERT_EQ(tick.quantity, rows.number(row, "size")) << "row " << row;
        ASSERT_EQ(static_cast<int>(tick.action), rows.number(row, "action")) << "row " << row;
        const auto price = test::decimal_in(rows, row, "price");
        ASSERT_EQ(tick.has(flag::no_price), !price) << "row " << row;
        if (price) {
            ASSERT_EQ(tick.price, at_places(*price, bench.instrument(tick).price_places)) << "row " << row;
        }
    }
    EXPECT_EQ(next["A"], ticks["A"].size());
    EXPECT_EQ(next["SA"], ticks["SA"].size());
    EXPECT_EQ(next["A"], 16'289u);
    EXPECT_EQ(next["SA"], 36'785u);
    EXPECT_EQ(bench.failures(), 0u);
    EXPECT_EQ(bench.count("FUT-BOOK-5.inexact"), 0u);
    EXPECT_EQ(bench.count("FUT-BOOK-5.unnumbered"), 0u);
    EXPECT_EQ(bench.report().hole_count, 0u);
}

TEST(FortsCapture, ByEntryTellsWhatByMessageTells) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBenchOptions entry_by_entry = forts();
    entry_by_entry.by_entry = true;
    for (const LeavesOut& leaves_out : {nothing(), numbers(485'000, 485'019, {port_a, port_b})}) {
        FeedBench by_message(forts()), by_entry(entry_by_entry);
        by_message.run(forts_without(leaves_out));
        by_entry.run(forts_without(leaves_out));
        ASSERT_EQ(by_entry.ticks().size(), by_message.ticks().size());
        std::size_t early = 0;
        for (std::size_t i = 0; i < by_entry.ticks().size(); ++i) {
            const Tick& tick = by_entry.ticks()[i];
            ASSERT_EQ(test::said_by(tick), test::said_by(by_message.ticks()[i])) << i;
            ASSERT_FALSE(tick.has(flag::early) && tick.has(flag::last_of_event)) << i;
            early += tick.has(flag::early);
        }
        EXPECT_GT(early, 5'000u);
        EXPECT_EQ(by_entry.count("FUT-BOOK-5.early_ticks"), early);
        EXPECT_EQ(by_entry.count("FUT-BOOK-5.early_ticks_failed"), 0u);
        EXPECT_EQ(by_message.count("FUT-BOOK-5.early_ticks"), 0u);
    }
}

TEST(FortsCapture, GivesEachEntryOnceFromTwoLines) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench both(forts()), only_a(forts()), only_b(forts());
    both.run(forts_without(nothing()));
    only_a.run(forts_without(port(port_b)));
    only_b.run(forts_without(port(port_a)));
    const std::vector<Said> said = incremental_entries(both);
    EXPECT_EQ(said, incremental_entries(only_a));
    const std::vector<Said> said_b = incremental_entries(only_b);  // begins 24 packets later
    ASSERT_LT(said_b.size(), said.size());
    EXPECT_TRUE(std::equal(said_b.rbegin(), said_b.rend(), said.rbegin()));
    EXPECT_EQ(std::set<Said>(said.begin(), said.end()).size(), said.size());

    const FeedReport report = both.report();
    const LineReport& a = report.lines[0];
    const LineReport& b = report.lines[1];
    EXPECT_EQ(a.packets, 5'759u);
    EXPECT_EQ(a.wins, 5'759u);
    EXPECT_EQ(b.packets, 5'735u);
    EXPECT_EQ(b.twins, 5'735u);
    EXPECT_EQ(a.losses + b.losses, 0u);
    EXPECT_EQ(a.lead_ns.count(), 5'735u);
    EXPECT_EQ(a.lead_ns.min(), 20'000u);  // as the capture was made
    EXPECT_EQ(report.hole_count, 0u);
}

TEST(FortsCapture, MarksTheLastTickOfEachMessageAndPacket) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench bench(forts());
    bench.run(forts_without(nothing()));
    const std::vector<Tick>& ticks = bench.ticks();
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const bool is_last = i + 1 == ticks.size() || ticks[i + 1].frame_number != ticks[i].frame_number;
        ASSERT_EQ(ticks[i].has(flag::last_of_packet), is_last) << i;
        ASSERT_EQ(ticks[i].has(flag::last_of_event), is_last) << i;  // one message per datagram
    }
}

TEST(FortsCapture, BooksAgreeWithEverySnapshotThatTheyDidNotNeed) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench bench(forts());
    bench.run(forts_without(nothing()));
    PlainBooks live(5), shown(5);
    std::size_t compared = 0;
    for (const Tick& tick : bench.ticks()) {
        live.apply(tick);
        if (!tick.has(flag::unused)) continue;
        Tick entry = tick;
        entry.flags &= static_cast<std::uint16_t>(~flag::unused);
        if (entry.entry_index == 0) shown.books[entry.instrument].sides = {};
        shown.apply(entry);
        const PlainBook& book = live.books[entry.instrument];
        if (!tick.has(flag::last_of_event) || book.sequence != entry.instrument_sequence) continue;
        ASSERT_TRUE(book.is_valid);
        ASSERT_TRUE(book.same_levels(shown.books[entry.instrument]))
            << bench.key(tick) << " at packet " << tick.packet_sequence;
        ++compared;
    }
    EXPECT_GT(compared, 4'000u);
    EXPECT_EQ(live.misplaced, 0u);
}

TEST(FortsCapture, AHoleInAThatBFillsLeavesNothingInvalid) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench whole(forts()), bench(forts());
    whole.run(forts_without(nothing()));
    bench.run(forts_without([](const FortsFrame& frame) {
        return numbers(484'000, 484'009, {port_a})(frame) || numbers(485'000, 485'000, {port_a})(frame) ||
               numbers(486'000, 486'002, {port_b})(frame);
    }));
    EXPECT_EQ(incremental_entries(bench), incremental_entries(whole));
    EXPECT_TRUE(std::ranges::none_of(
        bench.ticks(), [](const Tick& tick) { return is_status(tick, TickAction::set_invalid); }));
    const FeedReport report = bench.report();
    EXPECT_EQ(report.hole_count, 0u);
    EXPECT_EQ(report.lines[0].losses, 11u);
    EXPECT_EQ(report.lines[1].losses, 3u);
    EXPECT_EQ(report.lines[1].wins, 11u);
    EXPECT_EQ(report.channels[0].books.invalid, 0u);
    expect_same_books(bench, whole);
}

TEST(FortsCapture, AHoleInBothMakesAllBooksInvalidUntilTheirSnapshots) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench whole(forts()), bench(forts());
    whole.run(forts_without(nothing()));
    bench.run(forts_without(numbers(485'000, 485'019, {port_a, port_b})));

    const FeedReport report = bench.report();
    ASSERT_EQ(report.holes.size(), 1u);
    EXPECT_EQ(report.holes[0].first, 485'000u);
    EXPECT_EQ(report.holes[0].count, 20u);
    EXPECT_FALSE(report.holes[0].is_snapshot);
    EXPECT_EQ(report.lines[0].losses, 20u);
    EXPECT_EQ(report.lines[1].losses, 20u);

    std::size_t invalidations = 0, by_snapshot = 0, by_number = 0, stale = 0, replayed = 0;
    std::map<model::InstrumentId, bool> is_valid;
    for (const Tick& tick : bench.ticks()) {
        if (tick.packet_sequence < 485'000 && tick.line < 2) {
            if (is_status(tick, TickAction::set_valid)) is_valid[tick.instrument] = true;
            continue;
        }
        if (is_status(tick, TickAction::set_invalid)) {
            EXPECT_EQ(tick.instrument, model::no_instrument);
            EXPECT_EQ(tick.packet_sequence, 485'020u);
            ++invalidations;
            for (auto& [id, valid] : is_valid)
                valid = false;
        } else if (is_status(tick, TickAction::set_valid)) {
            if (invalidations != 0) ++(tick.has(flag::snapshot) ? by_snapshot : by_number);
            is_valid[tick.instrument] = true;
        } else if (is_incremental_entry(tick) && invalidations != 0) {
            ASSERT_EQ(tick.has(flag::stale), !is_valid[tick.instrument]) << tick.packet_sequence;
            stale += tick.has(flag::stale);
        }
        replayed += tick.has(flag::replayed);
    }
    EXPECT_EQ(invalidations, 1u);
    EXPECT_EQ(bench.count("FUT-BOOK-5.books_invalidated"), 11u);
    EXPECT_EQ(by_snapshot + by_number, 11u);
    EXPECT_EQ(by_number, bench.count("FUT-BOOK-5.books_healed"));
    EXPECT_GT(by_snapshot, 0u);
    EXPECT_GT(stale, 0u);
    EXPECT_EQ(report.channels[0].books.valid, 11u);
    EXPECT_EQ(report.channels[0].books.invalid, 0u);
    expect_same_books(bench, whole);
}

TEST(FortsCapture, EveryBookComesBackRightWhereverTheHoleIs) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBench whole(forts());
    whole.run(forts_without(nothing()));
    for (std::uint64_t first = 482'760; first < 488'000; first += 517) {
        FeedBench bench(forts());
        bench.run(forts_without(numbers(first, first + first % 90, {port_a, port_b})));
        ASSERT_EQ(bench.report().hole_count, 1u) << first;
        expect_same_books(bench, whole);
    }
}

TEST(FortsCapture, StaysInvalidWithoutSnapshotsUnlessTheNumbersProveIt) {
    TICKPATH_NEEDS_SHARED_DATA();
    // All books synchronise on the snapshots before the hole; none comes after it.
    bool is_after = false;
    const std::vector<TestFrame> frames = forts_without([&](const FortsFrame& frame) {
        is_after |= frame.number == 485'000 && frame.port == port_a;
        return numbers(485'000, 485'019, {port_a, port_b})(frame) ||
               (is_after && frame.port == port_snapshot);
    });
    FeedBench bench(forts());
    bench.run(frames);
    const BookCounts books = bench.report().channels[0].books;
    EXPECT_EQ(books.valid, bench.count("FUT-BOOK-5.books_healed"));
    EXPECT_GT(books.invalid, 0u);
    EXPECT_EQ(books.valid + books.invalid, 11u);
}

TEST(FortsCapture, IgnoresAnIncompleteOrOlderSnapshot) {
    TICKPATH_NEEDS_SHARED_DATA();
    // Snapshots are delayed by four seconds: the first ones after the hole are older than it.
    std::vector<TestFrame> frames = forts_without(numbers(485'000, 485'019, {port_a, port_b}));
    for (TestFrame& frame : frames)
        if (net::parse_udp(frame.bytes).udp.group.port == port_snapshot) frame.time_ns += 4'000'000'000;
    std::ranges::stable_sort(frames, {}, &TestFrame::time_ns);
    FeedBench whole(forts()), bench(forts());
    whole.run(forts_without(nothing()));
    bench.run(frames);
    EXPECT_GT(bench.count("FUT-BOOK-5.snapshots_too_old"), 0u);
    EXPECT_GT(std::ranges::count_if(bench.ticks(), [](const Tick& tick) { return tick.has(flag::replayed); }),
              0);
    expect_same_books(bench, whole);
}

TEST(FortsCapture, RestartsRecoveryWhenTheQueueIsFull) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBenchOptions options = forts();
    options.limits.queued_ticks_max = 16;
    FeedBench whole(forts()), bench(options);
    whole.run(forts_without(nothing()));
    bench.run(forts_without(numbers(485'000, 485'019, {port_a, port_b})));
    EXPECT_GT(bench.count("FUT-BOOK-5.queue_overflows"), 0u);
    EXPECT_EQ(bench.report().channels[0].books.invalid, 0u);
    expect_same_books(bench, whole);
}

TEST(FortsCapture, LosesFewSnapshotsToALostSequenceReset) {
    TICKPATH_NEEDS_SHARED_DATA();
    // Every loop's numbers start again and no message says so.
    const LeavesOut resets = [](const FortsFrame& frame) {
        const std::span<const std::byte> payload = net::parse_udp(frame.frame.bytes).udp.payload;
        return frame.port == port_snapshot && payload[3] == std::byte{0xB1};  // template 49
    };
    FeedBench whole(forts()), bench(forts());
    whole.run(forts_without(nothing()));
    bench.run(forts_without(resets));
    EXPECT_GT(bench.count("FUT-BOOK-5.snapshot.restarts"), 400u);
    EXPECT_EQ(bench.report().hole_count, 0u);
    expect_same_books(bench, whole);
}

/// A frame as it would be on another channel's group.
TestFrame on_other_channel(TestFrame frame) {
    frame.bytes[14 + 16] = std::byte{238};  // the first byte of the destination address
    return frame;
}

TEST(FortsCapture, AHoleInOneChannelLeavesTheOthersAlone) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBenchOptions options = forts();
    options.channel = "";
    options.description = framing::preset_text("moex-spectra-2013").value();
    options.description.erase(0, options.description.find("<feed"));
    options.description.replace(options.description.find("</feed>"), 7, R"(
      <channel name="OTHER" book="level" depth="5" start="unsynchronised">
        <line role="incremental" copy="A" group="238.192.70.3:40003"/>
        <line role="incremental" copy="B" group="238.192.175.3:41003"/>
        <line role="snapshot" copy="A" group="238.192.70.4:40004"/>
      </channel>
    </feed>)");
    FeedBench bench(options);
    const LeavesOut hole = numbers(485'000, 485'019, {port_a, port_b});
    for (const FortsFrame& frame : forts_frames()) {
        if (!hole(frame)) bench.put(frame.frame);
        bench.put(on_other_channel(frame.frame));
    }
    bench.finish();
    ASSERT_EQ(bench.report().hole_count, 1u);
    EXPECT_EQ(bench.report().holes[0].channel, 0u);
    EXPECT_EQ(bench.count("FUT-BOOK-5.books_invalidated"), 11u);
    EXPECT_EQ(bench.count("OTHER.books_invalidated"), 0u);
    for (const Tick& tick : bench.ticks()) {
        if (tick.channel != 1) continue;
        ASSERT_FALSE(is_status(tick, TickAction::set_invalid));
        if (tick.packet_sequence > 484'000 && tick.line < 2) {
            ASSERT_FALSE(tick.has(flag::stale));
        }
    }
}

TEST(FortsCapture, AllocatesNothingAfterItIsMade) {
    TICKPATH_NEEDS_SHARED_DATA();
    FeedBenchOptions options = forts();
    options.ticks_reserved = 100'000;
    FeedBench bench(options);
    const std::vector<TestFrame> frames = forts_without(numbers(485'000, 485'019, {port_a, port_b}));
    test::AllocationGuard guard;
    bench.run(frames);
    EXPECT_EQ(guard.count(), 0u);
}

}  // namespace
}  // namespace tickpath::feed
