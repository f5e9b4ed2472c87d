// 128-bit integers for products of prices and quantities, clamped where they could run over.
#pragma once

#include <cstdint>
#include <limits>

namespace tickpath::trade {

__extension__ typedef __int128 Wide;

/// Beyond every limit a person can set. A sum over 2^20 instruments of values this large still fits a Wide.
inline constexpr Wide wide_cap = Wide{1} << 100;

/// Product of two values that are not negative, at most wide_cap.
[[nodiscard]] constexpr Wide capped_product(Wide a, Wide b) noexcept {
    Wide product = 0;
    if (__builtin_mul_overflow(a, b, &product) || product > wide_cap) return wide_cap;
    return product;
}
static_assert(capped_product(3, 4) == 12);
static_assert(capped_product(wide_cap, wide_cap) == wide_cap);

[[nodiscard]] constexpr Wide magnitude(Wide value) noexcept {
    return value < 0 ? -value : value;
}

/// a + b, or the end of the range it would run over.
[[nodiscard]] constexpr std::int64_t clamped_sum(std::int64_t a, std::int64_t b) noexcept {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}
static_assert(clamped_sum(std::numeric_limits<std::int64_t>::max(), 1) ==
              std::numeric_limits<std::int64_t>::max());

}  // namespace tickpath::trade
