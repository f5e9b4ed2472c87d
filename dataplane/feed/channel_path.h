// One channel: its incremental and its snapshot stream, which share the books. Hot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/decode_stage.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/feed/instrument_directory.h"
#include "dataplane/feed/normalizer.h"
#include "dataplane/feed/path_parts.h"
#include "dataplane/feed/recovery.h"
#include "dataplane/feed/sequencer.h"
#include "dataplane/feed/tick_emitter.h"
#include "decoders/fast/sequence_peek.h"
#include "decoders/framing/chunk_assembler.h"
#include "decoders/framing/datagram.h"

namespace tickpath::feed {

/// One stream of a channel: packet numbers in order, then messages. `Channel` is told what they mean.
template <class Channel>
class StreamPath {
public:
    StreamPath(framing::Role role, const ChannelPlan& plan, const PathParts& parts, Channel& channel)
        : role_(role),
          feed_(*plan.feed),
          owner_(std::string(parts.owner) + "." + plan.name +
                 (role == framing::Role::snapshot ? ".snapshot" : "")),
          sequencer_(settings_of(role, plan), parts.page, owner_),
          decode_(feed_, plan.index, parts.decode_counters,
                  parts.plan.by_entry && role == framing::Role::incremental),
          truncated_(parts.page.add(owner_, "preamble_truncated")),
          preambles_bad_(parts.page.add(owner_, "preambles_bad")),
          other_senders_(parts.page.add(owner_, "other_senders")),
          unnumbered_(parts.page.add(owner_, "unnumbered")),
          channel_(channel) {
        const framing::FeedDescription& description = feed_.description();
        if (description.number_source == framing::NumberSource::field)
            peek_.emplace(feed_.templates(), description.number_field, feed_.decoder_options());
        if (description.preamble.form == framing::PreambleForm::chunked) take_chunks(plan, parts.page);
    }

    /// `packet` has everything but body and number.
    void on_payload(std::span<const std::byte> payload, Packet packet) noexcept {
        const framing::Datagram datagram = framing::split(payload, feed_.description().preamble);
        if (datagram.error != Errc::ok) [[unlikely]]
            return note_unframed(datagram.error);
        packet.body = datagram.body;
        packet.body_offset = static_cast<std::uint32_t>(datagram.body.data() - payload.data());
        packet.number = datagram.sequence;
        packet.sending_time_ns = datagram.sending_time_ns;
        if (!assemblers_.empty()) [[unlikely]] {
            if (!join_chunks(datagram, packet)) return;
        }
        if (peek_) {
            const std::optional<std::uint64_t> number = peek_->read(packet.body, packet.tailroom_bytes);
            if (!number) [[unlikely]]
                return unnumbered_.add();
            packet.number = *number;
        }
        newest_ = {packet.rx_time.domain, packet.arrival_ns, packet.rx_cycles};
        sequencer_.on_packet(packet, *this);
    }

    void on_idle(std::uint64_t now_cycles, const core::CycleClock& clock) noexcept {
        if (!sequencer_.holds_packets()) [[likely]]
            return;
        // A capture keeps its own time: only its next packet says how late it is.
        if (newest_.domain == model::TimeDomain::capture_ns || now_cycles < newest_.rx_cycles) return;
        sequencer_.on_time(newest_.arrival_ns + clock.to_ns(now_cycles - newest_.rx_cycles), *this);
    }

    void finish() noexcept {
        for (framing::ChunkAssembler& assembler : assemblers_)
            chunks_.incomplete.add(assembler.finish());
        sequencer_.finish(*this);
    }

    [[nodiscard]] const Sequencer& sequencer() const noexcept { return sequencer_; }
    /// A packet without content that stands for the one that is due, at the time of the newest that came.
    [[nodiscard]] Packet due() const noexcept {
        const bool counts_ticks =
            newest_.domain == model::TimeDomain::cycles || newest_.domain == model::TimeDomain::nic_ticks;
        Packet packet;
        packet.number = sequencer_.expected();
        packet.rx_cycles = newest_.rx_cycles;
        packet.rx_time = counts_ticks ? model::Timestamp{newest_.rx_cycles, model::TimeDomain::cycles}
                                      : model::Timestamp{newest_.arrival_ns, newest_.domain};
        packet.line = framing::Line{.role = role_, .copy = framing::Copy::a, .group = {}}.index();
        return packet;
    }

