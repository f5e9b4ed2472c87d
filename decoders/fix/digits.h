// Eight decimal digits at a time in one 64-bit word: the arithmetic under numbers, times and templates. Hot.
#pragma once

#include <bit>
#include <cstdint>

namespace tickpath::fix::detail {

/// The eight digits of `value` (< 10^8) as bytes 0 to 9, most significant in the lowest byte, so that a
/// little-endian store puts them in reading order. Three steps, each splitting every lane into quotient and
/// rest: 10^4, 10^2, 10. The reciprocals are exact for lanes of that size.
[[nodiscard]] constexpr std::uint64_t eight_digits(std::uint32_t value) noexcept {
    const std::uint64_t quotient = value / 10'000;
    std::uint64_t lanes = quotient | (static_cast<std::uint64_t>(value) - quotient * 10'000) << 32;
    const std::uint64_t hundreds = ((lanes * 10'486) >> 20) & 0x0000'007F'0000'007Fu;
    lanes = hundreds | (lanes - hundreds * 100) << 16;
    const std::uint64_t tens = ((lanes * 103) >> 10) & 0x000F'000F'000F'000Fu;
    return tens | (lanes - tens * 10) << 8;
}

/// Sum of the eight bytes of `digits`, each at most 9.
[[nodiscard]] constexpr std::uint32_t digit_sum(std::uint64_t digits) noexcept {
    return static_cast<std::uint32_t>((digits * 0x0101'0101'0101'0101u) >> 56);
}

inline constexpr std::uint64_t eight_ascii_zeros = 0x3030'3030'3030'3030u;

static_assert(eight_digits(12'345'678) == 0x0807'0605'0403'0201u);
static_assert(eight_digits(99'999'999) == 0x0909'0909'0909'0909u);
static_assert(eight_digits(9'990'100) == 0x0000'0100'0909'0900u);
static_assert(digit_sum(eight_digits(12'345'678)) == 36);

}  // namespace tickpath::fix::detail
