// One TCP segment of a captured packet, as a view. Cold: the order links have a stack of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"
#include "decoders/net/ipv4.h"

namespace tickpath::net {

inline constexpr std::uint8_t tcp_protocol = 6;
inline constexpr std::size_t tcp_header_bytes_min = 20;

struct TcpSegment {
    std::uint16_t source_port = 0;
    std::uint16_t port = 0;
    std::uint32_t sequence = 0;  ///< of the first payload byte; of the SYN itself when `is_syn`
    bool is_syn = false;
    std::span<const std::byte> payload;
};

/// Errors: `unknown` for another protocol, and for a fragment, which has no header of its own; `truncated`
/// when the packet ends before the header does; `bad_length` when the header's length cannot be. Checksums
/// are not looked at: a capture on the sending machine is made before the interface fills them in.
[[nodiscard]] inline Result<TcpSegment> parse_tcp(const Ipv4Packet& packet) noexcept {
    if (packet.protocol != tcp_protocol || packet.is_fragment) return Errc::unknown;
    if (packet.payload.size() < tcp_header_bytes_min) return Errc::truncated;
    const std::byte* const tcp = packet.payload.data();
    const std::size_t header_bytes = (std::to_integer<unsigned>(tcp[12]) >> 4) * std::size_t{4};
    if (header_bytes < tcp_header_bytes_min) return Errc::bad_length;
    if (header_bytes > packet.payload.size()) return Errc::truncated;
    constexpr unsigned syn_flag = 0x02;
    TcpSegment segment;
    segment.source_port = load_big<std::uint16_t>(tcp);
    segment.port = load_big<std::uint16_t>(tcp + 2);
    segment.sequence = load_big<std::uint32_t>(tcp + 4);
    segment.is_syn = (std::to_integer<unsigned>(tcp[13]) & syn_flag) != 0;
    segment.payload = packet.payload.subspan(header_bytes);
    return segment;
}

}  // namespace tickpath::net
