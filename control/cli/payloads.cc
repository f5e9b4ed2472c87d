#include "control/cli/payloads.h"

#include <utility>

#include "control/capture/reader.h"
#include "control/cli/per_group.h"
#include "control/cli/progress.h"
#include "decoders/base/bytes.h"
#include "decoders/base/whole_file.h"
#include "decoders/framing/datagram.h"
#include "decoders/net/headers.h"

namespace tickpath::cli {
namespace {

constexpr std::size_t length_prefix_bytes = 4;
constexpr std::size_t file_tailroom_bytes = 65'536;  // room for sentinels, so that a long file is not copied

// Bytes of the empty blocks that `bytes` begins with: one error for all of them, since a file of zeros has
// millions.
std::size_t empty_blocks_bytes(Bytes bytes) {
    std::size_t size = 0;
    while (bytes.size() - size >= length_prefix_bytes && load_little<std::uint32_t>(bytes.data() + size) == 0)
        size += length_prefix_bytes;
    return size;
}

}  // namespace

struct PayloadReader::Input {
    std::optional<capture::Reader> capture;
    std::string file;  ///< with room for sentinels at its end
    std::size_t file_bytes = 0;
    std::size_t file_at = 0;
};

PayloadReader::PayloadReader(const std::string& path, const DecodeFraming& framing)
    : framing_(framing), input_(std::make_unique<Input>()) {
    if (capture::is_capture_file(path)) {
        input_->capture.emplace(path);
        return;
    }
    FileContent content = read_whole_file(path, data_bytes_max);
    if (!content) error_ = path + ": " + content.why;
    if (content && content.bytes.empty()) error_ = path + ": is empty";
    input_->file = std::move(content.bytes);
    input_->file_bytes = input_->file.size();
    input_->file.resize(input_->file_bytes + file_tailroom_bytes);
}

PayloadReader::~PayloadReader() = default;

std::optional<Payload> PayloadReader::next() {
    return input_->capture ? next_of_capture() : next_of_file();
}

std::optional<Payload> PayloadReader::next_of_capture() {
    while (const std::optional<capture::CapturedFrame> frame = input_->capture->next()) {
        bytes_read_ += capture_frame_header_bytes + frame->bytes.size();
        const net::UdpParse parsed = net::parse_udp(frame->bytes);
        Payload payload;
        const bool is_udp = parsed.outcome == net::UdpOutcome::ok;
        payload.place.capture = {frame->number, frame->time_ns, to_text(parsed.udp.group), is_udp};
        switch (parsed.outcome) {
            case net::UdpOutcome::ok:
                payload.bytes = parsed.udp.payload;
                return payload;
            case net::UdpOutcome::truncated:
                payload.error = Errc::truncated;
                return payload;
            case net::UdpOutcome::bad_header:
                payload.error = Errc::bad_length;
                return payload;
            case net::UdpOutcome::fragment:
                ++frames_passed_over_;
                payload.is_fragment = true;
                return payload;
            case net::UdpOutcome::not_ipv4:
            case net::UdpOutcome::not_udp:
                ++frames_passed_over_;
                break;
        }
    }
    error_ = input_->capture->error();
    return std::nullopt;
}

std::optional<Payload> PayloadReader::next_of_file() {
    const Bytes bytes = std::as_bytes(std::span(input_->file.data(), input_->file_bytes));
    const std::size_t at = input_->file_at;
    if (at == bytes.size()) return std::nullopt;
    Payload payload;
    payload.place.offset = at;
    payload.bytes = bytes.subspan(at);
    if (framing_.has_length_prefix) {
        // A length that goes beyond the end is the last block's, and is told when that is handled.
        const std::size_t left = payload.bytes.size();
        const std::size_t length =
            left < length_prefix_bytes ? left : load_little<std::uint32_t>(payload.bytes.data());
        if (left >= length_prefix_bytes && length == 0) {
            payload.bytes = payload.bytes.first(empty_blocks_bytes(payload.bytes));
        } else if (length < left - std::min(left, length_prefix_bytes)) {
            payload.bytes = payload.bytes.first(length_prefix_bytes + length);
        }
    } else {
        payload.is_stream = true;
        payload.tailroom_bytes = file_tailroom_bytes;
    }
    input_->file_at += payload.bytes.size();
    bytes_read_ = input_->file_at;
    return payload;
}

void PayloadHandler::on_payload(const Payload& payload) {
    if (payload.is_fragment) return handler_.on_loss(payload.place);
    if (payload.error != Errc::ok) return handler_.on_framing_error(payload.place, payload.error, 0, {});
    if (framing_.has_length_prefix) return handle_blocks(payload.bytes, payload.place);
    if (payload.is_stream) return handle_stream(payload);
    handle_datagram(payload);
}

void PayloadHandler::finish() {
    for (auto& [group, joined] : joined_)
        tell_incomplete(joined.assembler.finish(), joined.newest);
}

void PayloadHandler::handle_blocks(Bytes bytes, DatagramPlace place) {
    const std::uint64_t first = place.offset;
    for (std::size_t at = 0; at < bytes.size();) {
        place.offset = first + at;
        if (bytes.size() - at < length_prefix_bytes)
            return handler_.on_framing_error(place, Errc::truncated, 0, {});
        const std::size_t length = load_little<std::uint32_t>(bytes.data() + at);
        if (length == 0) {
            handler_.on_framing_error(place, Errc::d12, 0, {});
            at += empty_blocks_bytes(bytes.subspan(at));
            continue;
        }
        at += length_prefix_bytes;
        if (length > bytes.size() - at) return handler_.on_framing_error(place, Errc::truncated, 0, {});
        place.offset = first + at;
        static_cast<void>(handler_.on_datagram(bytes.subspan(at, length), 0, place, false));
        at += length;
    }
}

void PayloadHandler::handle_datagram(const Payload& payload) {
    DatagramPlace place = payload.place;
    const framing::Datagram datagram = framing::split(payload.bytes, framing_.preamble);
    if (datagram.error != Errc::ok)
        return handler_.on_framing_error(place, datagram.error, payload.bytes.size(), {});
    place.offset += static_cast<std::uint64_t>(datagram.body.data() - payload.bytes.data());
    if (datagram.trailing_bytes != 0)
        return handler_.on_framing_error(place, Errc::trailing, datagram.body.size(), {});
    if (framing_.preamble.form == framing::PreambleForm::chunked) return handle_chunk(datagram, place);
    handle_body(datagram.body, payload.tailroom_bytes, place);
}

void PayloadHandler::handle_body(Bytes body, std::size_t tailroom_bytes, const DatagramPlace& place) {
    const std::optional<std::size_t> consumed =
        handler_.on_datagram(body, tailroom_bytes, place, framing_.is_one_message);
    if (consumed && *consumed != body.size() && !framing_.ignores_trailing)
        handler_.on_framing_error(place, Errc::trailing, *consumed, handler_.last_template());
}

// Chunks that came twice or too late change nothing: the message they belong to was printed or told.
void PayloadHandler::handle_chunk(const framing::Datagram& datagram, DatagramPlace place) {
    Joined* const joined = joined_of(place);
    if (joined == nullptr) return handler_.on_framing_error(place, Errc::limit, 0, {});
    const framing::ChunkStep step = joined->assembler.add(datagram);
    joined->newest = place;
    tell_incomplete(step.given_up, place);
    if (step.outcome == framing::ChunkOutcome::refused)
        return handler_.on_framing_error(place, Errc::limit, 0, {});
    if (step.outcome != framing::ChunkOutcome::complete) return;
    if (datagram.chunk.count != 1) place.offset = 0;  // places count from the message's own first byte
    handle_body(step.message, 0, place);
}

void PayloadHandler::tell_incomplete(std::uint32_t messages, const DatagramPlace& place) {
    for (; messages != 0; --messages)
        handler_.on_framing_error(place, Errc::missing, 0, {});
}

PayloadHandler::Joined* PayloadHandler::joined_of(const DatagramPlace& place) {
    const std::string group = place.capture ? place.capture->group : std::string();
    const auto found = joined_.find(group);
    if (found != joined_.end()) return &found->second;
    if (joined_.size() == groups_max) return nullptr;
    // Snapshot loops start again from 1: a small step back may be one.
    framing::ChunkAssembler assembler({.restart_backward = 1});
    return &joined_.emplace(group, Joined{std::move(assembler), place}).first->second;
}

// A file without lengths is one stream. With a preamble of bytes each datagram ends where its message ends;
// else the whole file is a single datagram. What follows an error cannot be found again.
void PayloadHandler::handle_stream(const Payload& payload) {
    const framing::Preamble& preamble = framing_.preamble;
    if (preamble.form == framing::PreambleForm::chunked) return handle_chunk_stream(payload);
    if (preamble.form == framing::PreambleForm::header || preamble.bytes == 0) return handle_whole(payload);
    DatagramPlace place = payload.place;
    const Bytes bytes = payload.bytes;
    for (std::size_t at = 0; at < bytes.size();) {
        place.offset = at;
        const framing::Datagram datagram = framing::split(bytes.subspan(at), preamble);
        if (datagram.error != Errc::ok)
            return handler_.on_framing_error(place, datagram.error, bytes.size() - at, {});
        place.offset = at + preamble.bytes;
        const std::optional<std::size_t> consumed =
            handler_.on_datagram(datagram.body, payload.tailroom_bytes, place, true);
        if (!consumed) return;
        if (*consumed == 0) return handler_.on_framing_error(place, Errc::truncated, 0, {});
        at = place.offset + *consumed;
    }
}

void PayloadHandler::handle_whole(const Payload& payload) {
    const framing::Datagram datagram = framing::split(payload.bytes, framing_.preamble);
    DatagramPlace place = payload.place;
    if (datagram.error != Errc::ok)
        return handler_.on_framing_error(place, datagram.error, payload.bytes.size(), {});
    place.offset += static_cast<std::uint64_t>(datagram.body.data() - payload.bytes.data());
    static_cast<void>(handler_.on_datagram(datagram.body, payload.tailroom_bytes, place, false));
}

// Chunks say their length, so that each is found even when the one before it was bad.
void PayloadHandler::handle_chunk_stream(const Payload& payload) {
    DatagramPlace place = payload.place;
    for (Bytes rest = payload.bytes; !rest.empty();) {
        const framing::Datagram datagram = framing::split(rest, framing_.preamble);
        if (datagram.error != Errc::ok)
            return handler_.on_framing_error(place, datagram.error, rest.size(), {});
        const std::size_t bytes = framing_.preamble.bytes + datagram.body.size();
        place.offset += framing_.preamble.bytes;
        handle_chunk(datagram, place);
        place.offset += datagram.body.size();
        rest = rest.subspan(bytes);
    }
}

}  // namespace tickpath::cli
