// The whole way on a made-up feed: what no capture shows.
#include "dataplane/feed/feed_path.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/template_loader.h"
#include "tests/dataplane/feed/lab_feed.h"

namespace tickpath::feed {
namespace {

namespace flag = model::tick_flag;
using model::Tick;
using model::TickAction;
using model::TickKind;
using model::TimeDomain;
using test::lab_a;
using test::lab_b;
using test::lab_snapshot;
using test::LabDatagram;
using test::LabEntry;
using test::LabSnapshot;

struct Recorder {
    std::vector<Tick> ticks;
    void on_tick(const Tick& tick) noexcept { ticks.push_back(tick); }
};

/// Where the lines come in; A is on port 0.
struct Ports {
    std::uint16_t b = 0;
    std::uint16_t snapshot = 0;
};

struct Bench {
    core::CounterPage page = core::CounterPage::anonymous();
    std::vector<model::Instrument> instruments{8};
    Recorder out;
    std::unique_ptr<FeedPath<Recorder>> path;
    std::uint64_t frame_number = 0;
    std::uint64_t now_ns = 1'000'000;
    TimeDomain domain = TimeDomain::kernel_ns;
    Ports ports;

    /// Instruments before `known_count` are called "K0", "K1", … and have four price places.
    explicit Bench(std::uint32_t known_count = 0, Ports lines_on = {},
                   std::string_view reset = "reset=\"datagram\"")
        : ports(lines_on) {
        for (std::uint32_t id = 0; id < known_count; ++id) {
            instruments[id].id = id;
            instruments[id].feed_key = {'K', static_cast<char>('0' + id)};
            instruments[id].price_places = 4;
        }
        Diagnostics diagnostics;
        std::string description(test::lab_description);
        const std::string_view own_reset = "reset=\"datagram\"";
        description.replace(description.find(own_reset), own_reset.size(), reset);
        const auto parsed = framing::parse_description(description, "lab.xml", diagnostics);
        const auto templates = fast::load_templates(test::lab_templates, "lab.xml", diagnostics);
        const auto feed = parsed && templates ? compile_feed(*parsed, templates, diagnostics) : nullptr;
        EXPECT_NE(feed, nullptr) << diagnostics.format();
        FeedPlan plan;
        plan.channels.push_back(
            {.index = 5, .name = "LAB", .feed = feed, .book = parsed->channels[0].book, .lines = {}});
        for (const framing::Line& line : parsed->channels[0].lines)
            plan.channels[0].lines.push_back({.line = line, .port = port_of(line.group.address)});
        plan.instruments = {.all = instruments,
                            .known_count = known_count,
                            .learned_first = known_count,
                            .learned_max = 8 - known_count};
        path = std::make_unique<FeedPath<Recorder>>(plan, page, "r0", core::CycleClock(1.0, 0, 0), out);
    }

