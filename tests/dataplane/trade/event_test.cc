// What a strategy is shown, and when: whole events, once per instrument, of the live stream only.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/dataplane/trade/stage_rig.h"

namespace tickpath::trade::test {
namespace {

/// Writes down every call.
class Recorder {
public:
    struct Call {
        model::InstrumentId instrument;
        Top now;
        Top before;
        std::uint16_t entry_index;
        std::uint8_t message_index;
        std::uint32_t packet_sequence;
        bool has_quotes;
        bool has_trades;
    };
    Recorder() = default;
    Recorder(const StrategySettings&, std::span<const model::Instrument>, Diagnostics&) {}

    void on_event(const Book& book, const Event& event, Orders&) noexcept {
        calls.push_back({book.instrument(), book.top(), event.before, event.entry_index, event.message_index,
                         event.last.packet_sequence, event.has_quotes, event.has_trades});
    }
    std::vector<Call> calls;
};

class EventTest : public testing::Test {
protected:
    [[nodiscard]] static TradeSettings settings(DecideAt decide) {
        TradeSettings settings = armed_settings();
        settings.decide = decide;
        return settings;
    }
    /// Not the last of its event.
    static Tick more(Tick tick) { return without_flags(tick, flag::last_of_event | flag::last_of_packet); }
    /// The last of its message, not of its packet.
    static Tick message_end(Tick tick) { return without_flags(tick, flag::last_of_packet); }
    static Tick at(Tick tick, std::uint32_t packet, std::uint8_t message, std::uint16_t entry) {
        tick.packet_sequence = packet;
        tick.message_index = message;
        tick.entry_index = entry;
        return tick;
    }
    void show(const Tick& tick) { rig.stage.on_tick(tick); }
    [[nodiscard]] const std::vector<Recorder::Call>& calls() const { return rig.stage.strategy().calls; }

