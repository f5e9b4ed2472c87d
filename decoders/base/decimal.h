// A number as mantissa and exponent, exactly as a feed sent it, and its exact rescaling. Never a double.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace tickpath {

/// mantissa × 10^exponent. Two different pairs may be the same number: (10715, -2) and (1071500, -4);
/// use same_value and compare_values for numbers and == for pairs (FAST delta needs the pair: FAST 1.1
/// §6.3.7).
struct Decimal {
    std::int64_t mantissa = 0;
    std::int32_t exponent = 0;

    friend constexpr bool operator==(Decimal, Decimal) noexcept = default;
};

inline constexpr int decimal_digits_max = 19;  ///< of an int64

namespace detail {

inline constexpr std::array<std::int64_t, decimal_digits_max> powers_of_ten = [] {
    std::array<std::int64_t, decimal_digits_max> powers{};
    std::int64_t power = 1;
    for (std::size_t i = 0; i < powers.size(); ++i) {
        powers[i] = power;
        if (i + 1 < powers.size()) power *= 10;
    }
    return powers;
}();

/// Without sign; right for the smallest int64 too.
[[nodiscard]] constexpr std::uint64_t magnitude(std::int64_t mantissa) noexcept {
    const auto bits = static_cast<std::uint64_t>(mantissa);
    return mantissa < 0 ? 0 - bits : bits;
}

[[nodiscard]] constexpr int digit_count(std::uint64_t value) noexcept {
    int count = 1;
    for (; value >= 10; value /= 10)
        ++count;
    return count;
}

/// Of numbers above zero. Where the leading digits stand at the same power of ten, the one with the larger
/// exponent has fewer digits, and fits a uint64 when it is scaled to the other's.
[[nodiscard]] constexpr std::strong_ordering compare_magnitudes(std::uint64_t a, std::int64_t a_exponent,
                                                                std::uint64_t b,
                                                                std::int64_t b_exponent) noexcept {
    const std::int64_t a_top = digit_count(a) + a_exponent;
    const std::int64_t b_top = digit_count(b) + b_exponent;
    if (a_top != b_top) return a_top <=> b_top;
    for (; a_exponent > b_exponent; --a_exponent)
        a *= 10;
    for (; b_exponent > a_exponent; --b_exponent)
        b *= 10;
    return a <=> b;
}

}  // namespace detail

/// Rescales to a fixed number of decimal places.
///
/// Returns the mantissa at `places` digits after the point: (10715, -2) at 4 places is 1071500.
/// Returns nullopt when digits would be lost or int64 overflows: a refused price is visible, a
/// rounded one is not.
[[nodiscard]] constexpr std::optional<std::int64_t> at_places(Decimal d, int places) noexcept {
    if (d.mantissa == 0) return 0;
    const std::int64_t shift = std::int64_t{places} + d.exponent;
    if (shift >= 0) {
        if (shift >= decimal_digits_max) return std::nullopt;
        std::int64_t scaled = 0;
        if (__builtin_mul_overflow(d.mantissa, detail::powers_of_ten[static_cast<std::size_t>(shift)],
                                   &scaled))
            return std::nullopt;
        return scaled;
    }
    if (-shift >= decimal_digits_max) return std::nullopt;
    const std::int64_t divisor = detail::powers_of_ten[static_cast<std::size_t>(-shift)];
    if (d.mantissa % divisor != 0) return std::nullopt;
    return d.mantissa / divisor;
}

static_assert(at_places({10715, -2}, 4) == 1071500);
static_assert(!at_places({10715, -2}, 1));
static_assert(at_places({5, 2}, 0) == 500);
static_assert(at_places({std::numeric_limits<std::int64_t>::min(), 0}, 0) ==
              std::numeric_limits<std::int64_t>::min());
static_assert(!at_places({std::numeric_limits<std::int64_t>::max(), 1}, 0));
static_assert(at_places({0, 63}, 0) == 0);

/// The pair with trailing zeros moved into the exponent; zero is (0, 0). FAST 1.1 §6.3.2.
[[nodiscard]] constexpr Decimal normalised(Decimal d) noexcept {
    if (d.mantissa == 0) return {};
    while (d.mantissa % 10 == 0) {
        d.mantissa /= 10;
        ++d.exponent;
    }
    return d;
}

/// Equal as numbers.
[[nodiscard]] constexpr bool same_value(Decimal a, Decimal b) noexcept {
    return normalised(a) == normalised(b);
}

static_assert(same_value({10715, -2}, {1071500, -4}));
static_assert(!same_value({10715, -2}, {10715, -3}));

/// Order as numbers, exact for every pair: no power of ten overflows, nothing is rounded.
[[nodiscard]] constexpr std::strong_ordering compare_values(Decimal a, Decimal b) noexcept {
    const auto sign = [](std::int64_t mantissa) { return (mantissa > 0) - (mantissa < 0); };
    const int sign_of_both = sign(a.mantissa);
    if (sign_of_both != sign(b.mantissa)) return sign_of_both <=> sign(b.mantissa);
    if (sign_of_both == 0) return std::strong_ordering::equal;
    const std::strong_ordering magnitudes =
        detail::compare_magnitudes(detail::magnitude(a.mantissa), a.exponent,  //
                                   detail::magnitude(b.mantissa), b.exponent);
    return sign_of_both > 0 ? magnitudes : 0 <=> magnitudes;
}

static_assert(compare_values({10715, -2}, {1071500, -4}) == 0);
static_assert(compare_values({5, 2}, {499, 0}) > 0);
static_assert(compare_values({-5, 2}, {-499, 0}) < 0);

/// The shortest plain text of the number: (10715, -2) and (1071500, -4) are "107.15", (5, 2) is "500",
/// (5, -3) is "0.005". With an exponent beyond those of FAST (-63..63) the form is "5e100": text stays short.
[[nodiscard]] std::string to_text(Decimal d);

}  // namespace tickpath