    [[nodiscard]] std::uint16_t port_of(std::uint32_t group) const {
        if (group == lab_snapshot) return ports.snapshot;
        return group == lab_b ? ports.b : std::uint16_t{0};
    }
    /// What came out for this frame.
    std::vector<Tick> put(const LabDatagram& datagram, std::uint32_t group = lab_a) {
        const test::Bytes bytes = datagram.on(group);
        model::Frame frame;
        frame.data = bytes.data();
        frame.size_bytes = static_cast<std::uint32_t>(bytes.size());
        frame.frame_number = frame_number++;
        frame.rx_time = {now_ns, domain};
        frame.rx_cycles = now_ns;
        frame.port = port_of(group);
        path->on_burst(std::span(&frame, 1));
        return taken();
    }
    std::vector<Tick> taken() {
        std::vector<Tick> ticks;
        ticks.swap(out.ticks);
        return ticks;
    }
    /// Makes "S" valid at its number 1 in packet 1.
    void synchronise() {
        put(LabDatagram(1).incremental({{.sequence = 1}}));
        put(LabDatagram(1).snapshot({.sequence = 1, .last_processed = 1, .entries = {{}}}), lab_snapshot);
        ASSERT_EQ(path->report().channels[0].books.valid, 1u);
    }
    /// What came out when the port lost its link.
    std::vector<Tick> lose_link(std::uint16_t port) {
        path->on_link_lost(port);
        return taken();
    }
    [[nodiscard]] std::uint32_t valid_books() const { return path->report().channels[0].books.valid; }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return page.value("r0." + std::string(name));
    }
};

TEST(FeedPath, WritesEveryFieldOfATick) {
    Bench bench;
    bench.synchronise();
    bench.now_ns = 123'456'789;
    const std::vector<Tick> ticks = bench.put(LabDatagram(2).incremental({{.action = 1,
                                                                           .type = "1",
                                                                           .sequence = 2,
                                                                           .level = 3,
                                                                           .price = -25,
                                                                           .exponent = -1,
                                                                           .quantity = 70}}),
                                              lab_b);
    ASSERT_EQ(ticks.size(), 1u);
    const Tick& tick = ticks[0];
    EXPECT_EQ(tick.rx_time, 123'456'789u);
    EXPECT_EQ(tick.rx_domain, TimeDomain::kernel_ns);
    EXPECT_EQ(tick.rx_cycles, 123'456'789u);
    EXPECT_GT(tick.decoded_cycles, 0u);
    EXPECT_EQ(tick.frame_number, 2u);
    EXPECT_EQ(tick.packet_sequence, 2u);
    EXPECT_EQ(tick.instrument_sequence, 2u);
    EXPECT_EQ(tick.channel, 5u);
    EXPECT_EQ(tick.line, 1u);
    EXPECT_EQ(tick.kind, TickKind::quote);
    EXPECT_EQ(tick.side, model::Side::ask);
    EXPECT_EQ(tick.action, TickAction::change);
    EXPECT_EQ(tick.level, 3u);
    EXPECT_EQ(tick.price, -250);
    EXPECT_EQ(tick.quantity, 70);
    EXPECT_EQ(tick.flags, flag::last_of_event | flag::last_of_packet);
    EXPECT_EQ(bench.instruments[tick.instrument].key(), "S");
}

TEST(FeedPath, MarksEventsInsideADatagramOfSeveralMessages) {
    Bench bench;
    bench.synchronise();
    const std::vector<Tick> ticks = bench.put(LabDatagram(2)
                                                  .incremental({{.sequence = 2}, {.sequence = 3}})
                                                  .heartbeat()
                                                  .incremental({{.sequence = 4}, {.sequence = 5}}));
    ASSERT_EQ(ticks.size(), 4u);
    const std::uint16_t last = flag::last_of_event | flag::last_of_packet;
    const std::vector<std::uint16_t> expected = {0, flag::last_of_event, 0, last};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(ticks[i].flags, expected[i]) << i;
        EXPECT_EQ(ticks[i].message_index, i < 2 ? 0 : 2) << i;
        EXPECT_EQ(ticks[i].entry_index, i % 2) << i;
    }
    EXPECT_EQ(bench.count("decode.messages_unmapped"), 1u);
}

TEST(FeedPath, UsesTheScaleOfAKnownInstrument) {
    Bench bench(2);
    const std::vector<Tick> ticks = bench.put(
        LabDatagram(1).incremental({{.symbol = "K1", .price = 12345, .exponent = -3}, {.symbol = "L"}}));
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[0].instrument, 1u);
    EXPECT_EQ(ticks[0].price, 123'450);
    EXPECT_EQ(ticks[1].instrument, 2u);  // the first learned one
    EXPECT_EQ(ticks[1].price, 100);
}

TEST(FeedPath, FlagsAbsentPricesAndThoseTheScaleCannotHold) {
    Bench bench;
    bench.synchronise();
    std::vector<Tick> ticks =
        bench.put(LabDatagram(2).incremental({{.action = 2, .sequence = 2, .has_price = false}}));
    ASSERT_EQ(ticks.size(), 1u);
    EXPECT_TRUE(ticks[0].has(flag::no_price));
    EXPECT_FALSE(ticks[0].has(flag::stale));

    ticks = bench.put(LabDatagram(3).incremental({{.sequence = 3, .price = 12345, .exponent = -3}}));
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[0].action, TickAction::set_invalid);
    EXPECT_EQ(ticks[0].instrument, ticks[1].instrument);
    EXPECT_TRUE(ticks[1].has(flag::inexact));
    EXPECT_TRUE(ticks[1].has(flag::stale));
    EXPECT_EQ(ticks[1].price, 0);
    EXPECT_EQ(bench.count("LAB.inexact"), 1u);

    ticks = bench.put(LabDatagram(2).snapshot(
                          {.sequence = 3, .last_processed = 3, .entries = {{.price = 1, .exponent = -3}}}),
                      lab_snapshot);
    EXPECT_TRUE(ticks.empty());  // a book cannot be made of what cannot be held
    ticks = bench.put(LabDatagram(3).snapshot({.sequence = 3, .last_processed = 3, .entries = {{}}}),
                      lab_snapshot);
    EXPECT_EQ(ticks.size(), 3u);
}

