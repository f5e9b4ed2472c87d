// Knows which books of a channel can be trusted, and makes them trustworthy again from snapshots. Hot: once
// per entry; the valid book's way is three comparisons, the rest is cold.
//
// Only this file writes the flags stale, unused, replayed and snapshot, and the status ticks. The rules are
// those of spec/fast-feeds.md §5: a snapshot is applied only to a book that is not valid, only complete, and
// only when it or the queue proves that nothing between it and the live stream is missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/feed/tick_queue.h"
#include "dataplane/model/tick.h"
#include "decoders/framing/description.h"

namespace tickpath::feed {

/// entry_index of ticks that stand for no entry of a message.
inline constexpr std::uint16_t no_entry = 0xFFFF;

struct RecoverySettings {
    framing::BookSettings book;
    bool is_contiguous = false;  ///< per-instrument numbers grow by one per entry
    bool has_snapshots = false;  ///< without a snapshot line nothing is queued
    bool forward_unused = false;
    std::size_t instrument_count = 0;
    std::size_t queued_ticks_max = 0;
    std::size_t snapshot_ticks_max = 0;
};

/// What a snapshot message says about itself.
struct SnapshotHeader {
    model::InstrumentId instrument = model::no_instrument;
    std::uint32_t instrument_sequence = 0;  ///< 0: not told
    bool has_last_processed = false;
    std::uint64_t last_processed = 0;  ///< incremental packet number whose changes it includes
    bool is_first = true;              ///< fragment
    bool is_last = true;
    std::uint64_t sending_time = 0;  ///< of this message; 0: not told
};

struct RecoveryCounters {
    core::Counter books_invalidated, instrument_gaps, healed, entries_old, entries_unusable, stale_ticks,
        queue_overflows, snapshots_applied, snapshots_unused, snapshots_too_old, snapshots_incomplete,
        snapshots_broken, snapshots_too_large;

    RecoveryCounters(core::CounterPage& page, std::string_view owner);
};

/// `Next` takes ticks in order: put(tick), end_packet().
template <class Next>
class Recovery {
public:
    Recovery(const RecoverySettings& settings, core::CounterPage& page, std::string_view owner, Next& next)
        : settings_(settings),
          has_books_(settings.book.model != framing::BookModel::none),
          states_(settings.instrument_count),
          queue_(has_books_ && settings.has_snapshots ? settings.queued_ticks_max : 0),
          counters_(page, owner),
          next_(next) {
        staged_.reserve(has_books_ && settings.has_snapshots ? settings.snapshot_ticks_max : 0);
    }

    // Incremental stream.

    void on_packet_number(std::uint64_t number) noexcept {
        if (joined_) [[likely]]
            return;
        joined_ = true;
        unbroken_from_ = number;
    }

    void on_entry(model::Tick& tick, EntryUse use) noexcept {
        InstrumentState& state = states_[tick.instrument];
        if (state.status == Status::valid && follows(state, tick)) [[likely]] {
            state.sequence = tick.instrument_sequence;
            state.is_catching_up = false;
            if (use == EntryUse::apply) [[likely]]
                return next_.put(tick);
        }
        on_unusual(state, tick, use);
    }

    /// What this instrument's numbers say is not to be relied on: only a snapshot makes its book good again.
    /// The caller goes on with on_loss, which tells the trade side.
    void distrust(model::InstrumentId id) noexcept {
        InstrumentState& state = states_[id];
        if (!has_books_ || !is_live(state)) return;
        if (state.status == Status::valid) counters_.books_invalidated.add();
        state.status = Status::recovering;
    }
    void distrust_all() noexcept {
        for (model::InstrumentId id = 0; id < states_.size(); ++id)
            distrust(id);
    }

