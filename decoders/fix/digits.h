// Eight decimal digits at a time in one 64-bit word: the arithmetic under numbers, times and templates. Hot.
#pragma once

#include <cstdint>

#include <emmintrin.h>

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

/// The digits of four values (each < 10^8) at once, as eight_digits gives them: value 0 in the low half of
/// `first`, 1 in its high half, 2 and 3 in `second`. The same three steps in vector lanes: half the work of
/// four calls.
struct FourByEight {
    __m128i first;
    __m128i second;
};
[[nodiscard]] inline FourByEight four_by_eight_digits(std::uint32_t v0, std::uint32_t v1, std::uint32_t v2,
                                                      std::uint32_t v3) noexcept {
    const __m128i values =
        _mm_set_epi32(static_cast<int>(v3), static_cast<int>(v2), static_cast<int>(v1), static_cast<int>(v0));
    const __m128i by_ten_thousand =
        _mm_set1_epi32(static_cast<int>(0xD1B7'1759u));  // 2^45 / 10^4, rounded up
    const __m128i even = _mm_srli_epi64(_mm_mul_epu32(values, by_ten_thousand), 45);
    const __m128i odd = _mm_srli_epi64(_mm_mul_epu32(_mm_srli_epi64(values, 32), by_ten_thousand), 45);
    const __m128i quotients = _mm_or_si128(even, _mm_slli_epi64(odd, 32));
    const __m128i rests = _mm_sub_epi32(values, _mm_madd_epi16(quotients, _mm_set1_epi32(10'000)));
    const __m128i fours = _mm_or_si128(quotients, _mm_slli_epi32(rests, 16));  // lanes of four digits

    const __m128i hundreds = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi16(5'243)), 3);  // 2^19 / 100
    const __m128i below = _mm_sub_epi16(fours, _mm_mullo_epi16(hundreds, _mm_set1_epi16(100)));
    const auto two_digits = [](__m128i lanes) noexcept {
        const __m128i tens = _mm_mulhi_epu16(lanes, _mm_set1_epi16(6'554));  // 2^16 / 10
        const __m128i ones = _mm_sub_epi16(lanes, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));
        return _mm_or_si128(tens, _mm_slli_epi16(ones, 8));
    };
    const __m128i leading = two_digits(hundreds), trailing = two_digits(below);
    return {_mm_unpacklo_epi16(leading, trailing), _mm_unpackhi_epi16(leading, trailing)};
}

inline constexpr std::uint64_t eight_ascii_zeros = 0x3030'3030'3030'3030u;

static_assert(eight_digits(12'345'678) == 0x0807'0605'0403'0201u);
static_assert(eight_digits(99'999'999) == 0x0909'0909'0909'0909u);
static_assert(eight_digits(9'990'100) == 0x0000'0100'0909'0900u);
static_assert(digit_sum(eight_digits(12'345'678)) == 36);

}  // namespace tickpath::fix::detail