TEST(FeedPath, InvalidatesABookThatAQuoteFindsNoPlaceIn) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.put(LabDatagram(2).incremental({{.sequence = 2, .level = 0}})).size(), 2u);
    EXPECT_EQ(bench.count("LAB.entries_unusable"), 1u);
    EXPECT_EQ(bench.count("LAB.books_invalidated"), 1u);
}

TEST(FeedPath, InvalidatesABookWithAnActionItDoesNotKnow) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.put(LabDatagram(2).incremental({{.action = 5, .sequence = 2}})).size(), 2u);
    EXPECT_EQ(bench.count("LAB.unknown_actions"), 1u);
}

TEST(FeedPath, CountsEntriesOfNoInterest) {
    Bench bench;
    bench.synchronise();
    const std::vector<Tick> ticks = bench.put(LabDatagram(2).incremental(
        {{.type = "v", .sequence = 2}, {.type = "01", .sequence = 3}, {.sequence = 4}}));
    ASSERT_EQ(ticks.size(), 1u);
    EXPECT_EQ(ticks[0].entry_index, 2u);
    EXPECT_FALSE(ticks[0].has(flag::stale));
    EXPECT_EQ(bench.count("LAB.entries_other"), 2u);
}

TEST(FeedPath, CountsKeysThatCannotBeHeld) {
    Bench bench;
    EXPECT_TRUE(bench.put(LabDatagram(1).incremental({{.symbol = std::string(32, 'x')}})).empty());
    EXPECT_EQ(bench.count("LAB.keys_unusable"), 1u);
    EXPECT_EQ(bench.count("LAB.entries_without_instrument"), 1u);
    EXPECT_EQ(bench.put(LabDatagram(2).incremental({{.symbol = std::string(31, 'x')}})).size(), 1u);
}

TEST(FeedPath, CountsAPacketNumberThatDiffersInside) {
    Bench bench;
    bench.put(LabDatagram(1).incremental({{}}));
    EXPECT_EQ(bench.count("LAB.number_mismatch"), 0u);
    bench.put(LabDatagram(2).lying_number(7).incremental({{}}));
    EXPECT_EQ(bench.count("LAB.number_mismatch"), 1u);
}

TEST(FeedPath, CountsMessagesInTheWrongStream) {
    Bench bench;
    EXPECT_TRUE(bench.put(LabDatagram(1).incremental({{}}), lab_snapshot).empty());
    EXPECT_TRUE(bench.put(LabDatagram(1).snapshot({.entries = {{}}}), lab_a).empty());
    EXPECT_EQ(bench.count("LAB.messages_misplaced"), 2u);
}

TEST(FeedPath, MakesABookOfASnapshotInFragments) {
    Bench bench;
    bench.put(LabDatagram(1).incremental({{.sequence = 1}}));
    const auto fragment = [](bool is_first, bool is_last) {
        return LabSnapshot{
            .sequence = 1, .last_processed = 1, .is_first = is_first, .is_last = is_last, .entries = {{}}};
    };
    EXPECT_TRUE(bench.put(LabDatagram(1).snapshot(fragment(true, false)), lab_snapshot).empty());
    EXPECT_TRUE(bench.put(LabDatagram(2).snapshot(fragment(false, false)), lab_snapshot).empty());
    EXPECT_EQ(bench.put(LabDatagram(3).snapshot(fragment(false, true)), lab_snapshot).size(), 5u);
    EXPECT_EQ(bench.path->report().channels[0].books.valid, 1u);
}

