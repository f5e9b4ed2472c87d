#include "dataplane/port/order_frame.h"

#include <cstring>

#include "decoders/base/bytes.h"

namespace tickpath::port {
namespace {

constexpr std::size_t ethernet_bytes = 14;
constexpr std::uint16_t ethertype_ipv4 = 0x0800;
constexpr std::uint16_t ethertype_arp = 0x0806;
constexpr std::size_t arp_bytes = 28;
constexpr std::size_t arp_target_offset = 24;
constexpr std::size_t ipv4_bytes_min = 20;
constexpr std::size_t tcp_bytes_min = 20;
constexpr std::uint8_t protocol_icmp = 1;
constexpr std::uint8_t protocol_tcp = 6;
constexpr std::uint16_t fragment_bits = 0x3FFF;  // more fragments, or an offset
constexpr std::uint8_t tcp_fin = 1;
constexpr std::uint8_t tcp_syn = 2;

[[nodiscard]] bool is_address(const std::byte* at, std::uint32_t address) noexcept {
    return std::memcmp(at, &address, sizeof address) == 0;
}

[[nodiscard]] std::uint8_t octet(std::span<const std::byte> bytes, std::size_t at) noexcept {
    return std::to_integer<std::uint8_t>(bytes[at]);
}

/// RFC 9293 §3.1: over addresses, protocol and length of the segment, then the segment.
[[nodiscard]] bool has_good_tcp_checksum(std::span<const std::byte> ip,
                                         std::span<const std::byte> segment) noexcept {
    const std::uint32_t pseudo =
        checksum_sum(ip.subspan(12, 8), protocol_tcp + static_cast<std::uint32_t>(segment.size()));
    return checksum_sum(segment, pseudo) == 0xFFFF;
}

[[nodiscard]] OrderFrame classify_ipv4(std::span<const std::byte> packet, std::uint32_t address) noexcept {
    if (packet.size() < ipv4_bytes_min) return OrderFrame::malformed;
    if (!is_address(packet.data() + 16, address)) return OrderFrame::other;
    const std::size_t header_bytes = std::size_t{octet(packet, 0)} % 16 * 4;
    const std::size_t total_bytes = load_big<std::uint16_t>(packet.data() + 2);
    if (octet(packet, 0) / 16 != 4 || header_bytes < ipv4_bytes_min || total_bytes < header_bytes ||
        total_bytes > packet.size())
        return OrderFrame::malformed;
    if (checksum_sum(packet.first(header_bytes)) != 0xFFFF) return OrderFrame::bad_checksum;
    if ((load_big<std::uint16_t>(packet.data() + 6) & fragment_bits) != 0) return OrderFrame::fragment;
    if (octet(packet, 9) == protocol_icmp) return OrderFrame::ping;
    if (octet(packet, 9) != protocol_tcp) return OrderFrame::other;
    const auto segment = packet.first(total_bytes).subspan(header_bytes);
    if (segment.size() < tcp_bytes_min) return OrderFrame::malformed;
    return has_good_tcp_checksum(packet, segment) ? OrderFrame::tcp : OrderFrame::bad_checksum;
}

}  // namespace

std::uint32_t checksum_sum(std::span<const std::byte> bytes, std::uint32_t sum) noexcept {
    std::uint64_t wide = sum;
    std::size_t at = 0;
    for (; at + 2 <= bytes.size(); at += 2)
        wide += load_big<std::uint16_t>(bytes.data() + at);
    if (at < bytes.size()) wide += std::uint64_t{octet(bytes, at)} << 8;
    while (wide >> 16 != 0)
        wide = (wide & 0xFFFF) + (wide >> 16);
    return static_cast<std::uint32_t>(wide);
}

OrderFrame classify(std::span<const std::byte> frame, std::uint32_t address) noexcept {
    if (frame.size() < ethernet_bytes) return OrderFrame::malformed;
    const auto ethertype = load_big<std::uint16_t>(frame.data() + 12);
    const auto packet = frame.subspan(ethernet_bytes);
    if (ethertype == ethertype_ipv4) return classify_ipv4(packet, address);
    if (ethertype != ethertype_arp) return OrderFrame::other;
    if (packet.size() < arp_bytes) return OrderFrame::malformed;
    return is_address(packet.data() + arp_target_offset, address) ? OrderFrame::arp : OrderFrame::other;
}

SegmentPlace place_of(std::span<const std::byte> frame) noexcept {
    if (frame.size() < ethernet_bytes + ipv4_bytes_min + tcp_bytes_min ||
        load_big<std::uint16_t>(frame.data() + 12) != ethertype_ipv4)
        return {};
    const auto packet = frame.subspan(ethernet_bytes);
    const std::size_t header_bytes = std::size_t{octet(packet, 0)} % 16 * 4;
    if (octet(packet, 9) != protocol_tcp || packet.size() < header_bytes + tcp_bytes_min) return {};
    const auto segment = packet.subspan(header_bytes);
    const std::size_t tcp_bytes = std::size_t{octet(segment, 12)} / 16 * 4;
    const std::size_t total_bytes = load_big<std::uint16_t>(packet.data() + 2);
    if (total_bytes < header_bytes + tcp_bytes) return {};
    const std::uint8_t flags = octet(segment, 13);
    const bool has_syn = (flags & tcp_syn) != 0;
    return {.source_port = load_big<std::uint16_t>(segment.data()),
            .sequence = load_big<std::uint32_t>(segment.data() + 4),
            .length = static_cast<std::uint32_t>(total_bytes - header_bytes - tcp_bytes) +
                      (has_syn ? 1u : 0u) + ((flags & tcp_fin) != 0 ? 1u : 0u),
            .is_tcp = true,
            .is_first = has_syn};
}

}  // namespace tickpath::port
