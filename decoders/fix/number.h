// FIX numbers and times to text and back, all in integers: never a binary fraction, every overflow seen. Hot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "decoders/base/decimal.h"

namespace tickpath::fix {

inline constexpr std::size_t number_chars_max = 20;  ///< of a uint64, or an int64 with its sign
inline constexpr std::size_t decimal_chars_max =
    32;  ///< that write_decimal may touch; it writes at most 21 of them

/// Digits only, leading zeros allowed; nullopt for anything else and beyond uint64 (spec/fix-session.md §1.2,
/// §1.4).
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text) noexcept;

/// FIX int: an optional '-', then digits; no '+'.
[[nodiscard]] std::optional<std::int64_t> parse_signed(std::string_view text) noexcept;

/// FIX float, Price, Qty: an optional '-', digits, an optional point with digits; ".5" and "5." are numbers,
/// an exponent form is not. The pair is as written: "1.50" is (150, -2). nullopt beyond an int64 mantissa.
[[nodiscard]] std::optional<Decimal> parse_decimal(std::string_view text) noexcept;

/// The number at `places` decimal places, rounded half away from zero: (-125, -2) at 1 is -13.
/// For display and venues that ask for it; prices of orders use at_places, which refuses instead.
/// nullopt when the result does not fit an int64.
[[nodiscard]] std::optional<std::int64_t> round_to_places(Decimal d, int places) noexcept;

/// Writes without leading zeros; returns the end. `to` has room for number_chars_max.
char* write_unsigned(char* to, std::uint64_t value) noexcept;
char* write_signed(char* to, std::int64_t value) noexcept;

/// Exactly `width` digits, zero padded; value < 10^width, width <= 19.
char* write_padded(char* to, std::uint64_t value, std::size_t width) noexcept;

/// `mantissa` at 0 to 18 `places`: 13331 at 2 is "133.31", 5 at 3 is "0.005", -5 at 0 is "-5". No exponent
/// form, no
/// "-0.00". `to` has room for decimal_chars_max.
char* write_decimal(char* to, std::int64_t mantissa, unsigned places) noexcept;

/// Digits after the point of a second in a UTCTimestamp we write (spec §1.2).
enum class TimePrecision : std::uint8_t { seconds = 0, milli = 3, micro = 6, nano = 9 };

inline constexpr std::size_t timestamp_chars_max = 27;  ///< YYYYMMDD-HH:MM:SS.nnnnnnnnn

[[nodiscard]] constexpr std::size_t timestamp_chars(TimePrecision precision) noexcept {
    const auto digits = static_cast<std::size_t>(precision);
    return 17 + (digits == 0 ? 0 : 1 + digits);
}

/// Nanoseconds since 1970 of YYYYMMDD-HH:MM:SS with 0 to 12 fraction digits (digits beyond nanoseconds are
/// cut). Second 60, a leap second, is the first instant of the next minute. Years 1970 to 2199.
[[nodiscard]] std::optional<std::uint64_t> parse_utc_timestamp(std::string_view text) noexcept;

/// Writes UTCTimestamps; keeps the text of the current second, so that most calls write the fraction only.
class TimestampWriter {
public:
    explicit TimestampWriter(TimePrecision precision = TimePrecision::milli) noexcept;

    /// Writes timestamp_chars(precision) characters and returns the end. `utc_ns`: since 1970, before 2200.
    char* write(char* to, std::uint64_t utc_ns) noexcept;

    [[nodiscard]] TimePrecision precision() const noexcept { return precision_; }

private:
    void start_second(std::uint64_t second) noexcept;

    std::uint64_t second_ = ~std::uint64_t{0};  ///< whose text is in `prefix_`
    std::array<char, 32> prefix_{};             ///< "YYYYMMDD-HH:MM:SS."
    TimePrecision precision_;
};

}  // namespace tickpath::fix
