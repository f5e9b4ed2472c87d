// Splits a UDP payload into what stands before the codec and what the codec reads, as the feed description
// says. Hot: once per datagram, on a receive core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"
#include "decoders/framing/description.h"

namespace tickpath::framing {

/// Views into the payload it was split from.
struct Datagram {
    Errc error = Errc::ok;            ///< `truncated` when the payload ends inside the preamble
    bool has_sequence = false;        ///< the preamble holds the packet number
    std::uint64_t sequence = 0;       ///< valid when `has_sequence`
    std::span<const std::byte> body;  ///< FAST messages
};

[[nodiscard]] inline std::uint64_t load_number(const std::byte* from, std::uint32_t bytes,
                                               ByteOrder order) noexcept {
    std::uint64_t number = 0;
    for (std::uint32_t i = 0; i < bytes; ++i) {  // at most 8
        const std::uint32_t at = order == ByteOrder::big ? i : bytes - 1 - i;
        number = (number << 8) | static_cast<std::uint8_t>(from[at]);
    }
    return number;
}

[[nodiscard]] inline Datagram split(std::span<const std::byte> payload, const Preamble& preamble) noexcept {
    Datagram datagram;
    if (payload.size() < preamble.bytes) [[unlikely]] {
        datagram.error = Errc::truncated;
        return datagram;
    }
    datagram.body = payload.subspan(preamble.bytes);
    if (preamble.sequence_bytes != 0) {
        datagram.has_sequence = true;
        const std::byte* const number = payload.data() + preamble.sequence_offset;
        // The layout of both MOEX feeds; the others take the loop.
        datagram.sequence = preamble.sequence_bytes == 4 && preamble.sequence_order == ByteOrder::little
                                ? load_little<std::uint32_t>(number)
                                : load_number(number, preamble.sequence_bytes, preamble.sequence_order);
    }
    return datagram;
}

}  // namespace tickpath::framing
