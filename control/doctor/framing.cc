#include "control/doctor/framing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "decoders/base/bytes.h"
#include "decoders/fast/decoder.h"
#include "decoders/framing/chunk_assembler.h"
#include "decoders/framing/datagram.h"

namespace tickpath::doctor {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t length_prefix_bytes = 4;
constexpr std::uint64_t number_step_max = 1'000;  // a wider step is loss beyond use, or no number at all
constexpr std::size_t message_bytes_max = 9'216;  // a jumbo frame

void lose(Cut& cut, std::size_t bytes) {
    cut.bytes_lost += bytes;
    ++cut.pieces_lost;
}

// Frames have numbers, files have bytes only.
CutDatagram datagram_in(const Payload& payload, bool is_capture, Bytes body) {
    CutDatagram datagram;
    datagram.body = body;
    datagram.group = payload.group;
    datagram.place = payload.packet;
    if (is_capture) return datagram;
    datagram.unit = "byte";
    datagram.place = static_cast<std::uint64_t>(body.data() - payload.bytes.data());
    return datagram;
}

void set_number(CutDatagram& to, const framing::Datagram& from) {
    to.has_number = from.has_sequence;
    to.number = from.sequence;
}

void cut_blocks(Cut& cut, const Payload& payload, bool is_capture) {
    const Bytes bytes = payload.bytes;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t left = bytes.size() - at;
        if (left < length_prefix_bytes) return lose(cut, left);
        const std::size_t length = load_little<std::uint32_t>(bytes.data() + at);
        if (length == 0 || length > left - length_prefix_bytes) return lose(cut, left);
        cut.datagrams.push_back(
            datagram_in(payload, is_capture, bytes.subspan(at + length_prefix_bytes, length)));
        at += length_prefix_bytes + length;
    }
}

void cut_preamble(Cut& cut, const Payload& payload, bool is_capture, const framing::Preamble& preamble) {
    const framing::Datagram datagram = framing::split(payload.bytes, preamble);
    if (datagram.error != Errc::ok) return lose(cut, payload.bytes.size());
    cut.datagrams.push_back(datagram_in(payload, is_capture, datagram.body));
    set_number(cut.datagrams.back(), datagram);
}

// Messages in chunks, put together group by group. A chunk whose message never becomes whole is lost.
class ChunkCutter {
public:
    static constexpr std::size_t groups_max = 256;  // each takes half a megabyte

    ChunkCutter(Cut& cut, const framing::Preamble& preamble) : cut_(cut), preamble_(preamble) {}

    void on_payload(const Payload& payload, bool is_capture) {
        for (Bytes rest = payload.bytes; !rest.empty();) {
            const framing::Datagram datagram = framing::split(rest, preamble_);
            if (datagram.error != Errc::ok || (is_capture && datagram.trailing_bytes != 0))
                return lose(cut_, rest.size());
            on_chunk(payload, is_capture, datagram);
            rest = rest.subspan(preamble_.bytes + datagram.body.size());
        }
    }
    void finish() {
        for (const auto& [group, open] : groups_)
            if (open.bytes_waiting != 0) lose(cut_, open.bytes_waiting);
    }

private:
    struct Group {
        framing::ChunkAssembler assembler{{.restart_backward = 1}};
        std::size_t bytes_waiting = 0;
    };

    void on_chunk(const Payload& payload, bool is_capture, const framing::Datagram& datagram) {
        if (groups_.size() == groups_max && !groups_.contains(payload.group))
            return lose(cut_, datagram.body.size());
        Group& group = groups_[payload.group];
        const framing::ChunkStep step = group.assembler.add(datagram);
        if (step.outcome == framing::ChunkOutcome::waiting) group.bytes_waiting += datagram.body.size();
        if (step.outcome == framing::ChunkOutcome::refused) lose(cut_, datagram.body.size());
        if (step.outcome != framing::ChunkOutcome::complete) return;
        cut_.datagrams.push_back(datagram_in(payload, is_capture, datagram.body));
        set_number(cut_.datagrams.back(), datagram);
        if (datagram.chunk.count == 1) return;
        cut_.joined.emplace_back(step.message.begin(), step.message.end());
        cut_.datagrams.back().body = cut_.joined.back();
        const std::size_t before = step.message.size() - datagram.body.size();
        group.bytes_waiting -= std::min(group.bytes_waiting, before);
    }

    Cut& cut_;
    const framing::Preamble& preamble_;
    std::map<std::uint32_t, Group> groups_;
};

