// One NSE channel: one or two sources of one market's broadcast. Datagram, block, message, record, tick. Hot.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/compiled_nse.h"
#include "dataplane/feed/decompress_stage.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/feed/instrument_directory.h"
#include "dataplane/feed/nse_clock.h"
#include "dataplane/feed/nse_counters.h"
#include "dataplane/feed/nse_normalizer.h"
#include "dataplane/feed/nse_numbers.h"
#include "dataplane/feed/packet.h"
#include "dataplane/feed/path_parts.h"
#include "dataplane/feed/tick_emitter.h"
#include "dataplane/feed/token_table.h"
#include "decoders/framing/nse.h"

namespace tickpath::feed {

/// Owned by one thread. Takes the datagrams of a channel's lines as they come and hands ticks to `Sink`.
template <class Sink>
class NseChannelPath {
public:
    NseChannelPath(const ChannelPlan& plan, const PathParts& parts, Sink& sink)
        : feed_(plan.nse),
          index_(plan.index),
          owner_(std::string(parts.owner) + "." + plan.name),
          has_two_sources_(plan.lines.size() > 1),
          learns_(feed_->description().nse.interest == framing::Interest::all),
          steps_(has_two_sources_ || !learns_),
          silence_ns_(std::uint64_t{feed_->description().window.line_silence_ms} * 1'000'000),
          clock_(silence_ns_),
          directory_(parts.directory),
          tokens_(parts.plan.instruments, feed_->description().nse.segment),
          counters_(parts.page, owner_, *feed_),
          messages_(parts.decode_counters.messages),
          decompress_(parts.page, owner_),
          emitter_(sink, parts.ticks),
          normalizer_(feed_->description(), parts.plan.instruments.all, parts.page, owner_, emitter_) {
        for (std::size_t copy = 0; copy < lines_.size(); ++copy) {
            lines_[copy].packets = parts.page.add(owner_ + (copy == 0 ? ".A" : ".B"), "packets");
            lines_[copy].twins = parts.page.add(owner_ + (copy == 0 ? ".A" : ".B"), "twins");
        }
        unknown_.reserve(unknown_max);
    }

    NseChannelPath(const NseChannelPath&) = delete;
    NseChannelPath& operator=(const NseChannelPath&) = delete;

    /// `packet` has everything but body and number: datagrams are counted here.
    void on_payload(std::span<const std::byte> payload, const Packet& packet) noexcept {
        note_time_passed(packet);
        ++datagram_number_;
        counters_.datagrams.add();
        lines_[packet.copy].packets.add();
        framing::nse::Datagram datagram(payload);
        framing::nse::PackedMessage packed;
        std::uint8_t index = 0;
        while (datagram.next(packed)) {
            if (!on_message(packed, packet, index, datagram.segment())) [[unlikely]] {
                counters_.datagrams_cut.add();
                break;
            }
            if (index != 0xFF) ++index;
        }
        if (datagram.error() != Errc::ok) [[unlikely]]
            on_bad_datagram();
        emitter_.end_packet();
    }

    void on_idle(std::uint64_t now_cycles, const core::CycleClock& clock) noexcept {
        // A capture keeps its own time: only its next packet says how late it is.
        if (newest_.arrival_ns == 0 || is_silent_ ||
            newest_.rx_time.domain == model::TimeDomain::capture_ns || now_cycles < newest_.rx_cycles)
            [[likely]]
            return;
        if (clock.to_ns(now_cycles - newest_.rx_cycles) > silence_ns_) fall_silent();
    }

    /// Every port that the channel's sources come in at has lost its link.
    void on_disconnect() noexcept { invalidate_all(); }

    [[nodiscard]] std::uint16_t index() const noexcept { return index_; }

    // Off the path.

