// Where a feed's datagrams go: an IPv4 multicast address and a UDP port. The key of every channel table.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "decoders/net/mac_address.h"

namespace tickpath::net {

/// Both in host byte order: 239.1.1.1:9000 is {0xEF010101, 9000}. The headers of a frame fill one with
/// whatever destination is in them, so a value need not be multicast; text is checked by parse_group.
struct MulticastGroup {
    std::uint32_t address = 0;
    std::uint16_t port = 0;

    [[nodiscard]] constexpr bool is_multicast() const noexcept { return (address >> 28) == 0xE; }
    /// Both in one word, for hash tables: address in bits 16-47, port in bits 0-15.
    [[nodiscard]] constexpr std::uint64_t key() const noexcept {
        return (std::uint64_t{address} << 16) | port;
    }

    friend constexpr auto operator<=>(MulticastGroup, MulticastGroup) noexcept = default;
};

static_assert(MulticastGroup{0xEF01'0101, 9000}.is_multicast());
static_assert(!MulticastGroup{0x7F00'0001, 9000}.is_multicast());

/// The Ethernet address that frames to the group carry: 01:00:5e and its low 23 bits (RFC 1112 §6.4), so that
/// 32 groups share one.
[[nodiscard]] constexpr MacAddress mac_of(MulticastGroup group) noexcept {
    return {std::uint64_t{0x0100'5E00'0000} | (group.address & 0x7F'FFFFu)};
}

static_assert(mac_of({0xEF81'0101, 9000}) == MacAddress{0x0100'5E01'0101});

/// Reads "239.1.1.1:9000": four numbers without leading zeros, 224.0.0.0–239.255.255.255, port 1-65535.
///
/// Returns nullopt and writes one sentence for a person into `why_not` otherwise:
/// "239.1.1.300 is not an IPv4 multicast address (expected 224.0.0.0–239.255.255.255)".
[[nodiscard]] std::optional<MulticastGroup> parse_group(std::string_view text, std::string& why_not);

/// "239.1.1.1:9000"
[[nodiscard]] std::string to_text(MulticastGroup group);

}  // namespace tickpath::net
