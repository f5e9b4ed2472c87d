#include "dataplane/feed/recovery.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/feed/tick_emitter.h"

namespace tickpath::feed {
namespace {

namespace flag = model::tick_flag;
using framing::BookModel;
using framing::BookStart;
using model::Tick;
using model::TickAction;
using model::TickKind;

/// One word a tick: "7" quote with number 7, "clear", "valid", "invalid"; then what its flags say.
std::string word(const Tick& tick) {
    std::string out = std::to_string(tick.instrument_sequence);
    if (tick.kind == TickKind::clear) out = "clear";
    if (tick.kind == TickKind::status) out = tick.action == TickAction::set_valid ? "valid" : "invalid";
    if (tick.kind == TickKind::status && tick.instrument == model::no_instrument) out += "-all";
    if (tick.has(flag::snapshot)) out += "+snapshot";
    if (tick.has(flag::stale)) out += "+stale";
    if (tick.has(flag::unused)) out += "+unused";
    if (tick.has(flag::replayed)) out += "+replayed";
    return out;
}

struct Recorder {
    std::vector<std::string> words;
    std::vector<std::uint16_t> flags;
    void on_tick(const Tick& tick) noexcept {
        words.push_back(word(tick));
        flags.push_back(tick.flags);
    }
};

RecoverySettings settings() {
    return {.book = {.model = BookModel::level, .depth = 5, .start = BookStart::unsynchronised},
            .is_contiguous = true,
            .has_snapshots = true,
            .forward_unused = false,
            .instrument_count = 4,
            .queued_ticks_max = 8,
            .snapshot_ticks_max = 4};
}

/// A channel with instruments 0 to 3. Each call is a packet of its own and returns what came out.
struct Bench {
    core::CounterPage page = core::CounterPage::anonymous();
    Recorder out;
    TickEmitter<Recorder> emitter{out, core::Counter()};
    Recovery<TickEmitter<Recorder>> recovery;

    explicit Bench(const RecoverySettings& with = settings()) : recovery(with, page, "c", emitter) {}

    using Words = std::vector<std::string>;
    Words taken() {
        emitter.end_packet();
        Words words;
        words.swap(out.words);
        return words;
    }
    static Tick tick(std::uint64_t packet, std::uint32_t sequence, model::InstrumentId instrument) {
        Tick tick;
        tick.packet_sequence = static_cast<std::uint32_t>(packet);
        tick.instrument_sequence = sequence;
        tick.instrument = instrument;
        return tick;
    }
    Words entry(std::uint64_t packet, std::uint32_t sequence, model::InstrumentId instrument = 0,
                EntryUse use = EntryUse::apply) {
        recovery.on_packet_number(packet);
        Tick entry = tick(packet, sequence, instrument);
        recovery.on_entry(entry, use);
        return taken();
    }
    Words loss(std::uint64_t first, std::uint64_t count) {
        recovery.on_loss(first, count, tick(first + count, 0, 0));
        return taken();
    }
    Words disconnect(std::uint64_t next) {
        recovery.on_disconnect(next, tick(next, 0, 0));
        return taken();
    }
    Words restart(std::uint64_t number, bool is_announced) {
        recovery.on_restart(number, is_announced, tick(number, 0, 0));
        return taken();
    }
    /// A message of `entries` entries.
    Words fragment(const SnapshotHeader& header, int entries) {
        if (recovery.begin_snapshot(header))
            for (int i = 0; i < entries; ++i) {
                Tick entry = tick(1, header.instrument_sequence, header.instrument);
                recovery.on_snapshot_entry(entry, EntryUse::apply);
            }
        recovery.end_snapshot(header.is_last, tick(1, header.instrument_sequence, header.instrument));
        return taken();
    }
    Words snapshot(std::uint32_t sequence, std::uint64_t last_processed, model::InstrumentId instrument = 0) {
        return fragment({.instrument = instrument,
                         .instrument_sequence = sequence,
                         .has_last_processed = last_processed != 0,
                         .last_processed = last_processed},
                        1);
    }
    /// Instrument 0 becomes valid, up to its number 10 in packet 100.
    void synchronise() {
        (void)entry(99, 9);
        (void)snapshot(9, 99);
        EXPECT_EQ(entry(100, 10), (Words{"10"}));
    }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return page.value("c." + std::string(name));
    }
};

using Words = Bench::Words;

TEST(Recovery, KeepsABookStaleUntilItsSnapshot) {
    Bench bench;
    EXPECT_EQ(bench.entry(100, 7), (Words{"7+stale"}));
    EXPECT_EQ(bench.entry(101, 8), (Words{"8+stale"}));
    EXPECT_EQ(bench.snapshot(7, 100),
              (Words{"clear+snapshot", "7+snapshot", "8+replayed", "valid+snapshot"}));
    EXPECT_EQ(bench.entry(102, 9), (Words{"9"}));
    EXPECT_EQ(bench.recovery.book_counts().valid, 1u);
}

TEST(Recovery, MakesABookValidInOneEvent) {
    Bench bench;
    (void)bench.entry(100, 7), (void)bench.entry(101, 8);
    bench.out.flags.clear();
    (void)bench.snapshot(7, 100);
    ASSERT_EQ(bench.out.flags.size(), 4u);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(bench.out.flags[i] & flag::last_of_event, 0) << i;
    EXPECT_NE(bench.out.flags[3] & flag::last_of_event, 0);
}

TEST(Recovery, BelievesNoSnapshotBetweenADisconnectAndTheNextPacket) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.disconnect(101), (Words{"invalid-all"}));
    EXPECT_EQ(bench.snapshot(12, 105), (Words{}));
    EXPECT_EQ(bench.entry(106, 13), (Words{"13+stale"}));
    EXPECT_EQ(bench.snapshot(12, 105),
              (Words{"clear+snapshot", "12+snapshot", "13+replayed", "valid+snapshot"}));
}