    /// Packets `first` to `first + count - 1` are lost, or were not understood: every book of the channel may
    /// be wrong. `at` carries the place: times, line, channel.
    void on_loss(std::uint64_t first, std::uint64_t count, const model::Tick& at) noexcept {
        unbroken_from_ = first + count;
        has_lost_ = true;
        if (!has_books_) return;
        put_status(at, model::no_instrument, model::TickAction::set_invalid);
        for (model::InstrumentId id = 0; id < states_.size(); ++id) {
            InstrumentState& state = states_[id];
            if (state.status != Status::valid) continue;
            if (state.processed >= first + count - 1) {  // its snapshot reached beyond the hole
                put_status(at, id, model::TickAction::set_valid);
                continue;
            }
            state.status = Status::suspect;
            counters_.books_invalidated.add();
        }
        next_.end_packet();
    }

    /// Nothing comes any more on any line of the stream: what the market does from number `next` on is not
    /// known. Only a snapshot makes a book good again, and none is believed before the stream goes on, for
    /// until then nobody knows from where.
    void on_disconnect(std::uint64_t next, const model::Tick& at) noexcept {
        distrust_all();
        joined_ = false;
        on_loss(next, 0, at);
    }

    /// Packet numbers start again at `number`. Announced (FIX 35=4) it also means: all books are empty, and
    /// per-instrument numbers start again; unannounced nothing is known until a snapshot.
    void on_restart(std::uint64_t number, bool is_announced, const model::Tick& at) noexcept {
        on_snapshot_loss();  // it is of the old numbers
        awaits_first_time_ = true;
        sent_from_ = 0;
        unbroken_from_ = number;
        has_lost_ = true;
        queue_.clear_all();
        if (has_books_) put_status(at, model::no_instrument, model::TickAction::set_invalid);
        for (model::InstrumentId id = 0; id < states_.size(); ++id) {
            InstrumentState& state = states_[id];
            if (state.status == Status::unseen) continue;
            if (state.status == Status::valid && has_books_) counters_.books_invalidated.add();
            state = {};
            state.status = is_announced ? Status::suspect : Status::recovering;
            if (has_books_ && is_announced) put_clear(at, id);
        }
        if (has_books_) next_.end_packet();
    }

    // Snapshot stream: begin, entries, end for each message.

    /// Returns whether anybody wants its entries.
    [[nodiscard]] bool begin_snapshot(const SnapshotHeader& header) noexcept {
        if (!has_books_) {
            is_staging_ = false;
        } else if (header.is_first) {
            on_snapshot_loss();  // of one that never got its last fragment
            is_staging_ = states_[header.instrument].status != Status::valid;
            is_open_ = true;
            open_ = header;
            staging_failed_ = false;
            staged_.clear();
        } else if (!is_open_ || open_.instrument != header.instrument ||
                   open_.instrument_sequence != header.instrument_sequence) {
            if (!is_open_) counters_.snapshots_incomplete.add();
            on_snapshot_loss();
        }
        return is_staging_ || settings_.forward_unused;
    }

    void on_snapshot_entry(model::Tick& tick, EntryUse use) noexcept {
        if (use == EntryUse::skip) return;
        tick.flags |= model::tick_flag::snapshot;
        if (!is_staging_) return put_unused(tick);
        if (use == EntryUse::unusable) {
            counters_.entries_unusable.add();
            staging_failed_ = true;
        }
        if (staged_.size() == staged_.capacity()) {
            if (!staging_failed_) counters_.snapshots_too_large.add();
            staging_failed_ = true;
            return put_unused(tick);
        }
        staged_.push_back(tick);
    }

    void end_snapshot(bool is_last, const model::Tick& at) noexcept {
        if (!has_books_) {
            counters_.snapshots_unused.add();
            return;
        }
        if (!is_last || !is_open_) return;
        is_open_ = false;
        if (!is_staging_) {
            counters_.snapshots_unused.add();
            return;
        }
        is_staging_ = false;
        if (!can_apply()) return discard_staged();
        apply(at);
    }

    /// A snapshot packet is lost: what it belonged to is not complete.
    void on_snapshot_loss() noexcept {
        if (is_open_) counters_.snapshots_incomplete.add();
        if (is_staging_) discard_staged();
        is_open_ = is_staging_ = false;
    }

