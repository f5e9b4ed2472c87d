#include "control/cli/decode_run.h"

#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "control/capture/reader.h"
#include "decoders/base/bytes.h"
#include "decoders/framing/datagram.h"
#include "decoders/net/headers.h"

namespace tickpath::cli {
namespace {

constexpr std::size_t length_prefix_bytes = 4;
constexpr std::size_t file_tailroom_bytes = 65'536;  // room for sentinels, so that a long file is not copied

using Bytes = std::span<const std::byte>;

// One pass: knows the decoder and where its results go, not where datagrams come from.
class DecodePass {
public:
    DecodePass(const DecodeSettings& settings, DecodeOutput& output, bool is_first_of_two,
               DecodeTotals& totals)
        : settings_(settings),
          decoder_(settings.templates, settings.decoder),
          output_(output),
          is_first_of_two_(is_first_of_two),
          totals_(totals) {}

    /// Decodes messages from `body` and returns the bytes they took; nullopt after an error, which was shown.
    std::optional<std::size_t> decode(Bytes body, std::size_t tailroom_bytes, const DatagramPlace& place,
                                      bool stops_after_one) {
        decoder_.begin(body, tailroom_bytes);
        std::size_t consumed = 0;
        while (decoder_.next()) {
            const fast::Message& message = decoder_.message();
            consumed = message.end();
            show(place, message);
            if (stops_after_one && !is_reset(message)) return consumed;
        }
        if (decoder_.error() == Errc::ok) return consumed;
        const fast::DecodeError error = decoder_.error_place();
        std::string name(error.template_label);
        if (name.empty() && error.error == Errc::d9) name = std::to_string(error.template_id);
        fail(place, {error, name});
        return std::nullopt;
    }

    void fail(const DatagramPlace& place, const DecodeFailure& failure) {
        ++totals_.errors;
        if (!is_first_of_two_) output_.on_error(place, failure);
    }
    void fail(const DatagramPlace& place, Errc error, std::size_t offset, std::string template_text = {}) {
        fast::DecodeError what;
        what.error = error;
        what.offset = static_cast<std::uint32_t>(offset);
        fail(place, {what, std::move(template_text)});
    }

    [[nodiscard]] std::string last_template() const { return decoder_.message().tmpl().label(); }

private:
    void show(const DatagramPlace& place, const fast::Message& message) {
        ++totals_.messages;
        for (std::size_t i = 0; i < fast::report_count; ++i)
            totals_.reports[i] += message.reported(static_cast<fast::Report>(i)) ? 1 : 0;
        if (is_first_of_two_) {
            output_.on_occurrence(message);
        } else {
            output_.on_message(place, message);
        }
    }

    [[nodiscard]] bool is_reset(const fast::Message& message) const {
        const bool by_rule = settings_.decoder.reset == fast::ResetRule::template_id &&
                             message.template_id() == settings_.decoder.reset_template_id;
        return by_rule || message.tmpl().resets();
    }