TEST(Recovery, TakesNoNextNumberForAProofAfterADisconnect) {
    Bench bench;
    bench.synchronise();
    (void)bench.disconnect(101);
    EXPECT_EQ(bench.entry(101, 11), (Words{"11+stale"}));
    EXPECT_EQ(bench.loss(102, 1), (Words{"invalid-all"}));
    EXPECT_EQ(bench.entry(103, 12), (Words{"12+stale"}));
    EXPECT_EQ(bench.recovery.book_counts().valid, 0u);
    EXPECT_EQ(bench.count("books_invalidated"), 1u);
}

TEST(Recovery, BelievesNoQueueOfBeforeADisconnect) {
    Bench bench;
    bench.synchronise();
    (void)bench.loss(101, 1);
    EXPECT_EQ(bench.entry(102, 12), (Words{"12+stale"})) << "11 is missing, 12 is queued";
    (void)bench.disconnect(103);
    EXPECT_EQ(bench.snapshot(11, 101), (Words{})) << "leads to the queue, and the queue to nowhere";
    EXPECT_EQ(bench.recovery.book_counts().valid, 0u);
}

TEST(Recovery, AppliesNoSnapshotToAValidBook) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.snapshot(10, 100), (Words{}));
    EXPECT_EQ(bench.count("snapshots_unused"), 1u);
    RecoverySettings forwarding = settings();
    forwarding.forward_unused = true;
    Bench telling(forwarding);
    telling.synchronise();
    EXPECT_EQ(telling.snapshot(10, 100), (Words{"10+snapshot+unused"}));
}

TEST(Recovery, WaitsForASnapshotThatReachesTheLiveStream) {
    Bench bench;
    (void)bench.entry(100, 7);
    EXPECT_EQ(bench.snapshot(5, 98), (Words{}));  // number 6 may lie in between
    EXPECT_EQ(bench.count("snapshots_too_old"), 1u);
    // One packet before the first heard is enough: nothing lies between.
    EXPECT_EQ(bench.snapshot(6, 99), (Words{"clear+snapshot", "6+snapshot", "7+replayed", "valid+snapshot"}));
}