    [[nodiscard]] LineReport line_report(const framing::Line& line) const {
        const SourceCounters& source = lines_[static_cast<std::size_t>(line.copy)];
        LineReport report;
        report.channel = index_;
        report.line = line.index();
        report.packets = source.packets.value();
        report.twins = source.twins.value();
        report.wins = report.packets - std::min(report.packets, report.twins);
        const std::uint64_t twin_heard_ns = lines_[static_cast<std::size_t>(line.copy) ^ 1u].heard_ns;
        report.is_silent = has_two_sources_ && twin_heard_ns > source.heard_ns + silence_ns_;
        return report;
    }
    [[nodiscard]] BookCounts book_counts() const noexcept {
        BookCounts counts;
        for (const NseInstrument& state : normalizer_.instruments())
            if (state.updated_ns != 0) ++(normalizer_.is_valid(state) ? counts.valid : counts.invalid);
        return counts;
    }
    /// How long ago this instrument's book was sent, as of the channel's newest datagram; 0 also when it
    /// never was.
    [[nodiscard]] std::uint64_t book_age_ns(model::InstrumentId id) const noexcept {
        const std::uint64_t updated_ns = normalizer_.instruments()[id].updated_ns;
        return updated_ns == 0 || updated_ns > newest_.arrival_ns ? 0 : newest_.arrival_ns - updated_ns;
    }
    [[nodiscard]] NseReport report(std::uint64_t now_cycles, const core::CycleClock& clock) const {
        NseReport report{.channel = index_,
                         .suggests_other_variant = decompress_.suggests_other_variant(),
                         .datagram_at_ns = newest_.arrival_ns,
                         .heartbeat_at_ns = heartbeat_at_ns_,
                         .unknown = unknown_};
        if (newest_.arrival_ns != 0 && now_cycles > newest_.rx_cycles)
            report.datagram_age_ns = clock.to_ns(now_cycles - newest_.rx_cycles);
        std::vector<std::uint64_t> ages;
        const std::span<const NseInstrument> states = normalizer_.instruments();
        for (model::InstrumentId id = 0; id < states.size(); ++id)
            if (normalizer_.is_valid(states[id])) ages.push_back(book_age_ns(id));
        if (ages.empty()) return report;
        const auto middle = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 2);
        std::nth_element(ages.begin(), middle, ages.end());
        report.median_book_age_ns = *middle;
        report.oldest_book_age_ns = *std::max_element(ages.begin(), ages.end());
        return report;
    }

private:
    /// The newest datagram that brought a good message: bytes that nobody understands tell nothing of the
    /// market.
    struct Newest {
        model::Timestamp rx_time;
        std::uint64_t arrival_ns = 0;  ///< 0: none came
        std::uint64_t rx_cycles = 0;
    };
    struct SourceCounters {
        core::Counter packets;
        core::Counter twins;         ///< messages, not packets: the sources pack them differently
        std::uint64_t heard_ns = 0;  ///< arrival of its newest good message, at first of the channel's first
    };
    static constexpr std::size_t unknown_max = 64;  ///< kinds kept for the report

    void note_time_passed(const Packet& packet) noexcept {
        if (newest_.arrival_ns != 0 && packet.arrival_ns > newest_.arrival_ns + silence_ns_ && !is_silent_)
            [[unlikely]]
            fall_silent();
    }
    void note_good_message(const Packet& packet) noexcept {
        // A source that is never heard counts as silent from the first word of the other.
        if (newest_.arrival_ns == 0) [[unlikely]]
            lines_[0].heard_ns = lines_[1].heard_ns = packet.arrival_ns;
        is_silent_ = false;
        newest_ = {packet.rx_time, packet.arrival_ns, packet.rx_cycles};
        lines_[packet.copy].heard_ns = packet.arrival_ns;
    }
    /// Nothing came for twice the time after which the exchange sends a circuit check: books are of the past.
    [[gnu::cold, gnu::noinline]] void fall_silent() noexcept {
        is_silent_ = true;
        counters_.silences.add();
        invalidate_all();
    }
    [[gnu::cold, gnu::noinline]] void invalidate_all() noexcept {
        model::Tick tick;
        tick.rx_cycles = newest_.rx_cycles;
        tick.rx_time = newest_.rx_time.value;
        tick.rx_domain = newest_.rx_time.domain;
        tick.packet_sequence = static_cast<std::uint32_t>(datagram_number_);
        tick.channel = index_;
        normalizer_.invalidate_all(tick);
        emitter_.end_packet();
    }

    /// False when the rest of the datagram cannot be trusted.
    [[nodiscard]] bool on_message(const framing::nse::PackedMessage& packed, const Packet& packet,
                                  std::uint8_t index, framing::nse::Segment segment) noexcept {
        if (packed.is_compressed) [[likely]] {
            DecompressStage::Block block(packed.bytes, decompress_);
            return read(block, packet, index, segment);
        }
        counters_.messages_raw.add();
        RawMessage raw(packed.bytes);
        return read(raw, packet, index, segment);
    }