    // PacketSink
    [[nodiscard]] std::optional<std::uint64_t> on_packet(const Packet& packet) noexcept {
        channel_.begin_packet(role_, packet);
        const std::optional<std::uint64_t> restart_at = decode_.on_packet(packet, *this);
        channel_.end_packet();
        return restart_at;
    }
    void on_hole(std::uint64_t first, std::uint64_t count, const Packet& behind) noexcept {
        decode_.on_loss();
        channel_.on_hole(role_, first, count, behind);
    }
    void on_restart(const Packet& packet) noexcept {
        decode_.on_loss();
        channel_.on_restart(role_, packet);
    }

    // MessageSink
    [[nodiscard]] std::optional<std::uint64_t> on_message(const Packet& packet,
                                                          const CompiledMessage& mapping,
                                                          const fast::Message& message, std::uint8_t index,
                                                          std::uint64_t decoded_cycles) noexcept {
        return channel_.on_message(role_, packet, MessageReader(mapping, message.root()), index,
                                   decoded_cycles);
    }
    void on_undecoded(const Packet& packet) noexcept { channel_.on_undecoded(role_, packet); }
    void on_entry(const Packet& packet, const CompiledMessage& mapping, const fast::Entry& entry,
                  std::uint8_t index, std::uint64_t decoded_cycles) noexcept {
        channel_.on_early_entry(packet, MessageReader(mapping, entry.root), entry, index, decoded_cycles);
    }

private:
    struct Newest {
        model::TimeDomain domain = model::TimeDomain::none;
        std::uint64_t arrival_ns = 0;
        std::uint64_t rx_cycles = 0;
    };

    struct ChunkCounters {
        core::Counter joined, waiting, duplicate, late, refused;
        core::Counter incomplete;  ///< messages, not chunks
    };

    void take_chunks(const ChannelPlan& plan, core::CounterPage& page) {
        const SequencerSettings settings = settings_of(role_, plan);
        for (std::uint32_t copy = 0; copy < settings.line_count; ++copy)
            assemblers_.emplace_back(framing::ChunkLimits{.restart_backward = settings.restart_backward});
        chunks_ = {.joined = page.add(owner_, "chunked_messages"),
                   .waiting = page.add(owner_, "chunks_waiting"),
                   .duplicate = page.add(owner_, "chunks_duplicate"),
                   .late = page.add(owner_, "chunks_late"),
                   .refused = page.add(owner_, "chunks_refused"),
                   .incomplete = page.add(owner_, "chunked_incomplete")};
    }

    /// True when `packet` has a whole message.
    [[nodiscard]] bool join_chunks(const framing::Datagram& datagram, Packet& packet) noexcept {
        if (datagram.trailing_bytes != 0) [[unlikely]] {
            preambles_bad_.add();
            return false;
        }
        const framing::ChunkStep step = assemblers_[packet.copy].add(datagram);
        if (step.given_up != 0) [[unlikely]]
            chunks_.incomplete.add(step.given_up);
        switch (step.outcome) {
            case framing::ChunkOutcome::complete:
                break;
            case framing::ChunkOutcome::waiting:
                chunks_.waiting.add();
                return false;
            case framing::ChunkOutcome::duplicate:
                chunks_.duplicate.add();
                return false;
            case framing::ChunkOutcome::late:
                chunks_.late.add();
                return false;
            case framing::ChunkOutcome::refused:
                chunks_.refused.add();
                return false;
        }
        if (datagram.chunk.count == 1) return true;
        chunks_.joined.add();
        packet.body = step.message;
        packet.body_offset = 0;  // places count from the message's first byte
        packet.tailroom_bytes = 0;
        return true;
    }

    [[gnu::cold, gnu::noinline]] void note_unframed(Errc error) noexcept {
        if (error == Errc::truncated) return truncated_.add();
        if (error == Errc::unknown) return other_senders_.add();
        preambles_bad_.add();
    }

    static SequencerSettings settings_of(framing::Role role, const ChannelPlan& plan) {
        const framing::FeedDescription& description = plan.feed->description();
        SequencerSettings settings;
        settings.window_packets = description.window.packets;
        settings.window_ns = std::uint64_t{description.window.time_us} * 1000;
        settings.line_silence_ns = std::uint64_t{description.window.line_silence_ms} * 1'000'000;
        settings.reorder_packets = description.window.reorder_packets;
        settings.restart_backward = description.restart.backward_packets;
        // Snapshot loops are short and each one starts again: a lost restart message must not cost many of
        // them.
        if (role == framing::Role::snapshot) settings.restart_backward = 1;
        settings.line_count = 1;
        for (const LinePlan& line : plan.lines)
            if (line.line.role == role && line.line.copy == framing::Copy::b) settings.line_count = 2;
        // A lone snapshot line has nobody to fill its holes. Waiting would only let the next loop, whose
        // numbers start again, arrive while the hole is open and hide it.
        if (role == framing::Role::snapshot && settings.line_count == 1) settings.window_packets = 1;
        return settings;
    }