TEST(Recovery, TakesTheInstrumentsNumbersAsProofToo) {
    Bench bench;
    (void)bench.entry(100, 7);
    EXPECT_EQ(bench.snapshot(6, 50), (Words{"clear+snapshot", "6+snapshot", "7+replayed", "valid+snapshot"}));
    Bench untold;
    (void)untold.entry(100, 7);
    EXPECT_EQ(untold.snapshot(5, 0), (Words{}));
    EXPECT_EQ(untold.snapshot(7, 0), (Words{"clear+snapshot", "7+snapshot", "valid+snapshot"}));
}

TEST(Recovery, NeedsTheIncrementalStreamFirst) {
    Bench bench;
    EXPECT_EQ(bench.snapshot(5, 98), (Words{}));
    EXPECT_EQ(bench.entry(99, 6), (Words{"6+stale"}));
}

TEST(Recovery, RefusesASnapshotThatTheQueueDoesNotFollow) {
    Bench bench;
    (void)bench.entry(100, 7), (void)bench.entry(101, 9);
    EXPECT_EQ(bench.snapshot(7, 100), (Words{}));
    EXPECT_EQ(bench.count("snapshots_broken"), 1u);
    EXPECT_EQ(bench.snapshot(8, 100),
              (Words{"clear+snapshot", "8+snapshot", "9+replayed", "valid+snapshot"}));
}

TEST(Recovery, SkipsEntriesThatTheSnapshotHoldsAlready) {
    Bench bench;
    (void)bench.entry(100, 7);
    (void)bench.snapshot(9, 102);  // ahead of the incremental line
    EXPECT_EQ(bench.entry(101, 8), (Words{}));
    EXPECT_EQ(bench.entry(102, 9), (Words{}));
    EXPECT_EQ(bench.entry(103, 10), (Words{"10"}));
    EXPECT_EQ(bench.count("entries_old"), 2u);
    // Once caught up, a number that goes back is no longer an old one.
    EXPECT_EQ(bench.entry(104, 3), (Words{"invalid", "3+stale"}));
}

TEST(Recovery, InvalidatesAllBooksOfTheChannelOnALoss) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.loss(101, 3), (Words{"invalid-all"}));
    EXPECT_EQ(bench.count("books_invalidated"), 1u);
    EXPECT_EQ(bench.entry(104, 12), (Words{"12+stale"}));
    EXPECT_EQ(bench.snapshot(11, 102),
              (Words{"clear+snapshot", "11+snapshot", "12+replayed", "valid+snapshot"}));
}

TEST(Recovery, HealsABookThatMissedNothing) {
    Bench bench;
    bench.synchronise();
    (void)bench.loss(101, 3);
    EXPECT_EQ(bench.entry(104, 11), (Words{"valid", "11"}));
    EXPECT_EQ(bench.count("books_healed"), 1u);
}

TEST(Recovery, HealsAfterSeveralLosses) {
    Bench bench;
    bench.synchronise();
    (void)bench.loss(101, 3), (void)bench.loss(110, 1);
    EXPECT_EQ(bench.entry(111, 11), (Words{"valid", "11"}));
}

TEST(Recovery, DoesNotTrustASnapshotFromBeforeTheLoss) {
    Bench bench;
    bench.synchronise();
    (void)bench.loss(101, 3);
    EXPECT_EQ(bench.snapshot(10, 100), (Words{}));
    (void)bench.entry(105, 12);  // queued before a second loss: proves nothing about it
    (void)bench.loss(106, 1);
    EXPECT_EQ(bench.snapshot(12, 105), (Words{}));
    EXPECT_EQ(bench.count("snapshots_too_old"), 2u);
    EXPECT_NE(bench.snapshot(12, 106), (Words{}));
}

TEST(Recovery, KeepsABookWhoseSnapshotReachesBeyondTheLoss) {
    Bench bench;
    (void)bench.entry(100, 7);
    (void)bench.snapshot(9, 103);
    EXPECT_EQ(bench.loss(102, 2), (Words{"invalid-all", "valid"}));
    EXPECT_EQ(bench.entry(104, 10), (Words{"10"}));
}

