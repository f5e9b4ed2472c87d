// Makes NSE datagrams byte by byte for tests. Independent of decoders/framing: it is the other side of that
// coin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tests/support/packet_builder.h"

namespace tickpath::test {

/// Numbers big-endian, as the feed has them.
inline void put_big(Bytes& to, std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i)
        to.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFFu));
}
inline void set_big(Bytes& in, std::size_t at, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
        in[at + static_cast<std::size_t>(i)] = static_cast<std::byte>(value >> (8 * (bytes - 1 - i)) & 0xFFu);
}

/// What tests set of a BCAST_HEADER.
struct NseHeader {
    std::uint8_t market = 2;  ///< 2 = FO, 4 = CM, 6 = CD
    std::int32_t log_time = 1'284'898'263;
    std::int16_t transcode = 7208;
    std::int32_t sequence = 1;
    std::uint64_t time_stamp_2 = 0x0000'4C95'FDD7'36F1;
    std::uint8_t machine = 5;
    std::int16_t length = 0;  ///< MessageLength; 0: what is right for the body
};

/// Prefix, header and body.
[[nodiscard]] inline Bytes nse_message(const NseHeader& header, const Bytes& body) {
    Bytes message;
    put_big(message, header.market, 1);
    for (const char c : std::string_view("YZ**123"))
        put_big(message, static_cast<std::uint8_t>(c), 1);
    put_big(message, 0, 4);
    put_big(message, static_cast<std::uint32_t>(header.log_time), 4);
    put_big(message, 0, 2);  // AlphaChar
    put_big(message, static_cast<std::uint16_t>(header.transcode), 2);
    put_big(message, 0, 2);  // ErrorCode
    put_big(message, static_cast<std::uint32_t>(header.sequence), 4);
    put_big(message, 0x3C00'0000, 4);
    put_big(message, header.time_stamp_2, 8);
    put_big(message, header.machine, 1);
    for (int i = 0; i < 7; ++i)
        put_big(message, ' ', 1);
    const std::size_t length =
        header.length != 0 ? static_cast<std::uint16_t>(header.length) : 40 + body.size();
    put_big(message, length, 2);
    message.insert(message.end(), body.begin(), body.end());
    return message;
}

/// A raw message as it is packed: CompressionLen 0 before it.
[[nodiscard]] inline Bytes packed_raw(const Bytes& message) {
    Bytes packed;
    put_big(packed, 0, 2);
    packed.insert(packed.end(), message.begin(), message.end());
    return packed;
}
[[nodiscard]] inline Bytes packed_block(std::span<const std::byte> block) {
    Bytes packed;
    put_big(packed, block.size(), 2);
    packed.insert(packed.end(), block.begin(), block.end());
    return packed;
}

/// cNetId, iNoPackets and what is packed.
[[nodiscard]] inline Bytes nse_datagram(std::uint8_t market, std::int16_t count,
                                        const std::vector<Bytes>& packed) {
    Bytes payload;
    put_big(payload, market, 1);
    put_big(payload, ' ', 1);
    put_big(payload, static_cast<std::uint16_t>(count), 2);
    for (const Bytes& message : packed)
        payload.insert(payload.end(), message.begin(), message.end());
    return payload;
}

/// The body of a 7202 ticker: `tokens` with fill price, volume and open interest after their number.
[[nodiscard]] inline Bytes nse_ticker_body(const std::vector<std::uint32_t>& tokens, std::int16_t count,
                                           std::uint16_t market_type = 1) {
    Bytes body;
    put_big(body, static_cast<std::uint16_t>(count), 2);
    for (std::size_t i = 0; i < 17; ++i) {
        const std::uint32_t token = i < tokens.size() ? tokens[i] : 0;
        put_big(body, token, 4);
        put_big(body, market_type, 2);
        put_big(body, token == 0 ? 0 : token + 1, 4);
        put_big(body, token == 0 ? 0 : token + 2, 4);
        put_big(body, token == 0 ? 0 : token + 3, 4);
        put_big(body, 0, 8);
    }
    return body;
}

/// A 17130 of one record, underlying open interest: it has a header of its own, where number and time of
/// others are zero or something else (spec nse-broadcast §6).
[[nodiscard]] inline Bytes nse_underlying_message(std::uint32_t token, std::uint64_t open_interest) {
    Bytes body;
    put_big(body, token, 4);
    put_big(body, open_interest, 8);
    body.resize(468);
    Bytes message = nse_message({.log_time = 0, .transcode = 17'130, .sequence = 0, .time_stamp_2 = 0}, body);
    set_big(message, 8 + 8, 0x464F, 2);  // MarketType "FO"
    set_big(message, 8 + 12, 1, 2);      // NoOfRecords
    return message;
}

/// The real FO datagram of 18 September 2020 (shared/data/feeds/nse/real-vectors.jsonl), from a public post:
/// one compressed 7208 of 237 bytes, 478 when decompressed.
inline constexpr std::string_view nse_real_block =
    "1a02595a2a2a313233004000054c95fdd700001c284028021dec213c00e04c0136f13220a0000701d600020000d1a90001601c60"
    "0315722080144010034b4c9385eb003a00014b000a0c1740ec4002041a000e0834a02e0bb8000e06cca02e012c406dc928005e02"
    "8aa02e0096000a11d5c02c411e11daa02e1cb6000e3f5ca02e02ee5d6128008e474fc02f0040bda0200140c66980601d80e2cc29"
    "0002d1b228035600005c010240d1002002000041d70119f42702370119efc32577000efea6a02e1d4c000efd48e2342c00ee5cf7"
    "2800ee5cfc008d002008000340cf33833740bfa42701402c02cc110000";

}  // namespace tickpath::test
