#include "decoders/fix/number.h"

#include <bit>
#include <chrono>
#include <cstring>
#include <limits>

#include "decoders/base/bytes.h"
#include "decoders/fix/digits.h"

namespace tickpath::fix {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;
constexpr std::uint32_t eight_digit_limit = 100'000'000;
constexpr std::uint64_t sixteen_digit_limit = std::uint64_t{eight_digit_limit} * eight_digit_limit;
constexpr std::uint64_t int64_min_magnitude = std::uint64_t{1} << 63;

[[nodiscard]] constexpr std::uint64_t magnitude_of(std::int64_t value) noexcept {
    return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

[[nodiscard]] constexpr std::uint64_t power_of_ten(std::size_t exponent) noexcept {
    return exponent < decimal_digits_max
               ? static_cast<std::uint64_t>(tickpath::detail::powers_of_ten[exponent])
               : 10'000'000'000'000'000'000u;
}

/// Appends a digit; false for a character that is none and beyond uint64.
[[nodiscard]] bool append_digit(std::uint64_t& value, char c) noexcept {
    const auto digit = static_cast<std::uint8_t>(c - '0');
    return digit <= 9 && !__builtin_mul_overflow(value, 10u, &value) &&
           !__builtin_add_overflow(value, digit, &value);
}

[[nodiscard]] std::optional<std::int64_t> with_sign(std::uint64_t magnitude, bool is_negative) noexcept {
    if (is_negative) {
        if (magnitude > int64_min_magnitude) return std::nullopt;
        return static_cast<std::int64_t>(~magnitude + 1);
    }
    if (magnitude > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(magnitude);
}

/// Stores eight digits; `to` has room for eight bytes whatever is used of them.
char* put_eight(char* to, std::uint32_t value) noexcept {
    store_little(to, detail::eight_digits(value) | detail::eight_ascii_zeros);
    return to + 8;
}

char* put_without_zeros(char* to, std::uint32_t value) noexcept {
    const std::uint64_t digits = detail::eight_digits(value);
    const int leading = value == 0 ? 7 : std::countr_zero(digits) / 8;
    store_little(to, (digits | detail::eight_ascii_zeros) >> (8 * leading));
    return to + (8 - leading);
}

}  // namespace

std::optional<std::uint64_t> parse_unsigned(std::string_view text) noexcept {
    if (text.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text)
        if (!append_digit(value, c)) return std::nullopt;
    return value;
}

std::optional<std::int64_t> parse_signed(std::string_view text) noexcept {
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    const auto magnitude = parse_unsigned(text);
    if (!magnitude) return std::nullopt;
    return with_sign(*magnitude, is_negative);
}

std::optional<Decimal> parse_decimal(std::string_view text) noexcept {
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    std::uint64_t magnitude = 0;
    std::size_t digit_count = 0;
    std::optional<std::size_t> point;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '.' && !point) {
            point = i;
            continue;
        }
        if (!append_digit(magnitude, text[i])) return std::nullopt;
        ++digit_count;
    }
    if (digit_count == 0) return std::nullopt;
    const auto mantissa = with_sign(magnitude, is_negative);
    if (!mantissa) return std::nullopt;
    const std::size_t fraction_digits = point ? text.size() - *point - 1 : 0;
    if (fraction_digits > 1'000) return std::nullopt;  // all zeros; no exponent of use
    return Decimal{*mantissa, -static_cast<std::int32_t>(fraction_digits)};
}

std::optional<std::int64_t> round_to_places(Decimal d, int places) noexcept {
    if (d.mantissa == 0) return 0;
    const std::int64_t shift = std::int64_t{places} + d.exponent;
    if (shift >= 0) return at_places(d, places);
    if (-shift > decimal_digits_max) return 0;
    const std::uint64_t divisor = power_of_ten(static_cast<std::size_t>(-shift));
    const std::uint64_t magnitude = magnitude_of(d.mantissa);
    const std::uint64_t rest = magnitude % divisor;
    const std::uint64_t rounded = magnitude / divisor + (rest >= divisor - rest ? 1 : 0);
    return with_sign(rounded, d.mantissa < 0);
}

char* write_unsigned(char* to, std::uint64_t value) noexcept {
    if (value < eight_digit_limit) return put_without_zeros(to, static_cast<std::uint32_t>(value));
    if (value < sixteen_digit_limit) {
        to = put_without_zeros(to, static_cast<std::uint32_t>(value / eight_digit_limit));
        return put_eight(to, static_cast<std::uint32_t>(value % eight_digit_limit));
    }
    to = put_without_zeros(to, static_cast<std::uint32_t>(value / sixteen_digit_limit));
    value %= sixteen_digit_limit;
    to = put_eight(to, static_cast<std::uint32_t>(value / eight_digit_limit));
    return put_eight(to, static_cast<std::uint32_t>(value % eight_digit_limit));
}

char* write_signed(char* to, std::int64_t value) noexcept {
    if (value < 0) *to++ = '-';
    return write_unsigned(to, magnitude_of(value));
}

char* write_padded(char* to, std::uint64_t value, std::size_t width) noexcept {
    for (std::size_t left = width; left != 0; value /= 10)
        to[--left] = static_cast<char>('0' + value % 10);
    return to + width;
}

char* write_decimal(char* to, std::int64_t mantissa, unsigned places) noexcept {
    if (mantissa < 0) *to++ = '-';
    const std::uint64_t magnitude = magnitude_of(mantissa);
    if (places == 0) return write_unsigned(to, magnitude);
    const std::uint64_t scale = power_of_ten(places);
    const std::uint64_t whole = magnitude / scale;
    const std::uint64_t fraction = magnitude - whole * scale;
    to = write_unsigned(to, whole);
    *to++ = '.';
    if (places <= 8) {  // the usual case: shift the digits in the register, store once
        const std::uint64_t digits =
            detail::eight_digits(static_cast<std::uint32_t>(fraction)) | detail::eight_ascii_zeros;
        store_little(to, digits >> (8 * (8 - places)));
        return to + places;
    }
    return write_padded(to, fraction, places);
}

std::optional<std::uint64_t> parse_utc_timestamp(std::string_view text) noexcept {
    constexpr std::string_view shape = "dddddddd-dd:dd:dd";
    if (text.size() < shape.size()) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (shape[i] == 'd' ? !is_digit : text[i] != shape[i]) return std::nullopt;
    }
    const auto two = [&](std::size_t at) {
        return static_cast<unsigned>(text[at] - '0') * 10 + static_cast<unsigned>(text[at + 1] - '0');
    };
    const int year = static_cast<int>(two(0) * 100 + two(2));
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{two(4)},
                                           std::chrono::day{two(6)}};
    if (!date.ok() || year < 1970 || year > 2199) return std::nullopt;
    const unsigned hour = two(9), minute = two(12), second = two(15);
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;

    std::uint64_t fraction_ns = 0;
    if (text.size() > shape.size()) {
        const std::string_view digits = text.substr(shape.size() + 1);
        if (text[shape.size()] != '.' || digits.empty() || digits.size() > 12) return std::nullopt;
        if (!parse_unsigned(digits)) return std::nullopt;
        for (std::size_t i = 0; i < 9; ++i)
            fraction_ns =
                fraction_ns * 10 + (i < digits.size() ? static_cast<std::uint64_t>(digits[i] - '0') : 0);
    }
    const auto days = static_cast<std::uint64_t>(std::chrono::sys_days{date}.time_since_epoch().count());
    const std::uint64_t seconds = days * 86'400 + hour * 3'600u + minute * 60u + second;
    return seconds * ns_per_second + fraction_ns;
}