TEST(FeedPath, AbandonsASnapshotThatLosesAFragment) {
    Bench bench;
    bench.put(LabDatagram(1).incremental({{.sequence = 1}}));
    const LabSnapshot first{.sequence = 1, .last_processed = 1, .is_last = false, .entries = {{}}};
    LabSnapshot last = first;
    last.is_first = false, last.is_last = true;
    bench.put(LabDatagram(1).snapshot(first), lab_snapshot);
    EXPECT_TRUE(bench.put(LabDatagram(3).snapshot(last), lab_snapshot).empty());
    bench.path->finish();
    EXPECT_EQ(bench.path->report().holes.size(), 1u);
    EXPECT_TRUE(bench.path->report().holes[0].is_snapshot);
    EXPECT_EQ(bench.path->report().channels[0].books.valid, 0u);
    EXPECT_TRUE(bench.taken().empty());
}

TEST(FeedPath, DeclaresAHoleOfALoneSnapshotLineBeforeTheNextLoopHidesIt) {
    Bench bench;
    bench.put(LabDatagram(7).snapshot({.sequence = 1, .entries = {{}}}), lab_snapshot);
    bench.put(LabDatagram(9).snapshot({.sequence = 1, .entries = {{}}}), lab_snapshot);
    EXPECT_EQ(bench.count("LAB.snapshot.holes"), 1u);
    EXPECT_EQ(bench.count("LAB.snapshot.A.losses"), 1u);
}

TEST(FeedPath, AbandonsASnapshotThatCannotBeDecoded) {
    Bench bench;
    bench.put(LabDatagram(1).incremental({{.sequence = 1}}));
    const LabSnapshot first{.sequence = 1, .last_processed = 1, .is_last = false, .entries = {{}}};
    LabSnapshot last = first;
    last.is_first = false, last.is_last = true;
    bench.put(LabDatagram(1).snapshot(first), lab_snapshot);
    test::Bytes cut = LabDatagram(2).snapshot(first).on(lab_snapshot);
    model::Frame frame;
    cut[14 + 20 + 8 + 5] = std::byte{0xFF};  // an unknown template
    frame.data = cut.data();
    frame.size_bytes = static_cast<std::uint32_t>(cut.size());
    bench.path->on_burst(std::span(&frame, 1));
    EXPECT_EQ(bench.count("decode.failed_D9"), 1u);
    EXPECT_TRUE(bench.put(LabDatagram(3).snapshot(last), lab_snapshot).empty());
    EXPECT_EQ(bench.path->report().channels[0].books.valid, 0u);
}

TEST(FeedPath, TakesAnUndecodablePacketForALoss) {
    Bench bench;
    bench.synchronise();
    test::Bytes broken = LabDatagram(2).incremental({{.sequence = 2}}).on(lab_a);
    broken[14 + 20 + 8 + 5] = std::byte{0xFF};
    model::Frame frame;
    frame.data = broken.data();
    frame.size_bytes = static_cast<std::uint32_t>(broken.size());
    bench.path->on_burst(std::span(&frame, 1));
    const std::vector<Tick> ticks = bench.taken();
    ASSERT_EQ(ticks.size(), 1u);
    EXPECT_EQ(ticks[0].action, TickAction::set_invalid);
    EXPECT_EQ(ticks[0].instrument, model::no_instrument);
    EXPECT_EQ(bench.path->report().hole_count, 0u);
    // It missed number 2, as its next number shows.
    EXPECT_TRUE(bench.put(LabDatagram(3).incremental({{.sequence = 3}}))[0].has(flag::stale));
}

