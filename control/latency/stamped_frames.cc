#include "control/latency/stamped_frames.h"

#include <algorithm>
#include <array>

#include "decoders/net/erf.h"

namespace tickpath::latency {
namespace {

constexpr std::uint64_t frames_probed_max = 4096;
constexpr std::size_t frame_bytes_min = 60;  // of Ethernet, without check sequence

struct Probe {
    std::uint64_t packets = 0;
    std::array<std::uint64_t, net::trailer_layouts.size()> fits{};
};

Probe probe_trailers(const std::string& path) {
    Probe probe;
    capture::Reader reader(path);
    for (std::uint64_t i = 0; i < frames_probed_max; ++i) {
        const std::optional<capture::CapturedFrame> frame = reader.next();
        if (!frame) break;
        const Result<net::Ipv4Packet> packet = net::find_ipv4(frame->bytes);
        if (!packet) continue;
        ++probe.packets;
        if (frame->is_cut()) continue;
        for (std::size_t layout = 0; layout < probe.fits.size(); ++layout)
            probe.fits[layout] +=
                net::read_trailer(frame->bytes, packet->end, frame->time_ns, net::trailer_layouts[layout])
                    ? 1
                    : 0;
    }
    return probe;
}

bool is_wanted(net::TrailerLayout layout, TrailerChoice choice) {
    switch (choice) {
        case TrailerChoice::automatic:
            return true;
        case TrailerChoice::metamako:
            return layout.format == net::TrailerFormat::metamako;
        case TrailerChoice::exablaze:
            return layout.format == net::TrailerFormat::exablaze;
        case TrailerChoice::none:
            break;
    }
    return false;
}

}  // namespace

std::optional<TrailerChoice> parse_trailer_choice(std::string_view word) {
    if (word == "auto") return TrailerChoice::automatic;
    if (word == "none") return TrailerChoice::none;
    if (word == "metamako") return TrailerChoice::metamako;
    if (word == "exablaze") return TrailerChoice::exablaze;
    return std::nullopt;
}

std::uint32_t StampedFrame::wire_bytes() const noexcept {
    return static_cast<std::uint32_t>(std::max(frame_bytes_min, packet.end) + net::frame_check_bytes);
}

StampedFrames::StampedFrames(const std::string& path, std::uint32_t capture, TrailerChoice trailers)
    : capture_(capture), reader_(path, capture::Links::ethernet_or_erf) {
    if (!reader_.error().empty()) return;
    choose_source(path, trailers);
}

void StampedFrames::choose_source(const std::string& path, TrailerChoice trailers) {
    if (reader_.is_erf()) {
        source_ = {model::TimeDomain::nic_realtime_ns, "erf"};
        return;
    }
    if (trailers == TrailerChoice::none) return;
    const Probe probe = probe_trailers(path);
    std::size_t best = probe.fits.size();
    for (std::size_t i = 0; i < probe.fits.size(); ++i)
        if (is_wanted(net::trailer_layouts[i], trailers) && probe.fits[i] != 0 &&
            (best == probe.fits.size() || probe.fits[i] > probe.fits[best]))
            best = i;
    const bool is_guess = trailers == TrailerChoice::automatic;
    if (best == probe.fits.size()) {
        if (!is_guess && probe.packets != 0)
            error_ = path + ": none of the first frames has such a trailer (--trailer auto looks for others)";
        return;
    }
    // By chance a frame may seem to have one, but not most of them.
    if (is_guess && probe.fits[best] * 2 <= probe.packets) return;
    layout_ = net::trailer_layouts[best];
    source_ = {model::TimeDomain::trailer_ns, net::name(layout_->format)};
}

std::optional<StampedFrame> StampedFrames::next() {
    if (!error_.empty()) return std::nullopt;
    while (const std::optional<capture::CapturedFrame> captured = reader_.next()) {
        ++counts_.frames;
        if (std::optional<StampedFrame> frame = read(*captured)) return frame;
    }
    return std::nullopt;
}

std::optional<StampedFrame> StampedFrames::read(const capture::CapturedFrame& captured) {
    StampedFrame frame;
    frame.place = {capture_, captured.number, captured.time_ns};
    frame.bytes = captured.bytes;
    if (reader_.is_erf()) {
        const Result<net::ErfRecord> record = net::read_erf(captured.bytes);
        if (!record) {
            ++(record.error() == Errc::truncated ? counts_.cut : counts_.not_ipv4);
            return std::nullopt;
        }
        frame.place.time_ns = record->time_ns;
        frame.bytes = record->frame;
    }
    const Result<net::Ipv4Packet> packet = net::find_ipv4(frame.bytes);
    if (!packet) {
        ++(packet.error() == Errc::truncated ? counts_.cut : counts_.not_ipv4);
        return std::nullopt;
    }
    frame.packet = *packet;
    if (!layout_) return frame;
    std::optional<net::SwitchStamp> stamp;
    if (!captured.is_cut())
        stamp = net::read_trailer(captured.bytes, packet->end, captured.time_ns, *layout_);
    if (!stamp) {
        ++counts_.without_stamp;
        return std::nullopt;
    }
    frame.place.time_ns = stamp->time_ns;
    return frame;
}

}  // namespace tickpath::latency
