// `value` attributes of operators to values of the field's type, FAST 1.1 §6.3.2. Cold.
#pragma once

#include <optional>
#include <string_view>

#include "decoders/fast/definition.h"

namespace tickpath::fast {

/// nullopt when the text is not a value of the type (S3). Decimals are normalised.
[[nodiscard]] std::optional<InitialValue> parse_initial_value(std::string_view text, FieldType type);

/// The same for the types of FAST 1.2: an enum's element by name or id, a set's elements by names separated
/// by blanks, or the integer that is on the wire; integers of 8 and 16 bits within their own bounds.
[[nodiscard]] std::optional<InitialValue> parse_initial_value(std::string_view text, FieldType type,
                                                              const Presentation& presentation);

/// Decimals as a person writes them: optional '-', digits, optional '.' and digits; normalised. nullopt when
/// the mantissa does not fit int64 or the exponent is outside -63..63.
[[nodiscard]] std::optional<Decimal> parse_decimal(std::string_view text);

}  // namespace tickpath::fast
