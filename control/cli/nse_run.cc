#include "control/cli/nse_run.h"

#include <array>
#include <optional>
#include <span>

#include "control/capture/reader.h"
#include "control/cli/progress.h"
#include "decoders/base/whole_file.h"
#include "decoders/lzo1z/decompress.h"
#include "decoders/net/headers.h"

namespace tickpath::cli {
namespace {

namespace nse = framing::nse;
using Bytes = std::span<const std::byte>;

class NsePass {
public:
    NsePass(const framing::FeedDescription& feed, const nse::Layouts& layouts, NseOutput& output,
            bool is_first_of_two, NseTotals& totals)
        : feed_(feed),
          layouts_(layouts),
          output_(output),
          is_first_of_two_(is_first_of_two),
          totals_(totals) {}

    void decode(Bytes payload, const DatagramPlace& place) {
        nse::Datagram datagram(payload);
        nse::PackedMessage packed;
        while (datagram.next(packed)) {
            const std::optional<Bytes> message = unpack(packed, place);
            if (!message) return;
            show(place, *message, packed);
        }
        if (datagram.error() != Errc::ok) fail(place, datagram.error(), datagram.offset());
    }

    void fail(const DatagramPlace& place, Errc error, std::size_t offset) {
        ++totals_.errors;
        if (!is_first_of_two_) output_.on_error(place, error, offset);
    }

private:
    std::optional<Bytes> unpack(const nse::PackedMessage& packed, const DatagramPlace& place) {
        Bytes message = packed.bytes;
        if (packed.is_compressed) {
            ++totals_.compressed;
            const lzo1z::DecompressResult done =
                lzo1z::decompress(packed.bytes, std::span(scratch_).first(nse::message_bytes_max));
            if (done.error == Errc::lookbehind_overrun) ++totals_.lookbehind_overruns;
            if (done.error != Errc::ok) {
                fail(place, done.error, packed.offset + done.consumed);
                return std::nullopt;
            }
            message = Bytes(scratch_).first(done.written);
        }
        if (const Errc error = nse::check_length(message); error != Errc::ok) {
            fail(place, error, packed.offset);
            return std::nullopt;
        }
        return message;
    }

    void show(const DatagramPlace& place, Bytes bytes, const nse::PackedMessage& packed) {
        ++totals_.messages;
        const nse::HeaderView header(bytes);
        const nse::Segment own = header.segment();
        const nse::Layout* const layout =
            layouts_.find(own == nse::Segment::unknown ? feed_.nse.segment : own, header);
        if (layout == nullptr) ++totals_.without_layout[{header.transcode(), header.message_length()}];
        const NseMessage message{.bytes = bytes,
                                 .compressed_bytes = packed.is_compressed ? packed.bytes.size() : 0,
                                 .layout = layout};
        if (is_first_of_two_) {
            output_.on_occurrence(message);
        } else {
            output_.on_message(place, message);
        }
    }

    const framing::FeedDescription& feed_;
    const nse::Layouts& layouts_;
    NseOutput& output_;
    bool is_first_of_two_;
    NseTotals& totals_;
    std::array<std::byte, nse::message_bytes_max + lzo1z::output_slack_bytes> scratch_{};
};

void decode_capture(NsePass& pass, const std::string& path, NseTotals& totals) {
    capture::Reader reader(path);
    Progress progress(file_bytes(path));
    std::uint64_t bytes_read = 0;
    while (const std::optional<capture::CapturedFrame> frame = reader.next()) {
        progress.show(bytes_read += frame->bytes.size() + capture_frame_header_bytes);
        const net::UdpParse parsed = net::parse_udp(frame->bytes);
        DatagramPlace place;
        place.capture = {frame->number, frame->time_ns, to_text(parsed.udp.group)};
        switch (parsed.outcome) {
            case net::UdpOutcome::ok:
                pass.decode(parsed.udp.payload, place);
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

NseTotals run_pass(const framing::FeedDescription& feed, const nse::Layouts& layouts, const std::string& path,
                   NseOutput& output, bool is_first_of_two) {
    NseTotals totals;
    NsePass pass(feed, layouts, output, is_first_of_two, totals);
    if (capture::is_capture_file(path)) {
        decode_capture(pass, path, totals);
        return totals;
    }
    const FileContent content = read_whole_file(path, data_bytes_max);
    if (!content || content.bytes.empty()) {
        totals.input_error = path + ": " + (content ? "is empty" : content.why);
        return totals;
    }
    pass.decode(std::as_bytes(std::span(content.bytes)), {});
    return totals;
}

}  // namespace

NseTotals run_nse_decode(const framing::FeedDescription& feed, const nse::Layouts& layouts,
                         const std::string& path, NseOutput& output) {
    if (output.needs_two_passes()) static_cast<void>(run_pass(feed, layouts, path, output, true));
    output.begin(capture::is_capture_file(path));
    return run_pass(feed, layouts, path, output, false);
}

}  // namespace tickpath::cli
