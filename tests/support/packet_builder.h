// Makes Ethernet frames with UDP datagrams for tests, byte by byte and with right checksums. Independent of
// decoders/net: it is the other side of that coin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tickpath::test {

using Bytes = std::vector<std::byte>;

/// The text's characters as bytes: bytes_of("abc").
[[nodiscard]] inline Bytes bytes_of(std::string_view text) {
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

/// A datagram and everything around it; the defaults make an ordinary multicast frame.
///
///     const Bytes frame = build_frame({.address = 0xEF010101, .port = 9000, .payload = bytes_of("hello")});
struct UdpPacket {
    std::array<std::uint8_t, 6> source_mac = {0x02, 0, 0, 0, 0, 0x01};
    std::vector<std::uint16_t> vlan_ids{};       ///< outermost first; two tags get 0x88A8 outside
    std::uint32_t source_address = 0x0A09'0001;  ///< 10.9.0.1
    std::uint16_t source_port = 40000;
    std::uint32_t address = 0xEF01'0101;  ///< 239.1.1.1; the destination MAC follows from it
    std::uint16_t port = 9000;
    Bytes payload{};
    std::uint8_t ip_option_words = 0;      ///< 4-byte no-operation options behind the IPv4 header
    std::uint16_t fragment_word = 0x4000;  ///< flags and offset: don't fragment
    std::uint8_t protocol = 17;
    bool has_udp_checksum = true;      ///< else 0, "not computed"
    std::size_t frame_bytes_min = 60;  ///< shorter frames are padded with zeros, as on the wire
};

namespace detail {

inline void put8(Bytes& to, std::uint32_t value) {
    to.push_back(static_cast<std::byte>(value & 0xFFu));
}
inline void put16(Bytes& to, std::uint32_t value) {
    put8(to, value >> 8);
    put8(to, value);
}
inline void put32(Bytes& to, std::uint32_t value) {
    put16(to, value >> 16);
    put16(to, value);
}
inline void set16(Bytes& in, std::size_t at, std::uint16_t value) {
    in[at] = static_cast<std::byte>(value >> 8);
    in[at + 1] = static_cast<std::byte>(value & 0xFFu);
}

// RFC 1071, one byte at a time.
[[nodiscard]] inline std::uint16_t internet_checksum(std::span<const std::byte> bytes,
                                                     std::uint32_t sum = 0) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        sum += std::to_integer<std::uint32_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
        if (sum > 0xFFFF) sum -= 0xFFFF;
    }
    return static_cast<std::uint16_t>(~sum & 0xFFFFu);
}

inline void put_ethernet(Bytes& frame, const UdpPacket& packet) {
    const std::uint32_t group_bits = packet.address & 0x7F'FFFFu;  // RFC 1112: the low 23 bits of the address
    put16(frame, 0x0100);
    put32(frame, 0x5E00'0000u | group_bits);
    for (const std::uint8_t byte : packet.source_mac)
        put8(frame, byte);
    for (std::size_t i = 0; i < packet.vlan_ids.size(); ++i) {
        put16(frame, i + 1 < packet.vlan_ids.size() ? 0x88A8 : 0x8100);
        put16(frame, packet.vlan_ids[i]);
    }
    put16(frame, 0x0800);
}

inline void put_ipv4(Bytes& frame, const UdpPacket& packet, std::size_t udp_bytes) {
    const std::size_t start = frame.size();
    const std::size_t header_bytes = 20 + packet.ip_option_words * std::size_t{4};
    put8(frame, 0x40u | static_cast<std::uint32_t>(header_bytes / 4));
    put8(frame, 0);
    put16(frame, static_cast<std::uint32_t>(header_bytes + udp_bytes));
    put16(frame, 0);
    put16(frame, packet.fragment_word);
    put8(frame, 1);  // TTL of link-local multicast
    put8(frame, packet.protocol);
    put16(frame, 0);
    put32(frame, packet.source_address);
    put32(frame, packet.address);
    for (int i = 0; i < packet.ip_option_words * 4; ++i)
        put8(frame, 1);
    set16(frame, start + 10, internet_checksum(std::span(frame).subspan(start)));
}

inline void put_udp(Bytes& frame, const UdpPacket& packet, std::size_t udp_bytes) {
    const std::size_t start = frame.size();
    put16(frame, packet.source_port);
    put16(frame, packet.port);
    put16(frame, static_cast<std::uint32_t>(udp_bytes));
    put16(frame, 0);
    frame.insert(frame.end(), packet.payload.begin(), packet.payload.end());
    if (!packet.has_udp_checksum) return;
    Bytes covered;
    put32(covered, packet.source_address);
    put32(covered, packet.address);
    put16(covered, packet.protocol);
    put16(covered, static_cast<std::uint32_t>(udp_bytes));
    covered.insert(covered.end(), frame.begin() + static_cast<std::ptrdiff_t>(start), frame.end());
    const std::uint16_t checksum = internet_checksum(covered);
    set16(frame, start + 6, checksum == 0 ? 0xFFFF : checksum);  // 0 means "not computed"
}

}  // namespace detail

/// The whole frame, without FCS.
[[nodiscard]] inline Bytes build_frame(const UdpPacket& packet) {
    const std::size_t udp_bytes = 8 + packet.payload.size();
    Bytes frame;
    detail::put_ethernet(frame, packet);
    detail::put_ipv4(frame, packet, udp_bytes);
    detail::put_udp(frame, packet, udp_bytes);
    if (frame.size() < packet.frame_bytes_min) frame.resize(packet.frame_bytes_min);
    return frame;
}

}  // namespace tickpath::test
