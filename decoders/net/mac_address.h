// An Ethernet address as a number, so that comparing two is one instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "decoders/base/bytes.h"

namespace tickpath::net {

inline constexpr std::size_t mac_address_bytes = 6;

/// The low 48 bits hold the address, first byte on the wire highest: 02:00:00:00:00:01 is 0x020000000001.
struct MacAddress {
    std::uint64_t bits = 0;

    friend constexpr bool operator==(MacAddress, MacAddress) noexcept = default;
};

/// Reads 6 bytes at `from`.
[[nodiscard]] inline MacAddress load_mac(const std::byte* from) noexcept {
    return {(std::uint64_t{load_big<std::uint16_t>(from)} << 32) | load_big<std::uint32_t>(from + 2)};
}

/// "02:00:00:00:00:01"
[[nodiscard]] std::string to_text(MacAddress address);

}  // namespace tickpath::net