    /// A message that is all there from the beginning.
    class RawMessage {
    public:
        explicit RawMessage(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
        [[nodiscard]] static bool reach(std::size_t) noexcept { return true; }
        [[nodiscard]] static bool finish() noexcept { return true; }
        static void give_up() noexcept {}
        [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

    private:
        std::span<const std::byte> bytes_;
    };

    /// From header to ticks, asking for no more bytes than are needed to know that nobody wants them.
    template <class Source>
    [[nodiscard]] bool read(Source& source, const Packet& packet, std::uint8_t index,
                            framing::nse::Segment segment) noexcept {
        if (!source.reach(steps_ ? first_token_end : framing::nse::message_bytes_max + 1)) [[unlikely]]
            return false;
        if (source.bytes().size() < framing::nse::message_bytes_min) [[unlikely]]
            return on_bad_length();
        const framing::nse::HeaderView header(source.bytes());
        if (header.segment() != segment) [[unlikely]]
            counters_.prefix_mismatches.add();
        const framing::nse::Layout* const layout =
            feed_->layouts().find(feed_->description().nse.segment, header);
        if (layout == nullptr || header.segment() != feed_->description().nse.segment) [[unlikely]]
            return pass_over(source, header, packet);
        const std::size_t layout_index = feed_->layouts().index_of(*layout);
        const NseMessagePlan& plan = feed_->plan(layout_index);
        NseTime time;
        if (plan.has_header) [[likely]] {
            time = NseTime::of(header);
            if (!is_of_present(time, packet)) [[unlikely]] {
                counters_.by_layout[layout_index].add();
                note_good_message(packet);
                source.give_up();
                return true;
            }
        }
        std::uint32_t first_token = 0;
        // Without a header there is no number by which a twin could be told from news: both copies are read.
        const bool may_be_twin = has_two_sources_ && plan.has_header;
        if (may_be_twin) {
            first_token = first_token_of(source.bytes(), plan);
            if (twins_.has(header, first_token, packet.copy)) {
                counters_.by_layout[layout_index].add();
                lines_[packet.copy].twins.add();
                note_good_message(packet);
                source.give_up();
                return true;
            }
        }
        if (!learns_ && plan.has_tokens) {
            const bool wanted = is_wanted(source, plan);
            note_interest(wanted);
            if (!wanted) {
                // Also a message whose length is wrong: nobody wants its records either.
                counters_.by_layout[layout_index].add();
                counters_.of_no_interest.add();
                note_good_message(packet);
                source.give_up();
                return true;
            }
        }
        if (!source.finish()) [[unlikely]]
            return false;
        const std::span<const std::byte> message = source.bytes();
        if (framing::nse::check_length(message) != Errc::ok) [[unlikely]]
            return on_bad_length();
        // Only now: a copy that turns out to be broken must not keep the other from being read.
        if (may_be_twin) twins_.add(header, first_token, packet.copy);
        counters_.by_layout[layout_index].add();
        note_good_message(packet);
        use(message, plan, packet, time, index);
        return true;
    }
    /// False when the message would turn books back, or bind them to a time to come.
    [[nodiscard]] bool is_of_present(NseTime time, const Packet& packet) noexcept {
        const NseClock::Verdict verdict = clock_.judge(time, packet.arrival_ns);
        return verdict == NseClock::Verdict::present || on_other_time(verdict, packet);
    }
    [[gnu::cold, gnu::noinline]] bool on_other_time(NseClock::Verdict verdict,
                                                    const Packet& packet) noexcept {
        if (verdict == NseClock::Verdict::behind) return counters_.lagging.add(), false;
        if (verdict == NseClock::Verdict::ahead) return counters_.ahead.add(), false;
        (verdict == NseClock::Verdict::set_back ? counters_.times_set_back : counters_.times_set_forward)
            .add();
        model::Tick tick = place_of(packet);
        normalizer_.forget_times(tick);
        emitter_.end_event();
        return true;
    }

    static constexpr std::size_t first_token_end = framing::nse::message_bytes_min + 2 + 4;

    /// Whether one of the tokens is an instrument's; looks at each as soon as it is there.
    template <class Source>
    [[nodiscard]] bool is_wanted(Source& source, const NseMessagePlan& plan) const noexcept {
        const std::size_t count_end = plan.count.exists() ? plan.count.offset + 4u : 0u;
        if (!source.reach(count_end) || source.bytes().size() < count_end) return true;  // finish() says why
        const std::uint32_t count = plan.count_of(source.bytes().data());
        std::size_t at = plan.records_offset + std::size_t{plan.token.offset};
        for (std::uint32_t i = 0; i < count; ++i, at += plan.record_bytes) {
            if (!source.reach(at + 4) || source.bytes().size() < at + 4) return true;
            const std::byte* const record = source.bytes().data() + at - plan.token.offset;
            if (tokens_.find(static_cast<std::uint32_t>(plan.token.load(record))) != model::no_instrument)
                return true;
        }
        return false;
    }

    /// PERF: to stop at the tokens and go on costs about 35 ns, and giving up there saves about 150
    /// (bench/path/tick_to_order, nse): it pays where more than a fifth of the messages are unwanted.
    void note_interest(bool is_wanted) noexcept {
        constexpr unsigned score_max = 255;
        if (is_wanted)
            interest_score_ = std::min(interest_score_ + 16, score_max);
        else
            interest_score_ -= std::min(interest_score_, 64u);
        steps_ = has_two_sources_ || interest_score_ < score_max;
    }

    /// Another market's, or of no layout: counted, and whole or the datagram ends here.
    template <class Source>
    [[gnu::cold, gnu::noinline]] bool pass_over(Source& source, framing::nse::HeaderView header,
                                                const Packet& packet) noexcept {
        if (!source.finish()) return false;
        if (framing::nse::check_length(source.bytes()) != Errc::ok) return on_bad_length();
        if (header.segment() != feed_->description().nse.segment) return counters_.segments_other.add(), true;
        counters_.without_layout.add();
        note_good_message(packet);
        const auto is_same = [&](const UnknownMessages& kind) {
            return kind.transcode == header.transcode() && kind.length == header.message_length();
        };
        const auto known = std::find_if(unknown_.begin(), unknown_.end(), is_same);
        if (known != unknown_.end())
            ++known->count;
        else if (unknown_.size() < unknown_.capacity())
            unknown_.push_back({header.transcode(), header.message_length(), 1});
        return true;
    }

    void use(std::span<const std::byte> message, const NseMessagePlan& plan, const Packet& packet,
             NseTime time, std::uint8_t index) noexcept {
        const framing::nse::HeaderView header(message);
        messages_.add();
        model::Tick tick = place_of(packet);
        tick.decoded_cycles = core::cycles_now();
        if (plan.has_header) [[likely]] {
            note_number(header);
            note_time(header);
        }
        tick.sending_time = last_time_ns_;
        tick.message_index = index;
        switch (plan.news) {
            [[likely]] case NseNews::book : case NseNews::ticker
                : on_records(message, plan, packet, time, tick);
            break;
            case NseNews::index:
                on_indices(message, plan, time, tick);
                break;
            case NseNews::session:
                put_session(header, tick);
                break;
            case NseNews::heartbeat:
                counters_.heartbeats.add();
                heartbeat_at_ns_ = packet.arrival_ns;
                break;
            case NseNews::none:
                counters_.without_ticks.add();
                break;
        }
        emitter_.end_event();
    }

    [[nodiscard]] static std::uint32_t first_token_of(std::span<const std::byte> message,
                                                      const NseMessagePlan& plan) noexcept {
        const std::size_t end = plan.records_offset + std::size_t{plan.token.offset} + 4;
        if (!plan.has_tokens || message.size() < end) return 0;
        return static_cast<std::uint32_t>(plan.token.load(message.data() + plan.records_offset));
    }

    void note_number(framing::nse::HeaderView header) noexcept {
        if (const std::uint32_t missing = numbers_.on_message(header); missing != 0) [[unlikely]] {
            counters_.soft_gaps.add();
            counters_.soft_gap_messages.add(missing);
        }
    }
    /// TimeStamp2, or LogTime; a message that says neither leaves what was said last.
    void note_time(framing::nse::HeaderView header) noexcept {
        std::uint64_t time_ns = framing::nse::unix_ns_of_time_stamp_2(header.time_stamp_2());
        if (time_ns == 0) [[unlikely]]
            time_ns = framing::nse::unix_ns_of_seconds(header.log_time());
        if (time_ns != 0) [[likely]]
            last_time_ns_ = time_ns;
    }

    void on_records(std::span<const std::byte> message, const NseMessagePlan& plan, const Packet& packet,
                    NseTime time, model::Tick& tick) noexcept {
        const std::uint32_t count = record_count(message, plan);
        const std::byte* record = message.data() + plan.records_offset;
        for (std::uint32_t i = 0; i < count; ++i, record += plan.record_bytes) {
            const auto token = static_cast<std::uint32_t>(plan.token.load(record));
            model::InstrumentId id = tokens_.find(token);
            if (id == model::no_instrument) [[unlikely]] {
                if (token == 0) counters_.without_token.add();
                if (token == 0 || !learns_) continue;
                id = tokens_.learn(token, directory_, feed_->description().scale);
                if (id == model::no_instrument) continue;  // the directory counts it
            }
            tick.entry_index = static_cast<std::uint16_t>(i);
            if (plan.news == NseNews::book)
                normalizer_.on_book(plan, record, id, packet.arrival_ns, time, tick);
            else
                normalizer_.on_ticker(plan, record, id, time, tick);
        }
    }

    /// Records there are room for are read also where the message says that it has more.
    [[nodiscard]] std::uint32_t record_count(std::span<const std::byte> message,
                                             const NseMessagePlan& plan) noexcept {
        if (plan.has_bad_count(message.data())) [[unlikely]]
            counters_.counts_bad.add();
        return plan.count_of(message.data());
    }

    void on_indices(std::span<const std::byte> message, const NseMessagePlan& plan, NseTime time,
                    model::Tick& tick) noexcept {
        const std::uint32_t count = record_count(message, plan);
        const std::byte* record = message.data() + plan.records_offset;
        for (std::uint32_t i = 0; i < count; ++i, record += plan.record_bytes) {
            const model::InstrumentId id = index_named(plan, record);
            if (id == model::no_instrument) continue;
            tick.entry_index = static_cast<std::uint16_t>(i);
            normalizer_.on_index(plan, record, id, time, tick);
        }
    }
    /// By its name, blanks cut: "cm|Nifty 50".
    [[nodiscard]] model::InstrumentId index_named(const NseMessagePlan& plan,
                                                  const std::byte* record) noexcept {
        InstrumentKey key;
        for (const char c : nse_key_prefix(feed_->description().nse.segment))
            key.append(c);
        const auto* const name = reinterpret_cast<const char*>(record + plan.index_name_offset);
        std::size_t length = plan.index_name_bytes;
        while (length != 0 && (name[length - 1] == ' ' || name[length - 1] == '\0'))
            --length;
        for (std::size_t i = 0; i < length; ++i)
            key.append(name[i]);
        if (length == 0 || key.is_too_long() || key.text().find('\0') != std::string_view::npos)
            return model::no_instrument;
        return learns_ ? directory_.find(key.text(), feed_->description().scale)
                       : directory_.find_known(key.text());
    }

    void put_session(framing::nse::HeaderView header, model::Tick& tick) noexcept {
        tick.kind = model::TickKind::session;
        tick.flags = model::tick_flag::no_price;
        tick.quantity = header.transcode();
        emitter_.put(tick);
    }

    [[gnu::cold, gnu::noinline]] bool on_bad_length() noexcept {
        counters_.lengths_bad.add();
        return false;
    }
    [[gnu::cold, gnu::noinline]] void on_bad_datagram() noexcept {
        counters_.lengths_bad.add();
        counters_.datagrams_cut.add();
    }

    [[nodiscard]] model::Tick place_of(const Packet& packet) const noexcept {
        model::Tick tick;
        tick.rx_cycles = packet.rx_cycles;
        tick.rx_time = packet.rx_time.value;
        tick.rx_domain = packet.rx_time.domain;
        tick.frame_number = packet.frame_number;
        tick.packet_sequence = static_cast<std::uint32_t>(datagram_number_);
        tick.channel = index_;
        tick.line = packet.line;
        return tick;
    }

    std::shared_ptr<const CompiledNse> feed_;
    std::uint16_t index_;
    std::string owner_;
    bool has_two_sources_;
    bool learns_;  ///< every token is of interest
    bool steps_;   ///< look at the tokens before the whole block is decompressed
    unsigned interest_score_ = 0;
    bool is_silent_ = false;
    std::uint64_t silence_ns_;
    std::uint64_t datagram_number_ = 0;
    std::uint64_t last_time_ns_ = 0;  ///< Unix, of the message that said so last
    std::uint64_t heartbeat_at_ns_ = 0;
    Newest newest_;
    NseClock clock_;
    InstrumentDirectory& directory_;
    TokenTable tokens_;
    NseCounters counters_;
    core::Counter messages_;
    DecompressStage decompress_;
    TickEmitter<Sink> emitter_;
    NseNormalizer<TickEmitter<Sink>> normalizer_;
    NseTwins twins_;
    NseSoftGaps numbers_;
    std::array<SourceCounters, 2> lines_;  ///< by framing::Copy
    std::vector<UnknownMessages> unknown_;
};

}  // namespace tickpath::feed