TEST(Recovery, InvalidatesOneBookWhenItsNumbersHaveAGap) {
    Bench bench;
    bench.synchronise();
    (void)bench.entry(100, 3, 1), (void)bench.snapshot(3, 100, 1);
    EXPECT_EQ(bench.entry(101, 12), (Words{"invalid", "12+stale"}));
    EXPECT_EQ(bench.count("instrument_gaps"), 1u);
    EXPECT_EQ(bench.entry(101, 4, 1), (Words{"4"}));
}

TEST(Recovery, CountsEntriesOfNoInterestInTheNumbers) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.entry(101, 11, 0, EntryUse::skip), (Words{}));
    EXPECT_EQ(bench.entry(102, 12), (Words{"12"}));
    (void)bench.loss(103, 1);
    (void)bench.entry(104, 14, 0, EntryUse::skip), (void)bench.entry(105, 15);
    EXPECT_EQ(bench.snapshot(13, 103),
              (Words{"clear+snapshot", "13+snapshot", "15+replayed", "valid+snapshot"}));
    EXPECT_EQ(bench.entry(106, 16), (Words{"16"}));
}

TEST(Recovery, InvalidatesABookThatAnEntryCannotBeAppliedTo) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.entry(101, 11, 0, EntryUse::unusable), (Words{"invalid", "11+stale"}));
    EXPECT_EQ(bench.count("entries_unusable"), 1u);
    EXPECT_EQ(bench.snapshot(10, 100), (Words{}));  // the entry would have to be applied again
    EXPECT_EQ(bench.snapshot(11, 101), (Words{"clear+snapshot", "11+snapshot", "valid+snapshot"}));
}

TEST(Recovery, StartsWithEmptyBooksWhereTheFeedIsHeardFromTheBeginning) {
    RecoverySettings from_start = settings();
    from_start.book.start = BookStart::empty;
    Bench bench(from_start);
    EXPECT_EQ(bench.entry(1, 1), (Words{"valid", "1"}));
    EXPECT_EQ(bench.entry(2, 2), (Words{"2"}));
    (void)bench.loss(3, 1);
    EXPECT_EQ(bench.entry(4, 1, 1), (Words{"valid", "1"}));  // its first number
    EXPECT_EQ(bench.entry(4, 2, 2), (Words{"2+stale"}));     // an earlier one may be lost
}

TEST(Recovery, AppliesASnapshotOnlyWithAllItsFragments) {
    Bench bench;
    (void)bench.entry(100, 7);
    SnapshotHeader first{.instrument = 0,
                         .instrument_sequence = 7,
                         .has_last_processed = true,
                         .last_processed = 100,
                         .is_first = true,
                         .is_last = false};
    SnapshotHeader middle = first, last = first;
    middle.is_first = last.is_first = false;
    last.is_last = true;
    EXPECT_EQ(bench.fragment(middle, 1), (Words{}));  // joined midway
    EXPECT_EQ(bench.fragment(last, 1), (Words{}));
    EXPECT_EQ(bench.count("snapshots_incomplete"), 2u);

    EXPECT_EQ(bench.fragment(first, 1), (Words{}));
    bench.recovery.on_snapshot_loss();
    EXPECT_EQ(bench.fragment(last, 1), (Words{}));

    EXPECT_EQ(bench.fragment(first, 1), (Words{}));
    EXPECT_EQ(bench.fragment(middle, 2), (Words{}));
    EXPECT_EQ(bench.fragment(last, 1), (Words{"clear+snapshot", "7+snapshot", "7+snapshot", "7+snapshot",
                                              "7+snapshot", "valid+snapshot"}));
}

TEST(Recovery, AbandonsASnapshotThatAnotherOneInterrupts) {
    Bench bench;
    (void)bench.entry(100, 7), (void)bench.entry(100, 3, 1);
    SnapshotHeader first{.instrument = 0,
                         .instrument_sequence = 7,
                         .has_last_processed = true,
                         .last_processed = 100,
                         .is_first = true,
                         .is_last = false};
    (void)bench.fragment(first, 1);
    EXPECT_EQ(bench.snapshot(3, 100, 1), (Words{"clear+snapshot", "3+snapshot", "valid+snapshot"}));
    EXPECT_EQ(bench.count("snapshots_incomplete"), 1u);
    SnapshotHeader other = first;
    other.instrument_sequence = 8;
    other.is_first = false, other.is_last = true;
    (void)bench.fragment(first, 1);
    EXPECT_EQ(bench.fragment(other, 1), (Words{}));  // of another moment
    EXPECT_EQ(bench.recovery.book_counts().invalid, 1u);
}

