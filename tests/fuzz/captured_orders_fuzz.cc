// Bytes as frames of a capture: headers, trailers, records, and the TCP segments in them as one stream of
// FIX.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "control/latency/order_flow.h"
#include "decoders/net/erf.h"
#include "decoders/net/ipv4.h"
#include "decoders/net/tcp.h"
#include "decoders/net/trailer.h"

namespace {

using namespace tickpath;

void expect(bool holds) {
    if (!holds) std::abort();
}

void read_frame(std::span<const std::byte> frame) {
    const Result<net::Ipv4Packet> packet = net::find_ipv4(frame);
    if (!packet) return;
    expect(packet->end <= frame.size() && packet->payload.size() <= frame.size());
    if (const Result<net::TcpSegment> segment = net::parse_tcp(*packet))
        expect(segment->payload.size() <= packet->payload.size());
    for (const net::TrailerLayout layout : net::trailer_layouts)
        static_cast<void>(net::read_trailer(frame, packet->end, 1'796'049'000'000'000'000u, layout));
}

/// Each segment: two bytes of how far its sequence jumps, one of flags, one of size, then its bytes.
void read_stream(std::span<const std::byte> bytes) {
    constexpr std::size_t header_bytes = 4;
    latency::OrderFlow flow;
    latency::FlowCounts counts;
    std::vector<latency::Order> orders;
    net::TcpSegment segment;
    std::uint64_t now_ns = 0;
    while (bytes.size() >= header_bytes) {
        segment.sequence +=
            static_cast<std::uint32_t>(static_cast<std::int16_t>(load_big<std::uint16_t>(bytes.data())));
        segment.is_syn = (bytes[2] & std::byte{0x80}) != std::byte{0};
        const std::size_t size = std::to_integer<std::size_t>(bytes[3]);
        bytes = bytes.subspan(header_bytes);
        segment.payload = bytes.first(size < bytes.size() ? size : bytes.size());
        bytes = bytes.subspan(segment.payload.size());
        flow.on_segment(segment, {.capture = 0, .frame = now_ns, .time_ns = ++now_ns}, orders, counts);
        segment.sequence += static_cast<std::uint32_t>(segment.payload.size());
    }
    flow.finish(orders, counts);
    for (const latency::Order& order : orders)
        expect(order.place.time_ns != 0 && order.place.time_ns <= now_ns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::byte> bytes{reinterpret_cast<const std::byte*>(data), size};
    read_frame(bytes);
    if (const Result<net::ErfRecord> record = net::read_erf(bytes)) {
        expect(record->frame.size() < bytes.size());
        read_frame(record->frame);
    }
    read_stream(bytes);
    return 0;
}