// The values of such a feed hang on every datagram since the last reset. Without poison they would be wrong
// and nothing would show it: not the numbers, not the snapshot.
TEST(FeedPath, DecodesNothingBehindALossBeforeAResetWhereDictionariesOutliveDatagrams) {
    Bench bench(0, {}, "reset=\"template\" reset_template=\"120\"");
    const auto quotes = [&](const std::vector<Tick>& ticks) {
        return std::ranges::count_if(ticks, [](const Tick& tick) { return tick.kind == TickKind::quote; });
    };
    EXPECT_EQ(quotes(bench.put(LabDatagram(1).incremental({{.sequence = 1}}))), 0) << "joined in its middle";
    EXPECT_EQ(quotes(bench.put(LabDatagram(2).reset(120).incremental({{.sequence = 2}}))), 1);
    EXPECT_EQ(quotes(bench.put(LabDatagram(3).incremental({{.sequence = 3}}))), 1);
    EXPECT_EQ(bench.count("decode.failed_poisoned"), 1u);

    std::ptrdiff_t behind = 0;
    for (std::uint32_t number = 5; number < 20; ++number)  // 4 is lost
        behind += quotes(bench.put(LabDatagram(number).incremental({{.sequence = number}})));
    EXPECT_EQ(bench.path->report().hole_count, 1u);
    EXPECT_EQ(behind, 0);
    EXPECT_EQ(bench.count("decode.failed_poisoned"), 16u);
    EXPECT_EQ(quotes(bench.put(LabDatagram(20).reset(120).incremental({{.sequence = 20}}))), 1);

    bench.put(LabDatagram(20).reset(120).snapshot({.sequence = 20, .last_processed = 20, .entries = {{}}}),
              lab_snapshot);
    EXPECT_EQ(bench.valid_books(), 1u);
}

TEST(FeedPath, RestartsPacketNumbersAndBooks) {
    Bench bench;
    bench.synchronise();
    const std::vector<Tick> ticks = bench.put(LabDatagram(2).restart(1));
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[0].action, TickAction::set_invalid);
    EXPECT_EQ(ticks[1].kind, TickKind::clear);
    const std::vector<Tick> next = bench.put(LabDatagram(1).incremental({{.sequence = 1}}));
    ASSERT_EQ(next.size(), 2u);
    EXPECT_EQ(next[0].action, TickAction::set_valid);
    EXPECT_EQ(bench.count("LAB.restarts"), 1u);
}

/// A hole before packet 3 that waits: packet 2 never comes.
void leave_a_hole(Bench& bench) {
    bench.put(LabDatagram(1).incremental({{.sequence = 1}}));
    bench.put(LabDatagram(3).incremental({{.sequence = 3}}));
    ASSERT_EQ(bench.path->report().hole_count, 0u);
}

TEST(FeedPath, GivesUpAHoleWhileIdle) {
    for (const TimeDomain domain : {TimeDomain::kernel_ns, TimeDomain::nic_realtime_ns, TimeDomain::cycles}) {
        Bench bench;
        bench.domain = domain;
        leave_a_hole(bench);
        bench.path->on_idle(bench.now_ns + 1'000'000);  // cycles are nanoseconds here
        EXPECT_EQ(bench.path->report().hole_count, 0u);
        bench.path->on_idle(bench.now_ns + 1'000'001);
        EXPECT_EQ(bench.path->report().hole_count, 1u);
        EXPECT_FALSE(bench.taken().empty());
    }
}