TEST(Recovery, RefusesASnapshotLargerThanItsRoom) {
    Bench bench;
    (void)bench.entry(100, 7);
    const SnapshotHeader whole{
        .instrument = 0, .instrument_sequence = 7, .has_last_processed = true, .last_processed = 100};
    EXPECT_EQ(bench.fragment(whole, 5), (Words{}));
    EXPECT_EQ(bench.count("snapshots_too_large"), 1u);
    EXPECT_EQ(bench.fragment(whole, 4).size(), 6u);
}

TEST(Recovery, RestartsWhenTheQueueIsFull) {
    Bench bench;
    for (std::uint32_t i = 0; i < 8; ++i)
        (void)bench.entry(100 + i, 7 + i);
    EXPECT_EQ(bench.count("queue_overflows"), 0u);
    EXPECT_EQ(bench.entry(108, 15), (Words{"15+stale"}));
    EXPECT_EQ(bench.count("queue_overflows"), 1u);
    EXPECT_EQ(bench.snapshot(14, 107), (Words{}));  // 15 is in nobody's memory
    EXPECT_EQ(bench.snapshot(15, 108), (Words{"clear+snapshot", "15+snapshot", "valid+snapshot"}));
}

TEST(Recovery, ClearsBooksOnAnAnnouncedRestart) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.restart(1, true), (Words{"invalid-all", "clear+snapshot"}));
    EXPECT_EQ(bench.entry(1, 1), (Words{"valid", "1"}));
}

TEST(Recovery, NeedsSnapshotsAfterAnUnannouncedRestart) {
    Bench bench;
    bench.synchronise();
    EXPECT_EQ(bench.restart(1, false), (Words{"invalid-all"}));
    EXPECT_EQ(bench.entry(1, 11), (Words{"11+stale"}));
    EXPECT_EQ(bench.snapshot(11, 1), (Words{"clear+snapshot", "11+snapshot", "valid+snapshot"}));
}

TEST(Recovery, AbandonsASnapshotThatARestartOvertakes) {
    Bench bench;
    (void)bench.entry(100, 7);
    SnapshotHeader first{.instrument = 0,
                         .instrument_sequence = 7,
                         .has_last_processed = true,
                         .last_processed = 100,
                         .is_first = true,
                         .is_last = false};
    SnapshotHeader last = first;
    last.is_first = false, last.is_last = true;
    (void)bench.fragment(first, 1);
    (void)bench.restart(1, true);
    EXPECT_EQ(bench.fragment(last, 1), (Words{}));  // its packet number is one of the old numbering
}

/// A bench whose messages say when they were sent.
struct TimedBench : Bench {
    Words entry_at(std::uint64_t sent, std::uint64_t packet, std::uint32_t sequence) {
        recovery.on_packet_number(packet);
        Tick entry = tick(packet, sequence, 0);
        entry.sending_time = sent;
        recovery.on_entry(entry, EntryUse::apply);
        return taken();
    }
    Words snapshot_at(std::uint64_t sent, std::uint32_t sequence, std::uint64_t last_processed) {
        return fragment({.instrument = 0,
                         .instrument_sequence = sequence,
                         .has_last_processed = true,
                         .last_processed = last_processed,
                         .sending_time = sent},
                        1);
    }
};

