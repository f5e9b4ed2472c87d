// Reads a field as another type than the template gives it (FAST 1.1 §8). Refuses what would lose or invent
// something. For applications; the feed path reads the template's own types. Cold: some allocate.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include "decoders/base/decimal.h"
#include "decoders/base/error.h"
#include "decoders/fast/message.h"

namespace tickpath::fast {

/// What an application type holds.
struct IntegerRange {
    std::int64_t min;
    std::uint64_t max;
};

/// An integer of any template type but byteVector, or `missing` when the field is absent.
///
/// R4: an integer outside min to max, from a text too. R5: a decimal that is not whole, or does not fit. D11:
/// a text that is not digits with an optional '-', blanks around them. D10: a byteVector. D1: a group, a
/// sequence or a templateRef. The value is in two's complement.
[[nodiscard]] Result<std::uint64_t> to_integer_bits(const Row& row, FieldRef field, IntegerRange range);

template <std::integral T>
[[nodiscard]] Result<T> to_integer(const Row& row, FieldRef field) {
    const Result<std::uint64_t> bits =
        to_integer_bits(row, field,
                        {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                         static_cast<std::uint64_t>(std::numeric_limits<T>::max())});
    if (!bits) return bits.error();
    return static_cast<T>(*bits);
}

/// A decimal. Of a decimal field the pair as it was sent; of an integer (value, 0); of a text its normalised
/// value. R1: the mantissa does not fit int64, or a text's exponent is outside -63..63. D11, D10, D1 and
/// `missing` as above.
[[nodiscard]] Result<Decimal> to_decimal(const Row& row, FieldRef field);

/// A text of ASCII characters. Numbers in canonical form: "-5", "107.15", "500" for (5, 2). byteVector: two
/// hexadecimal digits a byte. R3: a Unicode string with other characters. D1 and `missing` as above.
[[nodiscard]] Result<std::string> to_ascii(const Row& row, FieldRef field);

/// The same in UTF-8. R2: a Unicode string that is not valid UTF-8.
[[nodiscard]] Result<std::string> to_unicode(const Row& row, FieldRef field);

/// Bytes of a byteVector; of a string those that its hexadecimal digits say, blanks ignored. D11: other
/// digits, or half a byte. D10: a number. D1 and `missing` as above.
[[nodiscard]] Result<std::string> to_bytes(const Row& row, FieldRef field);

}  // namespace tickpath::fast
