// CheckSum (10): the sum of all bytes before it, modulo 256, as three digits (spec/fix-session.md §1.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "decoders/fix/tags.h"

namespace tickpath::fix {

[[nodiscard]] constexpr std::uint8_t checksum(std::string_view bytes) noexcept {
    std::uint32_t sum = 0;
    for (const char byte : bytes)
        sum += static_cast<std::uint8_t>(byte);
    return static_cast<std::uint8_t>(sum);
}

static_assert(checksum("8=FIX.4.4\x01"
                       "9=51\x01"
                       "35=0\x01"
                       "34=2\x01"
                       "49=ISLD\x01"
                       "52=20260105-10:00:00.000\x01"
                       "56=TW44\x01") == 243);  // the specification's worked vector

namespace detail {

inline constexpr auto checksum_texts = [] {
    std::array<std::array<char, 4>, 256> texts{};
    for (std::size_t i = 0; i < texts.size(); ++i)
        texts[i] = {static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                    static_cast<char>('0' + i % 10), soh};
    return texts;
}();

}  // namespace detail

inline constexpr std::size_t checksum_chars = 4;  ///< three digits and SOH

/// Writes the three digits of `sum` modulo 256 and the SOH behind them; returns the end.
inline char* write_checksum(char* to, std::uint32_t sum) noexcept {
    std::memcpy(to, detail::checksum_texts[sum & 0xFFu].data(), checksum_chars);
    return to + checksum_chars;
}

}  // namespace tickpath::fix