    [[nodiscard]] BookCounts book_counts() const noexcept {
        BookCounts counts;
        for (const InstrumentState& state : states_) {
            if (state.status == Status::unseen) continue;
            ++(state.status == Status::valid ? counts.valid : counts.invalid);
        }
        return counts;
    }

private:
    enum class Status : std::uint8_t {
        unseen,
        valid,
        suspect,         ///< after a hole; its next number tells whether it missed anything
        recovering,      ///< it missed something: needs a snapshot
        unsynchronised,  ///< never was valid: needs a snapshot
    };

    struct InstrumentState {
        std::uint64_t processed = 0;  ///< last_processed of the snapshot it was made from
        std::uint32_t sequence = 0;   ///< last instrument_sequence in the book
        Status status = Status::unseen;
        bool is_catching_up = false;  ///< the snapshot was ahead: entries it holds may still come
        TickQueue::List queued;
    };

    /// Whether the entry is the next one after what the book holds, as far as the feed lets us know.
    [[nodiscard]] bool follows(const InstrumentState& state, const model::Tick& tick) const noexcept {
        if (settings_.is_contiguous && tick.instrument_sequence != 0) [[likely]]
            return tick.instrument_sequence == state.sequence + 1;
        return !is_included(state, tick);
    }

    /// The snapshot that the book was made from holds this entry already.
    [[nodiscard]] static bool is_included(const InstrumentState& state, const model::Tick& tick) noexcept {
        if (tick.instrument_sequence != 0)
            return state.is_catching_up && tick.instrument_sequence <= state.sequence;
        return tick.packet_sequence <= state.processed;
    }

    [[gnu::cold, gnu::noinline]] void on_unusual(InstrumentState& state, model::Tick& tick,
                                                 EntryUse use) noexcept {
        if (!has_books_) return pass(state, tick, use);
        note_time(tick);
        if (state.status == Status::unseen) meet(state, tick);
        if (is_included(state, tick) && is_live(state)) {
            counters_.entries_old.add();
            if (use != EntryUse::skip) put_unused(tick);
            return;
        }
        state.is_catching_up = false;
        if (state.status == Status::suspect) judge(state, tick);
        if (state.status != Status::valid) return keep(state, tick, use);
        // Valid: either just now, or the entry does not follow, or it cannot be applied.
        if (settings_.is_contiguous && tick.instrument_sequence > 0 &&
            tick.instrument_sequence - state.sequence > 1) {
            counters_.instrument_gaps.add();
            return invalidate(state, tick, use);
        }
        state.sequence = tick.instrument_sequence;
        if (use == EntryUse::unusable) return invalidate(state, tick, use);
        if (use == EntryUse::apply) next_.put(tick);
    }

    /// The first entry after a restart tells from when on snapshots are of the new numbers. A time before it
    /// is of a clock without a date that has passed midnight: it can tell no more.
    void note_time(const model::Tick& tick) noexcept {
        if (awaits_first_time_)
            sent_from_ = tick.sending_time;
        else if (tick.sending_time < sent_from_)
            sent_from_ = 0;
        awaits_first_time_ = false;
    }

    /// A late snapshot of the numbers before the restart: they say nothing of the present ones.
    [[nodiscard]] bool is_of_old_numbers(const SnapshotHeader& header) const noexcept {
        return awaits_first_time_ || (header.sending_time != 0 && header.sending_time < sent_from_);
    }

    [[nodiscard]] static bool is_live(const InstrumentState& state) noexcept {
        return state.status == Status::valid || state.status == Status::suspect;
    }

    /// A channel without books: the numbers still tell what was missed.
    void pass(InstrumentState& state, model::Tick& tick, EntryUse use) noexcept {
        const bool is_known = state.status == Status::valid;
        if (is_known && settings_.is_contiguous && tick.instrument_sequence != 0 &&
            tick.instrument_sequence != state.sequence + 1 && tick.instrument_sequence != state.sequence)
            counters_.instrument_gaps.add();
        state.status = Status::valid;
        state.sequence = tick.instrument_sequence;
        if (use == EntryUse::unusable) counters_.entries_unusable.add();
        if (use != EntryUse::skip) next_.put(tick);
    }