    const DecodeSettings& settings_;
    fast::Decoder decoder_;
    DecodeOutput& output_;
    bool is_first_of_two_;
    DecodeTotals& totals_;
};

// Blocks of one payload or file. A block that says more than there is ends it.
void decode_blocks(DecodePass& pass, Bytes bytes, DatagramPlace place) {
    for (std::size_t at = 0; at < bytes.size();) {
        place.offset = at;
        if (bytes.size() - at < length_prefix_bytes) return pass.fail(place, Errc::truncated, 0);
        const std::size_t length = load_little<std::uint32_t>(bytes.data() + at);
        at += length_prefix_bytes;
        if (length > bytes.size() - at) return pass.fail(place, Errc::truncated, 0);
        place.offset = at;
        static_cast<void>(pass.decode(bytes.subspan(at, length), 0, place, false));
        at += length;
    }
}

void decode_payload(DecodePass& pass, const DecodeFraming& framing, Bytes payload, DatagramPlace place) {
    if (framing.has_length_prefix) return decode_blocks(pass, payload, place);
    const framing::Datagram datagram = framing::split(payload, framing.preamble);
    if (datagram.error != Errc::ok) return pass.fail(place, datagram.error, payload.size());
    place.offset = framing.preamble.bytes;
    const std::optional<std::size_t> consumed = pass.decode(datagram.body, 0, place, framing.is_one_message);
    if (consumed && *consumed != datagram.body.size() && !framing.ignores_trailing)
        pass.fail(place, Errc::trailing, *consumed, pass.last_template());
}

void decode_capture(DecodePass& pass, const DecodeFraming& framing, const std::string& path,
                    DecodeTotals& totals) {
    capture::Reader reader(path);
    while (const std::optional<capture::CapturedFrame> frame = reader.next()) {
        const net::UdpParse parsed = net::parse_udp(frame->bytes);
        DatagramPlace place;
        place.capture = {frame->number, frame->time_ns, to_text(parsed.udp.group)};
        switch (parsed.outcome) {
            case net::UdpOutcome::ok:
                decode_payload(pass, framing, parsed.udp.payload, place);
                break;
            case net::UdpOutcome::truncated:
                pass.fail(place, Errc::truncated, 0);
                break;
            case net::UdpOutcome::bad_header:
                pass.fail(place, Errc::bad_length, 0);
                break;
            case net::UdpOutcome::not_ipv4:
            case net::UdpOutcome::not_udp:
            case net::UdpOutcome::fragment:
                ++totals.frames_passed_over;
                break;
        }
    }
    totals.input_error = reader.error();
}

// A file without lengths is one stream. With a preamble each datagram ends where its message ends; without
// one the whole file is a single datagram. What follows an error cannot be found again.
void decode_stream(DecodePass& pass, const DecodeFraming& framing, Bytes bytes, std::size_t tailroom_bytes) {
    DatagramPlace place;
    if (framing.preamble.bytes == 0) {
        static_cast<void>(pass.decode(bytes, tailroom_bytes, place, false));
        return;
    }
    for (std::size_t at = 0; at < bytes.size();) {
        place.offset = at;
        const framing::Datagram datagram = framing::split(bytes.subspan(at), framing.preamble);
        if (datagram.error != Errc::ok) return pass.fail(place, datagram.error, bytes.size() - at);
        place.offset = at + framing.preamble.bytes;
        const std::optional<std::size_t> consumed = pass.decode(datagram.body, tailroom_bytes, place, true);
        if (!consumed) return;
        if (*consumed == 0) return pass.fail(place, Errc::truncated, 0);
        at = place.offset + *consumed;
    }
}

void decode_file(DecodePass& pass, const DecodeFraming& framing, const std::string& path,
                 DecodeTotals& totals) {
    std::ifstream in(path, std::ios::binary);
    std::vector<char> content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad()) totals.input_error = path + ": cannot be read to its end";
    const std::size_t size = content.size();
    content.resize(size + file_tailroom_bytes);
    const Bytes bytes = std::as_bytes(std::span(content.data(), size));
    if (framing.has_length_prefix) return decode_blocks(pass, bytes, {});
    decode_stream(pass, framing, bytes, file_tailroom_bytes);
}

DecodeTotals run_pass(const DecodeSettings& settings, const std::string& path, DecodeOutput& output,
                      bool is_first_of_two) {
    DecodeTotals totals;
    DecodePass pass(settings, output, is_first_of_two, totals);
    if (capture::is_capture_file(path)) {
        decode_capture(pass, settings.framing, path, totals);
    } else {
        decode_file(pass, settings.framing, path, totals);
    }
    return totals;
}

}  // namespace

DecodeTotals run_decode(const DecodeSettings& settings, const std::string& path, DecodeOutput& output) {
    if (output.needs_two_passes()) static_cast<void>(run_pass(settings, path, output, true));
    output.begin(capture::is_capture_file(path));
    return run_pass(settings, path, output, false);
}

}  // namespace tickpath::cli
