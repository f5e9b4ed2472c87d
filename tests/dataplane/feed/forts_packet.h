// The packet number of a recorded FORTS datagram, read without a decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tickpath::test {

/// The stop-bit number behind reset, map and template id.
inline std::uint64_t forts_packet_number(std::span<const std::byte> payload) {
    std::uint64_t number = 0;
    for (std::size_t i = 4; i < payload.size(); ++i) {
        number = number << 7 | (static_cast<unsigned>(payload[i]) & 0x7Fu);
        if ((static_cast<unsigned>(payload[i]) & 0x80u) != 0) break;
    }
    return number;
}

}  // namespace tickpath::test