TimestampWriter::TimestampWriter(TimePrecision precision) noexcept : precision_(precision) {
    start_second(0);
}

char* TimestampWriter::write(char* to, std::uint64_t utc_ns) noexcept {
    const std::uint64_t second = utc_ns / ns_per_second;
    if (second != second_) [[unlikely]]
        start_second(second);
    std::memcpy(to, prefix_.data(), 17);
    if (precision_ == TimePrecision::seconds) return to + 17;
    to[17] = '.';
    const auto fraction_ns = static_cast<std::uint32_t>(utc_ns - second * ns_per_second);
    switch (precision_) {
        case TimePrecision::milli:
            return write_padded(to + 18, fraction_ns / 1'000'000, 3);
        case TimePrecision::micro:
            return write_padded(to + 18, fraction_ns / 1'000, 6);
        default:
            return write_padded(to + 18, fraction_ns, 9);
    }
}

void TimestampWriter::start_second(std::uint64_t second) noexcept {
    const std::uint64_t days = second / 86'400;
    const auto second_of_day = static_cast<unsigned>(second % 86'400);
    const std::chrono::year_month_day date{
        std::chrono::sys_days{std::chrono::days{static_cast<std::int64_t>(days)}}};
    char* at = prefix_.data();
    at = write_padded(at, static_cast<std::uint64_t>(static_cast<int>(date.year())), 4);
    at = write_padded(at, static_cast<unsigned>(date.month()), 2);
    at = write_padded(at, static_cast<unsigned>(date.day()), 2);
    *at++ = '-';
    at = write_padded(at, second_of_day / 3'600, 2);
    *at++ = ':';
    at = write_padded(at, second_of_day / 60 % 60, 2);
    *at++ = ':';
    write_padded(at, second_of_day % 60, 2);
    second_ = second;
}

}  // namespace tickpath::fix