TEST(FeedPath, LetsACaptureKeepItsOwnTime) {
    Bench bench;
    bench.domain = TimeDomain::capture_ns;
    leave_a_hole(bench);
    bench.path->on_idle(bench.now_ns + 1'000'000'000);  // the replay stood still, the capture did not go on
    EXPECT_EQ(bench.path->report().hole_count, 0u);
    bench.now_ns += 1'000'001;
    bench.put(LabDatagram(4).incremental({{.sequence = 4}}));
    EXPECT_EQ(bench.path->report().hole_count, 1u);
}

TEST(FeedPath, MakesBooksInvalidWhenTheirPortLosesItsLink) {
    Bench bench;
    bench.synchronise();
    const std::vector<Tick> ticks = bench.lose_link(0);
    ASSERT_EQ(ticks.size(), 1u);
    EXPECT_EQ(ticks[0].kind, TickKind::status);
    EXPECT_EQ(ticks[0].action, TickAction::set_invalid);
    EXPECT_EQ(ticks[0].instrument, model::no_instrument);
    EXPECT_EQ(ticks[0].channel, 5u);
    EXPECT_EQ(ticks[0].rx_time, bench.now_ns);
    EXPECT_EQ(ticks[0].rx_domain, TimeDomain::kernel_ns);
    EXPECT_TRUE(ticks[0].has(flag::last_of_packet));
    EXPECT_EQ(bench.valid_books(), 0u);
    EXPECT_EQ(bench.count("LAB.books_invalidated"), 1u);
}

TEST(FeedPath, LeavesBooksValidWhileTheOtherLineHasItsLink) {
    Bench bench(0, {.b = 1, .snapshot = 1});
    bench.synchronise();
    EXPECT_TRUE(bench.lose_link(0).empty());
    EXPECT_EQ(bench.put(LabDatagram(2).incremental({{.sequence = 2}}), lab_b).size(), 1u);
    EXPECT_EQ(bench.valid_books(), 1u);
    EXPECT_EQ(bench.lose_link(1).size(), 1u);
    EXPECT_EQ(bench.valid_books(), 0u);
}

TEST(FeedPath, LeavesBooksValidWhenALinkCameBackBeforeTheOtherWent) {
    Bench bench(0, {.b = 1});
    bench.synchronise();
    EXPECT_TRUE(bench.lose_link(0).empty());
    bench.path->on_link_back(0);
    EXPECT_TRUE(bench.lose_link(1).empty());
    EXPECT_EQ(bench.valid_books(), 1u);
}

TEST(FeedPath, LeavesBooksValidWhenOnlySnapshotsLoseTheirLink) {
    Bench bench(0, {.snapshot = 2});
    bench.synchronise();
    EXPECT_TRUE(bench.lose_link(2).empty());
    EXPECT_TRUE(bench.lose_link(7).empty()) << "a port without lines";
    EXPECT_EQ(bench.valid_books(), 1u);
}

TEST(FeedPath, HealsOnlyByASnapshotOnceTheLinkIsBack) {
    Bench bench(0, {.snapshot = 2});
    bench.synchronise();
    (void)bench.lose_link(0);
    const LabDatagram as_before =
        LabDatagram(2).snapshot({.sequence = 1, .last_processed = 1, .entries = {{}}});
    EXPECT_TRUE(bench.put(as_before, lab_snapshot).empty()) << "nobody knows yet where the stream goes on";
    bench.path->on_link_back(0);
    EXPECT_TRUE(bench.put(as_before, lab_snapshot).empty());
    const std::vector<Tick> next = bench.put(LabDatagram(2).incremental({{.sequence = 2}}));
    ASSERT_EQ(next.size(), 1u);
    EXPECT_TRUE(next[0].has(flag::stale)) << "although both numbers are the ones that were due";
    EXPECT_EQ(bench.valid_books(), 0u);
    EXPECT_EQ(bench.count("LAB.books_healed"), 0u);
    (void)bench.put(LabDatagram(3).snapshot({.sequence = 2, .last_processed = 2, .entries = {{}}}),
                    lab_snapshot);
    EXPECT_EQ(bench.valid_books(), 1u);
    EXPECT_FALSE(bench.put(LabDatagram(3).incremental({{.sequence = 3}}))[0].has(flag::stale));
}

TEST(FeedPath, DeclaresTheHoleThatWasOpenWhenTheLinkWent) {
    Bench bench;
    bench.synchronise();
    EXPECT_TRUE(bench.put(LabDatagram(3).incremental({{.sequence = 3}})).empty());
    const std::vector<Tick> ticks = bench.lose_link(0);
    ASSERT_EQ(ticks.size(), 3u);
    EXPECT_EQ(ticks[1].packet_sequence, 3u) << "what was held back is told, not dropped";
    EXPECT_EQ(bench.path->report().hole_count, 1u);
    EXPECT_TRUE(
        bench
            .put(LabDatagram(4).snapshot({.sequence = 3, .last_processed = 3, .entries = {{}}}), lab_snapshot)
            .empty());
    EXPECT_EQ(bench.valid_books(), 0u);
}

TEST(FeedPath, StampsTheHeldPacketsWithTheirOwnTimes) {
    Bench bench;
    leave_a_hole(bench);
    const std::uint64_t held_ns = bench.now_ns;
    bench.now_ns += 500;
    const std::vector<Tick> ticks = bench.put(LabDatagram(2).incremental({{.sequence = 2}}), lab_b);
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[0].line, 1u);
    EXPECT_EQ(ticks[0].rx_time, held_ns + 500);
    EXPECT_EQ(ticks[1].line, 0u);
    EXPECT_EQ(ticks[1].rx_time, held_ns);
    EXPECT_EQ(ticks[1].packet_sequence, 3u);
}

}  // namespace
}  // namespace tickpath::feed
