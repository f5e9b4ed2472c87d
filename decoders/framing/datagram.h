// Splits a UDP payload into what stands before the codec and what the codec reads, as the feed description
// says. Hot: once per datagram, on a receive core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"
#include "decoders/framing/description.h"
#include "decoders/framing/packet_header.h"

namespace tickpath::framing {

/// Which part of a message a datagram carries.
struct Chunk {
    std::uint16_t count = 1;
    std::uint16_t index = 1;  ///< from 1
};

/// Views into the payload it was split from.
struct Datagram {
    /// `truncated` when the payload ends inside the preamble or before its chunk does; `unknown` when the
    /// header is another sender's; `d9` when it is of another template; `bad_length` when the numbers of
    /// chunks contradict one another; else an error of PacketHeader.
    Errc error = Errc::ok;
    bool has_sequence = false;          ///< the preamble holds the packet number
    std::uint64_t sequence = 0;         ///< valid when `has_sequence`
    std::span<const std::byte> body;    ///< FAST messages, or a chunk of one
    Chunk chunk;                        ///< of PreambleForm::chunked
    std::size_t trailing_bytes = 0;     ///< behind a chunk, of which its length does not tell
    std::uint64_t sending_time_ns = 0;  ///< of PreambleForm::header
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

[[nodiscard]] inline Datagram split_header(std::span<const std::byte> payload,
                                           const Preamble& preamble) noexcept {
    const PacketHeader header = PacketHeaderReader(payload).read();
    Datagram datagram;
    datagram.error = header.error;
    if (header.error != Errc::ok) return datagram;
    if (preamble.header_template != 0 && header.template_id != preamble.header_template)
        datagram.error = Errc::d9;
    else if (preamble.sender && header.sender != *preamble.sender)
        datagram.error = Errc::unknown;
    if (datagram.error != Errc::ok) return datagram;
    datagram.has_sequence = true;
    datagram.sequence = header.number;
    datagram.sending_time_ns = header.sending_time_ns;
    datagram.body = payload.subspan(header.bytes);
    return datagram;
}

/// `datagram` is split as far as the preamble goes.
inline void split_chunk(std::span<const std::byte> payload, const Preamble& preamble,
                        Datagram& datagram) noexcept {
    const auto number = [&](std::uint32_t index) {
        return load_number(payload.data() + preamble.chunk_offset + 2 * std::size_t{index}, 2,
                           preamble.sequence_order);
    };
    datagram.chunk = {static_cast<std::uint16_t>(number(0)), static_cast<std::uint16_t>(number(1))};
    const std::size_t bytes = number(2);
    const bool is_one_of_them = datagram.chunk.index >= 1 && datagram.chunk.index <= datagram.chunk.count;
    if (!is_one_of_them || bytes == 0) [[unlikely]]
        datagram.error = Errc::bad_length;
    else if (bytes > datagram.body.size()) [[unlikely]]
        datagram.error = Errc::truncated;
    if (datagram.error != Errc::ok) [[unlikely]] {
        datagram.body = {};
        return;
    }
    datagram.trailing_bytes = datagram.body.size() - bytes;
    datagram.body = datagram.body.first(bytes);
}

[[nodiscard]] inline Datagram split(std::span<const std::byte> payload, const Preamble& preamble) noexcept {
    if (preamble.form == PreambleForm::header) [[unlikely]]
        return split_header(payload, preamble);
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
    if (preamble.form == PreambleForm::chunked) [[unlikely]]
        split_chunk(payload, preamble, datagram);
    return datagram;
}

}  // namespace tickpath::framing
