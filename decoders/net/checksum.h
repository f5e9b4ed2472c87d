// The Internet checksum (RFC 1071) of received datagrams: strict mode only, off by default because a local
// sender over veth leaves it partial (spec/dataplane.md §4, duty 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/net/headers.h"

namespace tickpath::net {

/// Adds the bytes as big-endian 16-bit words to a running sum; an odd last byte counts as the high half of a
/// word, so only the last of several parts may be odd.
[[nodiscard]] std::uint64_t checksum_add(std::uint64_t sum, std::span<const std::byte> bytes) noexcept;

/// The ones' complement of the folded sum, as it stands in a header.
[[nodiscard]] std::uint16_t checksum_of(std::uint64_t sum) noexcept;

/// True when the datagram carries no checksum (0) or one that fits its addresses, ports and payload.
[[nodiscard]] bool has_good_checksum(const UdpView& datagram) noexcept;

}  // namespace tickpath::net
