// Which received frames are the order stack's: ARP, TCP and ping for its address. Hot: once per frame of the
// order wire, before the stack sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tickpath::port {

enum class OrderFrame : std::uint8_t {
    other,         ///< not for this address, or nothing that the stack serves
    arp,           ///< asks for our address or answers us
    tcp,           ///< a whole segment with a good checksum
    ping,          ///< an ICMP message
    fragment,      ///< of a datagram for us: counterparties do not fragment TCP
    bad_checksum,  ///< a TCP segment or its IPv4 header is damaged
    malformed,     ///< shorter than its own headers say
};

/// `address` is ours, in network byte order. Reads within `frame` only, whatever its headers say.
[[nodiscard]] OrderFrame classify(std::span<const std::byte> frame, std::uint32_t address) noexcept;

/// The Internet checksum (RFC 1071) over `bytes`, started with `sum`, folded but not inverted.
[[nodiscard]] std::uint32_t checksum_sum(std::span<const std::byte> bytes, std::uint32_t sum = 0) noexcept;

/// Where a TCP segment stands in its stream.
struct SegmentPlace {
    std::uint16_t source_port = 0;
    std::uint32_t sequence = 0;
    std::uint32_t length = 0;  ///< in sequence numbers: payload bytes, one more for SYN and for FIN
    bool is_tcp = false;
    bool is_first = false;  ///< has SYN
};

/// Of an IPv4 frame that our own stack made.
[[nodiscard]] SegmentPlace place_of(std::span<const std::byte> frame) noexcept;

}  // namespace tickpath::port