// The bytes of the next message, resets before it included; nullopt when there is none.
std::optional<std::size_t> message_bytes(fast::Decoder& decoder, Bytes bytes) {
    decoder.begin(bytes.first(std::min(bytes.size(), message_bytes_max)), 0);
    while (decoder.next())
        if (!decoder.message().tmpl().fields().empty()) return decoder.message().end();
    decoder.reset();
    return std::nullopt;
}

void cut_stream(Cut& cut, const Payload& payload, const framing::Preamble& preamble,
                const std::shared_ptr<const fast::Templates>& templates, fast::ResetRule rule) {
    fast::Decoder decoder(templates, {.reset = rule});
    const Bytes bytes = payload.bytes;
    for (std::size_t at = 0; at < bytes.size();) {
        const framing::Datagram datagram = framing::split(bytes.subspan(at), preamble);
        if (datagram.error != Errc::ok) return lose(cut, bytes.size() - at);
        const std::optional<std::size_t> size = message_bytes(decoder, datagram.body);
        if (!size) return lose(cut, bytes.size() - at);
        cut.datagrams.push_back(datagram_in(payload, false, datagram.body.first(*size)));
        set_number(cut.datagrams.back(), datagram);
        at += preamble.bytes + *size;
    }
}

// Where messages end hardly depends on the reset rule; the rule that comes further is taken.
void cut_stream(Cut& cut, const Payload& payload, const framing::Preamble& preamble,
                const std::shared_ptr<const fast::Templates>& templates) {
    Cut by_message;
    Cut by_none;
    cut_stream(by_message, payload, preamble, templates, fast::ResetRule::message);
    cut_stream(by_none, payload, preamble, templates, fast::ResetRule::never);
    Cut& further = by_message.bytes_lost <= by_none.bytes_lost ? by_message : by_none;
    cut.bytes_lost += further.bytes_lost;
    cut.pieces_lost += further.pieces_lost;
    cut.datagrams = std::move(further.datagrams);
}

void count_numbers(Cut& cut, std::size_t groups) {
    std::vector<std::optional<std::uint64_t>> last(groups);
    for (const CutDatagram& datagram : cut.datagrams) {
        if (!datagram.has_number) continue;
        std::optional<std::uint64_t>& before = last[datagram.group];
        if (before) {
            ++cut.numbers_compared;
            cut.numbers_rising += datagram.number - *before - 1 < number_step_max ? 1 : 0;
        }
        before = datagram.number;
    }
}

}  // namespace

Framing framing_of(const framing::FeedDescription& feed, std::string option) {
    return {.option = std::move(option),
            .preamble = feed.preamble,
            .is_one_message = feed.messages == framing::MessagesPerDatagram::one,
            .ignores_trailing = feed.trailing == framing::TrailingBytes::ignore};
}

std::vector<Framing> known_framings(const std::vector<framing::FeedDescription>& feeds) {
    std::vector<Framing> known = {
        {.option = "--framing none"},
        {.option = "--framing u32le-length", .has_length_prefix = true},
    };
    for (const char* name : {"u32le-sequence", "cme", "umdf", "t7"}) {
        const framing::Preamble preamble = framing::preamble_named(name).value();
        known.push_back({.option = std::string("--framing ") + name,
                         .preamble = preamble,
                         .is_one_message = preamble.form != framing::PreambleForm::header});
    }
    for (const framing::FeedDescription& feed : feeds) {
        const std::string source = feed.file.empty() ? feed.name : feed.file;
        Framing framing = framing_of(feed, "--feed " + source);
        if (std::none_of(known.begin(), known.end(),
                         [&](const Framing& other) { return other.accepts_all_of(framing); }))
            known.push_back(std::move(framing));
    }
    return known;
}

Cut cut(const Recording& recording, const Framing& framing,
        const std::shared_ptr<const fast::Templates>& templates) {
    Cut cut;
    ChunkCutter chunks(cut, framing.preamble);
    for (const Payload& payload : recording.payloads) {
        cut.bytes += payload.bytes.size();
        if (framing.has_length_prefix) {
            cut_blocks(cut, payload, recording.is_capture);
        } else if (framing.preamble.form == framing::PreambleForm::chunked) {
            chunks.on_payload(payload, recording.is_capture);
        } else if (!recording.is_capture && framing.preamble.bytes != 0) {
            cut_stream(cut, payload, framing.preamble, templates);
        } else {
            cut_preamble(cut, payload, recording.is_capture, framing.preamble);
        }
    }
    chunks.finish();
    std::ranges::stable_sort(cut.datagrams, {}, &CutDatagram::group);
    count_numbers(cut, recording.groups.size());
    return cut;
}

}  // namespace tickpath::doctor