TEST(Recovery, BelievesNoSnapshotThatWasSentBeforeTheNumbersRestarted) {
    for (const bool is_announced : {false, true}) {
        TimedBench bench;
        bench.synchronise();
        (void)bench.restart(20, is_announced);
        EXPECT_EQ(bench.snapshot_at(1000, 10, 100), (Words{})) << "nothing tells yet when the restart was";
        EXPECT_EQ(bench.entry_at(2000, 20, 3), (Words{"3+stale"}));
        EXPECT_EQ(bench.snapshot_at(1001, 11, 101), (Words{})) << "of the day before, and late";
        EXPECT_EQ(bench.recovery.book_counts().valid, 0u);
        EXPECT_EQ(bench.snapshot_at(2000, 3, 20), (Words{"clear+snapshot", "3+snapshot", "valid+snapshot"}));
        EXPECT_EQ(bench.entry_at(2001, 21, 4), (Words{"4"}));
    }
}

TEST(Recovery, BelievesSnapshotsAgainWhenTheirClockWentBack) {
    TimedBench bench;  // times without a date, and midnight
    bench.synchronise();
    (void)bench.restart(20, false);
    (void)bench.entry_at(235'959, 20, 3);
    EXPECT_EQ(bench.snapshot_at(1, 3, 20), (Words{}));
    (void)bench.entry_at(2, 21, 4);
    EXPECT_EQ(bench.snapshot_at(3, 4, 21), (Words{"clear+snapshot", "4+snapshot", "valid+snapshot"}));
}

TEST(Recovery, AsksForNoTimeOfAFeedThatHasNone) {
    Bench bench;
    bench.synchronise();
    (void)bench.restart(20, false);
    EXPECT_EQ(bench.entry(20, 3), (Words{"3+stale"}));
    EXPECT_EQ(bench.snapshot(3, 20), (Words{"clear+snapshot", "3+snapshot", "valid+snapshot"}));
}

TEST(Recovery, HasNothingToInvalidateWithoutBooks) {
    RecoverySettings trades = settings();
    trades.book.model = BookModel::none;
    Bench bench(trades);
    EXPECT_EQ(bench.entry(100, 7), (Words{"7"}));
    EXPECT_EQ(bench.loss(101, 5), (Words{}));
    EXPECT_EQ(bench.entry(106, 9), (Words{"9"}));
    EXPECT_EQ(bench.count("instrument_gaps"), 1u);
    EXPECT_EQ(bench.entry(107, 10), (Words{"10"}));
    EXPECT_EQ(bench.entry(108, 11, 0, EntryUse::skip), (Words{}));
    EXPECT_EQ(bench.entry(109, 12), (Words{"12"}));
    EXPECT_EQ(bench.snapshot(12, 109), (Words{}));
    EXPECT_EQ(bench.restart(1, true), (Words{}));
    EXPECT_EQ(bench.count("instrument_gaps"), 1u);
}

TEST(Recovery, GoesByPacketNumbersWhereInstrumentsHaveNone) {
    RecoverySettings unnumbered = settings();
    unnumbered.is_contiguous = false;
    Bench bench(unnumbered);
    (void)bench.entry(100, 0), (void)bench.entry(101, 0);
    EXPECT_EQ(bench.snapshot(0, 100),
              (Words{"clear+snapshot", "0+snapshot", "0+replayed", "valid+snapshot"}));
    EXPECT_EQ(bench.entry(102, 0), (Words{"0"}));
    (void)bench.loss(103, 1);
    EXPECT_EQ(bench.entry(104, 0), (Words{"0+stale"}));  // nothing can prove that it missed nothing
    EXPECT_EQ(bench.snapshot(0, 102), (Words{}));
    EXPECT_EQ(bench.snapshot(0, 106), (Words{"clear+snapshot", "0+snapshot", "valid+snapshot"}));
    EXPECT_EQ(bench.entry(105, 0), (Words{}));
    EXPECT_EQ(bench.entry(107, 0), (Words{"0"}));
}

TEST(Recovery, TakesGrowingNumbersWithGapsAsTheyCome) {
    RecoverySettings growing = settings();
    growing.is_contiguous = false;
    Bench bench(growing);
    (void)bench.entry(100, 10), (void)bench.entry(101, 14);
    EXPECT_EQ(bench.snapshot(10, 100),
              (Words{"clear+snapshot", "10+snapshot", "14+replayed", "valid+snapshot"}));
    EXPECT_EQ(bench.entry(102, 19), (Words{"19"}));
}

}  // namespace
}  // namespace tickpath::feed