    /// The first entry of an instrument. An empty book is a true one if nothing can have come before.
    void meet(InstrumentState& state, const model::Tick& tick) noexcept {
        const bool starts_empty = settings_.book.start == framing::BookStart::empty &&
                                  (!has_lost_ || tick.instrument_sequence == 1);
        state.status = starts_empty ? Status::valid : Status::unsynchronised;
        if (!starts_empty) return;
        state.sequence = tick.instrument_sequence - 1;
        put_status(tick, tick.instrument, model::TickAction::set_valid);
    }

    /// The first entry after a hole: with the next number it proves that the instrument missed nothing.
    void judge(InstrumentState& state, const model::Tick& tick) noexcept {
        const bool missed_nothing = settings_.is_contiguous && tick.instrument_sequence != 0 &&
                                    tick.instrument_sequence == state.sequence + 1;
        state.status = missed_nothing ? Status::valid : Status::recovering;
        if (!missed_nothing) return;
        counters_.healed.add();
        put_status(tick, tick.instrument, model::TickAction::set_valid);
    }

    void invalidate(InstrumentState& state, model::Tick& tick, EntryUse use) noexcept {
        state.status = Status::recovering;
        counters_.books_invalidated.add();
        put_status(tick, tick.instrument, model::TickAction::set_invalid);
        keep(state, tick, use);
    }

    /// An entry of a book that is not valid: told as stale, and queued for the snapshot that will come.
    void keep(InstrumentState& state, model::Tick& tick, EntryUse use) noexcept {
        if (use == EntryUse::unusable) counters_.entries_unusable.add();
        if (settings_.has_snapshots && !queue_.push(state.queued, tick, use)) restart_recovery(tick);
        if (use == EntryUse::skip) return;
        tick.flags |= model::tick_flag::stale;
        counters_.stale_ticks.add();
        next_.put(tick);
    }

    /// The queue is full: what it held is given up, and only snapshots newer than this packet will do.
    void restart_recovery(const model::Tick& tick) noexcept {
        counters_.queue_overflows.add();
        queue_.clear_all();
        for (InstrumentState& state : states_)
            state.queued = {};
        unbroken_from_ = std::uint64_t{tick.packet_sequence} + 1;
    }

    [[nodiscard]] bool can_apply() noexcept {
        if (staging_failed_) return false;
        InstrumentState& state = states_[open_.instrument];
        if (state.status == Status::valid) return false;  // healed while the fragments came in
        if (is_of_old_numbers(open_)) {
            counters_.snapshots_too_old.add();
            return false;
        }
        const bool is_past_loss =
            open_.has_last_processed && joined_ && open_.last_processed + 1 >= unbroken_from_;
        const bool can_join_queue = joined_ && has_queued_since_loss(state);
        drop_included(state);
        const bool is_whole = is_queue_whole(state);
        if (is_whole && (is_past_loss || can_join_queue)) return true;
        (is_past_loss ? counters_.snapshots_broken : counters_.snapshots_too_old).add();
        return false;
    }

    /// An entry that came after the last loss ties the instrument's numbers to the live stream: a snapshot
    /// that holds it, or from which the queue leads to it without a gap, missed nothing whatever packet it is
    /// of.
    [[nodiscard]] bool has_queued_since_loss(const InstrumentState& state) const noexcept {
        if (!settings_.is_contiguous || state.queued.head == TickQueue::none) return false;
        const model::Tick& newest = queue_.node(state.queued.tail).tick;
        return newest.instrument_sequence != 0 && newest.packet_sequence >= unbroken_from_;
    }

    /// Forgets queued entries that the staged snapshot holds.
    void drop_included(InstrumentState& state) noexcept {
        while (state.queued.head != TickQueue::none) {
            const model::Tick& tick = queue_.node(state.queued.head).tick;
            const bool is_in = tick.instrument_sequence != 0
                                   ? tick.instrument_sequence <= open_.instrument_sequence
                                   : tick.packet_sequence <= open_.last_processed;
            if (!is_in) return;
            queue_.pop_front(state.queued);
        }
    }