    framing::Role role_;
    const CompiledFeed& feed_;
    std::string owner_;
    Sequencer sequencer_;
    DecodeStage decode_;
    std::optional<fast::SequencePeek> peek_;
    Newest newest_;
    std::vector<framing::ChunkAssembler> assemblers_;  ///< by copy; none where messages come whole
    ChunkCounters chunks_;
    core::Counter truncated_, preambles_bad_, other_senders_, unnumbered_;
    Channel& channel_;
};

template <class Sink>
class ChannelPath {
public:
    ChannelPath(const ChannelPlan& plan, const PathParts& parts, Sink& sink)
        : feed_(plan.feed),
          index_(plan.index),
          by_entry_(parts.plan.by_entry),
          owner_(std::string(parts.owner) + "." + plan.name),
          holes_(parts.holes),
          emitter_(sink, parts.ticks),
          normalizer_(plan.book.model, feed_->description().scale, parts.directory, parts.page, owner_),
          recovery_(settings_of(plan, parts), parts.page, owner_, emitter_),
          entries_other_(parts.page.add(owner_, "entries_other")),
          entries_unknown_(parts.page.add(owner_, "entries_without_instrument")),
          number_mismatches_(parts.page.add(owner_, "number_mismatch")),
          messages_misplaced_(parts.page.add(owner_, "messages_misplaced")),
          early_ticks_(parts.page.add(owner_, "early_ticks")),
          early_ticks_failed_(parts.page.add(owner_, "early_ticks_failed")) {
        for (const LinePlan& line : plan.lines) {
            std::optional<Stream>& stream = streams_[static_cast<std::size_t>(line.line.role)];
            if (!stream) stream.emplace(line.line.role, plan, parts, *this);
        }
    }

    ChannelPath(const ChannelPath&) = delete;
    ChannelPath& operator=(const ChannelPath&) = delete;

    using Stream = StreamPath<ChannelPath>;
    /// Of a role that the channel has a line of.
    [[nodiscard]] Stream& stream(framing::Role role) noexcept {
        return *streams_[static_cast<std::size_t>(role)];
    }
    [[nodiscard]] std::uint16_t index() const noexcept { return index_; }
    [[nodiscard]] BookCounts book_counts() const noexcept { return recovery_.book_counts(); }
    [[nodiscard]] LineReport line_report(const framing::Line& line) const {
        const Sequencer& sequencer = streams_[static_cast<std::size_t>(line.role)]->sequencer();
        const LineState& state = sequencer.line(static_cast<std::size_t>(line.copy));
        return {.channel = index_,
                .line = line.index(),
                .packets = state.packets.value(),
                .wins = state.wins.value(),
                .twins = state.twins.value(),
                .late = state.late.value(),
                .losses = state.losses.value(),
                .last_number = state.end == 0 ? 0 : state.end - 1,
                .is_silent = state.is_silent,
                .lead_ns = state.lead_ns};
    }

    void on_idle(std::uint64_t now_cycles, const core::CycleClock& clock) noexcept {
        for (std::optional<Stream>& stream : streams_)
            if (stream) stream->on_idle(now_cycles, clock);
    }
    void finish() noexcept {
        for (std::optional<Stream>& stream : streams_)
            if (stream) stream->finish();
    }

    /// Every port that the incremental stream comes in at has lost its link. What was held back behind a hole
    /// is delivered first: nobody will fill it any more.
    void on_disconnect() noexcept {
        Stream& incremental = stream(framing::Role::incremental);
        incremental.finish();
        const Packet due = incremental.due();
        recovery_.on_disconnect(due.number, place_of(due));
    }

    // From the streams.

    void begin_packet(framing::Role role, const Packet& packet) noexcept {
        if (role == framing::Role::incremental) recovery_.on_packet_number(packet.number);
    }
    void end_packet() noexcept { emitter_.end_packet(); }

