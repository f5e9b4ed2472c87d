// Ethernet, VLAN, IPv4 and UDP headers of one received frame, as views. Hot: once per frame, on a receive
// core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "decoders/base/bytes.h"
#include "decoders/net/mac_address.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::net {

inline constexpr std::size_t ethernet_header_bytes = 14;
inline constexpr std::size_t vlan_tag_bytes = 4;
inline constexpr std::size_t ipv4_header_bytes_min = 20;
inline constexpr std::size_t udp_header_bytes = 8;

/// What stands in the way of a frame being a whole UDP datagram; `ok` when nothing does. Checked in this
/// order.
enum class UdpOutcome : std::uint8_t {
    ok,
    truncated,   ///< the frame ends before a header does, or before the IPv4 total length says
    not_ipv4,    ///< another ethertype, or more than two VLAN tags
    bad_header,  ///< a header contradicts itself: version, header length, total length, UDP length
    not_udp,     ///< another protocol over IPv4
    fragment,    ///< part of a datagram: exchange feeds do not fragment
};

inline constexpr std::size_t udp_outcome_count = 6;

/// The name of the counter of this cause: "truncated", "not_ipv4", …
[[nodiscard]] constexpr std::string_view name(UdpOutcome outcome) noexcept {
    switch (outcome) {
        case UdpOutcome::ok:
            return "ok";
        case UdpOutcome::truncated:
            return "truncated";
        case UdpOutcome::not_ipv4:
            return "not_ipv4";
        case UdpOutcome::bad_header:
            return "bad_header";
        case UdpOutcome::not_udp:
            return "not_udp";
        case UdpOutcome::fragment:
            return "fragment";
    }
    return "ok";
}

/// Points into the frame it was parsed from.
struct UdpView {
    MacAddress source_mac;             ///< a frame from our own address is an echo of the local kernel
    MulticastGroup group;              ///< destination address and port, whether multicast or not
    std::uint32_t source_address = 0;  ///< host byte order
    std::uint16_t source_port = 0;
    std::uint16_t udp_checksum = 0;      ///< as sent; 0 = the sender did not compute one
    std::uint8_t vlan_tag_count = 0;     ///< 0, 1 or 2
    std::span<const std::byte> payload;  ///< cut by the UDP length: Ethernet padding is not part of it

    /// Where the payload starts in `frame`, the span this view was parsed from.
    [[nodiscard]] std::size_t payload_offset(std::span<const std::byte> frame) const noexcept {
        return static_cast<std::size_t>(payload.data() - frame.data());
    }
};

struct UdpParse {
    UdpOutcome outcome = UdpOutcome::truncated;
    UdpView udp;  ///< complete when `outcome` is ok; `source_mac` is set whenever 14 bytes were there
};

namespace detail {

inline constexpr std::uint16_t ethertype_ipv4 = 0x0800;
inline constexpr std::uint8_t protocol_udp = 17;
inline constexpr std::uint16_t more_fragments_and_offset = 0x3FFF;  // MF bit and the 13-bit offset

// 802.1Q, 802.1ad and the QinQ type that predates it.
[[nodiscard]] constexpr bool is_vlan(std::uint16_t ethertype) noexcept {
    return ethertype == 0x8100 || ethertype == 0x88A8 || ethertype == 0x9100;
}

}  // namespace detail

/// Finds the UDP payload of an Ethernet frame (without FCS) behind no, one or two VLAN tags.
///
/// Lengths come from the headers and are checked against the frame, never the other way round: af_packet
/// hands over kernel-reassembled datagrams cut at its frame size without an error (spec/dataplane.md §4, duty
/// 2), and short frames are padded to 60 bytes. Checksums are not looked at, see checksum.h.
[[nodiscard]] inline UdpParse parse_udp(std::span<const std::byte> frame) noexcept {
    UdpParse parse;
    const std::byte* const data = frame.data();
    std::size_t at = ethernet_header_bytes;
    if (frame.size() < at) [[unlikely]]
        return parse;
    parse.udp.source_mac = load_mac(data + mac_address_bytes);
    std::uint16_t ethertype = load_big<std::uint16_t>(data + at - 2);
    while (detail::is_vlan(ethertype) && parse.udp.vlan_tag_count < 2) {
        at += vlan_tag_bytes;
        if (frame.size() < at) [[unlikely]]
            return parse;
        ethertype = load_big<std::uint16_t>(data + at - 2);
        ++parse.udp.vlan_tag_count;
    }
    if (ethertype != detail::ethertype_ipv4) [[unlikely]] {
        parse.outcome = UdpOutcome::not_ipv4;
        return parse;
    }

    if (frame.size() - at < ipv4_header_bytes_min) [[unlikely]]
        return parse;
    const std::byte* const ip = data + at;
    const auto version_and_length = static_cast<std::uint8_t>(ip[0]);
    const std::size_t ip_header_bytes = (version_and_length & 0x0Fu) * std::size_t{4};
    const std::size_t ip_total_bytes = load_big<std::uint16_t>(ip + 2);
    if (version_and_length >> 4 != 4 || ip_header_bytes < ipv4_header_bytes_min ||
        ip_total_bytes < ip_header_bytes) [[unlikely]] {
        parse.outcome = UdpOutcome::bad_header;
        return parse;
    }
    if (static_cast<std::uint8_t>(ip[9]) != detail::protocol_udp) [[unlikely]] {
        parse.outcome = UdpOutcome::not_udp;
        return parse;
    }
    if ((load_big<std::uint16_t>(ip + 6) & detail::more_fragments_and_offset) != 0) [[unlikely]] {
        parse.outcome = UdpOutcome::fragment;
        return parse;
    }
    if (frame.size() - at < ip_total_bytes) [[unlikely]]
        return parse;

    const std::byte* const udp = ip + ip_header_bytes;
    const std::size_t udp_bytes_there = ip_total_bytes - ip_header_bytes;
    const std::size_t udp_bytes = udp_bytes_there < udp_header_bytes ? 0 : load_big<std::uint16_t>(udp + 4);
    if (udp_bytes < udp_header_bytes || udp_bytes > udp_bytes_there) [[unlikely]] {
        parse.outcome = UdpOutcome::bad_header;
        return parse;
    }
    parse.udp.source_address = load_big<std::uint32_t>(ip + 12);
    parse.udp.group = {load_big<std::uint32_t>(ip + 16), load_big<std::uint16_t>(udp + 2)};
    parse.udp.source_port = load_big<std::uint16_t>(udp);
    parse.udp.udp_checksum = load_big<std::uint16_t>(udp + 6);
    parse.udp.payload = {udp + udp_header_bytes, udp_bytes - udp_header_bytes};
    parse.outcome = UdpOutcome::ok;
    return parse;
}

}  // namespace tickpath::net