    /// Whether the queued entries follow the snapshot one by one and all can be applied.
    [[nodiscard]] bool is_queue_whole(const InstrumentState& state) const noexcept {
        std::uint32_t sequence = open_.instrument_sequence;
        for (std::uint32_t at = state.queued.head; at != TickQueue::none; at = queue_.node(at).next) {
            const TickQueue::Node& node = queue_.node(at);
            if (node.use == EntryUse::unusable) return false;
            if (settings_.is_contiguous && node.tick.instrument_sequence != 0 &&
                node.tick.instrument_sequence != ++sequence)
                return false;
        }
        return true;
    }

    /// Clear, snapshot, what came since, valid: one event.
    void apply(const model::Tick& at) noexcept {
        InstrumentState& state = states_[open_.instrument];
        put_clear(at, open_.instrument);
        for (const model::Tick& tick : staged_)
            next_.put(tick);
        staged_.clear();
        state.sequence = open_.instrument_sequence;
        state.processed = open_.has_last_processed ? open_.last_processed : 0;
        state.is_catching_up = state.queued.head == TickQueue::none;
        for (std::uint32_t node = state.queued.head; node != TickQueue::none; node = queue_.node(node).next)
            replay(state, queue_.node(node));
        queue_.clear(state.queued);
        state.status = Status::valid;
        counters_.snapshots_applied.add();
        put_status(at, open_.instrument, model::TickAction::set_valid, model::tick_flag::snapshot);
    }

    void replay(InstrumentState& state, const TickQueue::Node& node) noexcept {
        if (node.tick.instrument_sequence != 0) state.sequence = node.tick.instrument_sequence;
        if (node.use != EntryUse::apply) return;
        model::Tick tick = node.tick;
        tick.flags |= model::tick_flag::replayed;
        next_.put(tick);
    }

    void discard_staged() noexcept {
        for (model::Tick& tick : staged_)
            put_unused(tick);
        staged_.clear();
    }

    void put_unused(model::Tick& tick) noexcept {
        if (!settings_.forward_unused) return;
        tick.flags |= model::tick_flag::unused;
        next_.put(tick);
    }

    void put_clear(const model::Tick& at, model::InstrumentId instrument) noexcept {
        model::Tick clear = place_of(at, instrument);
        clear.kind = model::TickKind::clear;
        clear.flags = model::tick_flag::snapshot;
        next_.put(clear);
    }

    void put_status(const model::Tick& at, model::InstrumentId instrument, model::TickAction action,
                    std::uint16_t flags = 0) noexcept {
        model::Tick status = place_of(at, instrument);
        status.kind = model::TickKind::status;
        status.action = action;
        status.flags = flags;
        next_.put(status);
    }

    /// A tick with the place and times of `at` and nothing of its entry.
    [[nodiscard]] static model::Tick place_of(const model::Tick& at,
                                              model::InstrumentId instrument) noexcept {
        model::Tick tick;
        tick.rx_cycles = at.rx_cycles;
        tick.decoded_cycles = at.decoded_cycles;
        tick.rx_time = at.rx_time;
        tick.rx_domain = at.rx_domain;
        tick.sending_time = at.sending_time;
        tick.frame_number = at.frame_number;
        tick.packet_sequence = at.packet_sequence;
        tick.channel = at.channel;
        tick.line = at.line;
        tick.message_index = at.message_index;
        tick.instrument = instrument;
        tick.entry_index = no_entry;
        return tick;
    }

    RecoverySettings settings_;
    bool has_books_;
    bool joined_ = false;             ///< an incremental packet has come, since the last disconnect
    bool awaits_first_time_ = false;  ///< numbers restarted and no entry has come since
    std::uint64_t sent_from_ = 0;     ///< sending time of the first entry since; 0: any snapshot will do
    bool has_lost_ = false;           ///< so that an instrument met only now may have had entries before
    std::uint64_t unbroken_from_ =
        0;  ///< from this packet number on every entry is in the books or in the queue
    std::vector<InstrumentState> states_;
    TickQueue queue_;

    // The snapshot that is coming in.
    bool is_open_ = false;     ///< its first fragment came and its last not yet
    bool is_staging_ = false;  ///< its book needs it
    bool staging_failed_ = false;
    SnapshotHeader open_;
    std::vector<model::Tick> staged_;

    RecoveryCounters counters_;
    Next& next_;
};

}  // namespace tickpath::feed
