// The IPv4 packet in an Ethernet frame, whatever it carries: where it lies, who sent it and where it ends.
// For captures, which hold more than the datagrams that headers.h finds on a receive core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"
#include "decoders/net/headers.h"

namespace tickpath::net {

/// Points into the frame it was found in. Addresses are in host byte order.
struct Ipv4Packet {
    std::uint32_t source_address = 0;
    std::uint32_t address = 0;
    std::uint8_t protocol = 0;
    bool is_fragment = false;
    std::span<const std::byte> payload;  ///< cut by the total length: padding and trailers are not part of it
    std::size_t end = 0;                 ///< offset in the frame of what stands behind the packet
};

/// Finds the packet behind no, one or two VLAN tags. Errors: `unknown` for another ethertype, `truncated`
/// when the frame ends before the packet does, `bad_length` when the header contradicts itself.
[[nodiscard]] inline Result<Ipv4Packet> find_ipv4(std::span<const std::byte> frame) noexcept {
    std::size_t at = ethernet_header_bytes;
    if (frame.size() < at) return Errc::truncated;
    std::uint16_t ethertype = load_big<std::uint16_t>(frame.data() + at - 2);
    for (int tags = 0; detail::is_vlan(ethertype) && tags < 2; ++tags) {
        at += vlan_tag_bytes;
        if (frame.size() < at) return Errc::truncated;
        ethertype = load_big<std::uint16_t>(frame.data() + at - 2);
    }
    if (ethertype != detail::ethertype_ipv4) return Errc::unknown;
    if (frame.size() - at < ipv4_header_bytes_min) return Errc::truncated;

    const std::byte* const ip = frame.data() + at;
    const auto version_and_length = std::to_integer<unsigned>(ip[0]);
    const std::size_t header_bytes = (version_and_length & 0x0Fu) * std::size_t{4};
    const std::size_t total_bytes = load_big<std::uint16_t>(ip + 2);
    if (version_and_length >> 4 != 4 || header_bytes < ipv4_header_bytes_min || total_bytes < header_bytes)
        return Errc::bad_length;
    if (frame.size() - at < total_bytes) return Errc::truncated;

    Ipv4Packet packet;
    packet.source_address = load_big<std::uint32_t>(ip + 12);
    packet.address = load_big<std::uint32_t>(ip + 16);
    packet.protocol = std::to_integer<std::uint8_t>(ip[9]);
    packet.is_fragment = (load_big<std::uint16_t>(ip + 6) & detail::more_fragments_and_offset) != 0;
    packet.payload = {ip + header_bytes, total_bytes - header_bytes};
    packet.end = at + total_bytes;
    return packet;
}

}  // namespace tickpath::net