    [[nodiscard]] std::optional<std::uint64_t> on_message(framing::Role role, const Packet& packet,
                                                          MessageReader message, std::uint8_t index,
                                                          std::uint64_t decoded_cycles) noexcept {
        const CompiledMessage& mapping = message.mapping();
        if (mapping.number.exists() && message.integer(mapping.number) != packet.number) [[unlikely]]
            number_mismatches_.add();
        model::Tick tick = place_of(packet);
        tick.decoded_cycles = decoded_cycles;
        tick.sending_time = sending_time_of(packet, message);
        tick.message_index = index;
        if (mapping.kind == framing::MessageKind::incremental && role == framing::Role::incremental)
            [[likely]] {
            if (by_entry_ && mapping.has_early_entries)
                end_early_entries();
            else
                on_entries(message, tick);
        } else if (mapping.kind == framing::MessageKind::restart) {
            return on_restart_message(role, message, tick);
        } else if (mapping.kind == framing::MessageKind::snapshot && role == framing::Role::snapshot) {
            on_snapshot(message, tick);
        } else {
            messages_misplaced_.add();
        }
        emitter_.end_event();
        return std::nullopt;
    }

    /// One entry of the message `index`, which may still fail. The last one waits for the end of the message,
    /// so that its tick can say that it is the last.
    void on_early_entry(const Packet& packet, MessageReader message, const fast::Entry& entry,
                        std::uint8_t index, std::uint64_t decoded_cycles) noexcept {
        if (!is_early_open_) {
            is_early_open_ = true;
            emitter_.begin_message();
            early_tick_ = place_of(packet);
            early_tick_.sending_time = sending_time_of(packet, message);
            early_tick_.message_index = index;
            early_instrument_count_ = 0;
        }
        early_tick_.decoded_cycles = decoded_cycles;
        on_entry(message, entry.row, early_tick_);
        note_early(early_tick_.instrument);
        if (!entry.is_last) emitter_.hand_on_early();
    }

    void on_hole(framing::Role role, std::uint64_t first, std::uint64_t count,
                 const Packet& behind) noexcept {
        const bool is_snapshot = role == framing::Role::snapshot;
        holes_.add({index_, is_snapshot, first, count, behind.rx_time});
        if (is_snapshot) {
            recovery_.on_snapshot_loss();
        } else {
            recovery_.on_loss(first, count, place_of(behind));
        }
        emitter_.end_packet();
    }

    void on_restart(framing::Role role, const Packet& packet) noexcept {
        if (role == framing::Role::snapshot) {
            recovery_.on_snapshot_loss();
        } else {
            recovery_.on_restart(packet.number, false, place_of(packet));
        }
        emitter_.end_packet();
    }

    void on_undecoded(framing::Role role, const Packet& packet) noexcept {
        if (role == framing::Role::snapshot) return recovery_.on_snapshot_loss();
        if (is_early_open_) [[unlikely]]
            fail_early_entries();
        recovery_.on_loss(packet.number, 1, place_of(packet));
    }

private:
    static RecoverySettings settings_of(const ChannelPlan& plan, const PathParts& parts) {
        RecoverySettings settings;
        settings.book = plan.book;
        settings.is_contiguous = plan.feed->description().instrument_sequence_contiguous;
        for (const LinePlan& line : plan.lines)
            settings.has_snapshots |= line.line.role == framing::Role::snapshot;
        settings.forward_unused = parts.plan.forward_unused;
        settings.instrument_count = parts.plan.instruments.all.size();
        settings.queued_ticks_max = parts.plan.limits.queued_ticks_max;
        settings.snapshot_ticks_max = parts.plan.limits.snapshot_ticks_max;
        return settings;
    }

    /// The message's own, else that of its datagram.
    [[nodiscard]] static std::uint64_t sending_time_of(const Packet& packet,
                                                       const MessageReader& message) noexcept {
        const FieldAt& field = message.mapping().sending_time;
        return field.exists() ? message.integer(field) : packet.sending_time_ns;
    }

    [[nodiscard]] model::Tick place_of(const Packet& packet) const noexcept {
        model::Tick tick;
        tick.rx_cycles = packet.rx_cycles;
        tick.rx_time = packet.rx_time.value;
        tick.rx_domain = packet.rx_time.domain;
        tick.frame_number = packet.frame_number;
        tick.packet_sequence = static_cast<std::uint32_t>(packet.number);
        tick.channel = index_;
        tick.line = packet.line;
        return tick;
    }

    void on_entries(MessageReader& message, model::Tick& tick) noexcept {
        tick.entry_index = 0;
        for (const fast::Row entry : message.entries())
            on_entry(message, entry, tick);
    }