    StageRig<Recorder> rig{settings(DecideAt::message), Recorder{}};
};

TEST_F(EventTest, IsShownWhenCompleteAndNotBefore) {
    show(more(at(add(Side::bid, 1, 100, 5), 1, 0, 0)));
    show(more(at(add(Side::bid, 1, 101, 5), 1, 0, 1)));
    EXPECT_TRUE(calls().empty());
    show(at(add(Side::ask, 1, 105, 5), 1, 0, 2));
    ASSERT_EQ(calls().size(), 1u);
    EXPECT_EQ(calls()[0].now.bid.price, 101);
    EXPECT_EQ(calls()[0].now.ask.price, 105);
    EXPECT_EQ(calls()[0].before, Top{}) << "as it was before the whole event";
    EXPECT_EQ(calls()[0].entry_index, 2);
    EXPECT_TRUE(calls()[0].has_quotes);
    EXPECT_FALSE(calls()[0].has_trades);
    EXPECT_EQ(rig.counted("events"), 1u);
    EXPECT_EQ(rig.counted("ticks"), 3u);
}

TEST_F(EventTest, IsShownOncePerTouchedInstrumentInOrderOfTouching) {
    show(more(at(of_instrument(add(Side::bid, 1, 100, 5), 2), 1, 0, 0)));
    show(more(at(of_instrument(add(Side::bid, 1, 100, 5), 0), 1, 0, 1)));
    show(at(of_instrument(add(Side::ask, 1, 110, 5), 2), 1, 0, 2));
    ASSERT_EQ(calls().size(), 2u);
    EXPECT_EQ(calls()[0].instrument, 2u);
    EXPECT_EQ(calls()[0].entry_index, 2);
    EXPECT_EQ(calls()[1].instrument, 0u);
    EXPECT_EQ(calls()[1].entry_index, 1) << "its own last entry";
}

TEST_F(EventTest, EndsWithTheMessageByDefault) {
    show(message_end(at(add(Side::bid, 1, 100, 5), 1, 0, 0)));
    EXPECT_EQ(calls().size(), 1u);
    show(at(add(Side::bid, 1, 101, 5), 1, 1, 0));
    ASSERT_EQ(calls().size(), 2u);
    EXPECT_EQ(calls()[1].message_index, 1);
    EXPECT_EQ(calls()[1].before.bid.price, 100);
}

TEST_F(EventTest, MayEndWithThePacket) {
    StageRig<Recorder> by_packet{settings(DecideAt::packet), Recorder{}};
    by_packet.stage.on_tick(message_end(at(add(Side::bid, 1, 100, 5), 1, 0, 0)));
    EXPECT_TRUE(by_packet.stage.strategy().calls.empty());
    by_packet.stage.on_tick(at(add(Side::bid, 1, 101, 5), 1, 1, 0));
    ASSERT_EQ(by_packet.stage.strategy().calls.size(), 1u);
    EXPECT_EQ(by_packet.stage.strategy().calls[0].before, Top{});
    EXPECT_EQ(by_packet.stage.strategy().calls[0].message_index, 1);
    EXPECT_EQ(by_packet.counted("events_cut"), 0u);
}

TEST_F(EventTest, MayEndWithEachEntryThatLeftEarly) {
    StageRig<Recorder> by_entry{settings(DecideAt::entry), Recorder{}};
    by_entry.stage.on_tick(with_flags(more(at(add(Side::bid, 1, 100, 5), 1, 0, 0)), flag::early));
    ASSERT_EQ(by_entry.stage.strategy().calls.size(), 1u);
    EXPECT_EQ(by_entry.stage.strategy().calls[0].entry_index, 0);
    by_entry.stage.on_tick(message_end(at(add(Side::bid, 1, 101, 5), 1, 0, 1)));
    ASSERT_EQ(by_entry.stage.strategy().calls.size(), 2u);
    EXPECT_EQ(by_entry.stage.strategy().calls[1].before.bid.price, 100) << "each entry is an event";
    by_entry.stage.on_tick(more(at(add(Side::bid, 1, 102, 5), 1, 1, 0)));
    EXPECT_EQ(by_entry.stage.strategy().calls.size(), 2u) << "a tick that did not leave early waits";
    EXPECT_EQ(by_entry.counted("events_cut"), 0u);
}

TEST_F(EventTest, EarlyTicksDoNotEndAnEventByDefault) {
    show(with_flags(more(at(add(Side::bid, 1, 100, 5), 1, 0, 0)), flag::early));
    EXPECT_TRUE(calls().empty());
}

TEST_F(EventTest, SnapshotStaleUnusedAndReplayedTicksAreNotShown) {
    show(with_flags(add(Side::bid, 1, 100, 5), flag::snapshot));
    show(with_flags(add(Side::bid, 1, 101, 5), flag::stale));
    show(with_flags(add(Side::bid, 1, 102, 5), flag::unused));
    show(with_flags(add(Side::bid, 1, 103, 5), flag::replayed));
    show(with_flags(clear(), flag::snapshot));
    show(with_flags(trade(99, 1), flag::replayed));
    show(set_valid());
    show(with_flags(set_valid(), flag::last_of_event | flag::last_of_packet));
    EXPECT_TRUE(calls().empty());
    EXPECT_EQ(rig.counted("events"), 0u);
    show(add(Side::bid, 1, 104, 5));
    ASSERT_EQ(calls().size(), 1u);
    EXPECT_EQ(rig.stage.book(0).bids().size(), 1u) << "the snapshot's clear was applied";
}

TEST_F(EventTest, SnapshotsBetweenEventsAreNotAChangeOfTheNextEvent) {
    show(with_flags(add(Side::bid, 1, 100, 5), flag::snapshot));
    show(add(Side::ask, 1, 105, 5));
    ASSERT_EQ(calls().size(), 1u);
    EXPECT_EQ(calls()[0].before.bid.price, 100);
}

TEST_F(EventTest, TradesAndClearsOfTheLiveStreamAreShown) {
    show(trade(99, 1));
    ASSERT_EQ(calls().size(), 1u);
    EXPECT_TRUE(calls()[0].has_trades);
    EXPECT_FALSE(calls()[0].has_quotes);
    show(clear());
    ASSERT_EQ(calls().size(), 2u);
    EXPECT_TRUE(calls()[1].has_quotes);
}

TEST_F(EventTest, TicksThatWereNotAppliedTouchNothing) {
    show(add(Side::bid, 1, 100, 5));
    show(on_channel(add(Side::bid, 1, 101, 5), 1));      // the book is channel 0's
    show(add(Side::bid, 9, 90, 5));                      // no such level
    show(of_instrument(add(Side::bid, 1, 101, 5), 77));  // no such book
    EXPECT_EQ(calls().size(), 1u);
    EXPECT_EQ(rig.counted("ticks_unknown_instrument"), 1u);
}

TEST_F(EventTest, ChannelsMayInterleaveAsRingsAreDrainedInTurn) {
    show(more(at(add(Side::bid, 1, 100, 5), 10, 0, 0)));
    show(more(on_channel(at(of_instrument(add(Side::bid, 1, 200, 5), 1), 77, 0, 0), 1)));
    show(at(add(Side::ask, 1, 105, 5), 10, 0, 1));
    ASSERT_EQ(calls().size(), 1u);
    EXPECT_EQ(calls()[0].instrument, 0u);
    show(on_channel(at(of_instrument(add(Side::ask, 1, 205, 5), 1), 77, 0, 1), 1));
    ASSERT_EQ(calls().size(), 2u);
    EXPECT_EQ(calls()[1].instrument, 1u);
    EXPECT_EQ(calls()[1].packet_sequence, 77u);
    EXPECT_EQ(rig.counted("events_cut"), 0u);
}

TEST_F(EventTest, OneThatNeverEndedIsCountedAndNotShown) {
    show(more(at(add(Side::bid, 1, 100, 5), 1, 0, 0)));
    show(at(of_instrument(add(Side::bid, 1, 200, 5), 1), 2, 0, 0));
    ASSERT_EQ(calls().size(), 1u);
    EXPECT_EQ(calls()[0].instrument, 1u);
    EXPECT_EQ(rig.counted("events_cut"), 1u);
}

TEST_F(EventTest, AnInstrumentThatGoesStaleHalfwayIsNotShown) {
    show(more(at(add(Side::bid, 1, 100, 5), 1, 0, 0)));
    show(more(at(of_instrument(add(Side::bid, 1, 200, 5), 1), 1, 0, 1)));
    show(more(at(status(TickAction::set_invalid), 1, 0, 2)));
    show(with_flags(at(add(Side::bid, 1, 101, 5), 1, 0, 2), flag::stale));
    ASSERT_EQ(calls().size(), 1u);
    EXPECT_EQ(calls()[0].instrument, 1u);
}

TEST_F(EventTest, TicksOfUnknownChannelsAreCounted) {
    show(on_channel(add(Side::bid, 1, 100, 5), 2));
    EXPECT_EQ(rig.counted("ticks_unknown_channel"), 1u);
    EXPECT_TRUE(calls().empty());
}

TEST_F(EventTest, OneThatTouchesMoreThanItCanHoldIsCutShortAndCounted) {
    StageRig<Recorder> wide{settings(DecideAt::message), Recorder{}, nullptr, 300};
    for (model::InstrumentId i = 0; i < 300; ++i) {
        const Tick tick = of_instrument(add(Side::bid, 1, 100, 5), i);
        wide.stage.on_tick(i + 1 < 300 ? more(tick) : tick);
    }
    EXPECT_EQ(wide.stage.strategy().calls.size(), PendingEvent::touches_max);
    EXPECT_EQ(wide.counted("events_truncated"), 300 - PendingEvent::touches_max);
    EXPECT_EQ(wide.stage.book(299).bids().size(), 1u) << "the book has it all the same";
}

}  // namespace
}  // namespace tickpath::trade::test