    void on_entry(MessageReader& message, const fast::Row& entry, model::Tick& tick) noexcept {
        message.enter(entry);
        const model::InstrumentId id = normalizer_.instrument_of(message);
        if (id != model::no_instrument) [[likely]] {
            const EntryUse use = normalizer_.fill(message, id, tick);
            if (use == EntryUse::skip) entries_other_.add();
            recovery_.on_entry(tick, use);
        } else {
            entries_unknown_.add();
        }
        ++tick.entry_index;
    }

    void end_early_entries() noexcept {
        if (!is_early_open_) return;  // a message without entries
        is_early_open_ = false;
        early_ticks_.add(emitter_.early_count());
    }

    void note_early(model::InstrumentId id) noexcept {
        if (id == model::no_instrument) return;
        if (early_instrument_count_ != 0 && early_instrument_count_ <= early_instruments_.size() &&
            early_instruments_[early_instrument_count_ - 1] == id)
            return;
        if (early_instrument_count_ < early_instruments_.size())
            early_instruments_[early_instrument_count_] = id;
        ++early_instrument_count_;
    }

    /// Ticks have left, books hold them, and the trade side may have acted on them. The numbers of the
    /// message's instruments have moved on, so that they could not tell any more that something is missing:
    /// only a snapshot makes these books good again.
    [[gnu::cold, gnu::noinline]] void fail_early_entries() noexcept {
        end_early_entries();
        early_ticks_failed_.add(emitter_.early_count());
        emitter_.abandon_message();
        if (early_instrument_count_ > early_instruments_.size()) return recovery_.distrust_all();
        for (std::size_t i = 0; i < early_instrument_count_; ++i)
            recovery_.distrust(early_instruments_[i]);
    }

    void on_snapshot(MessageReader& message, model::Tick& tick) noexcept {
        const CompiledMessage& mapping = message.mapping();
        SnapshotHeader header;
        header.instrument = normalizer_.instrument_of(message);
        if (header.instrument == model::no_instrument) return entries_unknown_.add(message.entries().size());
        header.instrument_sequence = static_cast<std::uint32_t>(message.integer(mapping.instrument_sequence));
        header.has_last_processed = message.has(mapping.last_number_processed);
        header.last_processed = message.integer(mapping.last_number_processed);
        header.sending_time = tick.sending_time;
        if (mapping.fragment_first.exists()) {
            header.is_first = message.integer(mapping.fragment_first) == 1;
            header.is_last = message.integer(mapping.fragment_last) == 1;
        }
        if (recovery_.begin_snapshot(header)) {
            tick.entry_index = 0;
            for (const fast::Row entry : message.entries()) {
                message.enter(entry);
                const EntryUse use = normalizer_.fill(message, header.instrument, tick);
                if (use == EntryUse::skip) entries_other_.add();
                recovery_.on_snapshot_entry(tick, use);
                ++tick.entry_index;
            }
        }
        recovery_.end_snapshot(header.is_last, tick);
    }

    [[nodiscard]] std::uint64_t on_restart_message(framing::Role role, const MessageReader& message,
                                                   const model::Tick& at) noexcept {
        const CompiledMessage& mapping = message.mapping();
        const bool says_next = message.has(mapping.next_number);
        const std::uint64_t next_number = says_next ? message.integer(mapping.next_number) : 1;
        if (role == framing::Role::snapshot) {
            recovery_.on_snapshot_loss();
        } else {
            recovery_.on_restart(next_number, true, at);
        }
        return next_number;
    }

    std::shared_ptr<const CompiledFeed> feed_;
    std::uint16_t index_;
    bool by_entry_;
    std::string owner_;
    HoleLog& holes_;
    TickEmitter<Sink> emitter_;
    Normalizer normalizer_;
    Recovery<TickEmitter<Sink>> recovery_;
    core::Counter entries_other_, entries_unknown_, number_mismatches_, messages_misplaced_;
    core::Counter early_ticks_;         ///< left before the rest of their message was decoded
    core::Counter early_ticks_failed_;  ///< of them those whose message then failed
    bool is_early_open_ = false;        ///< entries of a message have come, its end not yet
    model::Tick early_tick_;
    std::array<model::InstrumentId, 64> early_instruments_{};  ///< of the open message
    std::size_t early_instrument_count_ = 0;  ///< more than there is room for: all instruments are meant
    std::array<std::optional<Stream>, 2> streams_;  ///< by framing::Role
};

}  // namespace tickpath::feed
