#include "decoders/base/decimal.h"

namespace tickpath {
namespace {

constexpr std::int64_t plain_exponent_max = 63;  // FAST 1.1 §6.3.2

}  // namespace

std::string to_text(Decimal d) {
    if (d.mantissa == 0) return "0";
    std::int64_t exponent = d.exponent;
    for (; d.mantissa % 10 == 0; ++exponent)
        d.mantissa /= 10;
    const bool negative = d.mantissa < 0;
    std::string digits = std::to_string(d.mantissa);
    if (negative) digits.erase(0, 1);
    if (exponent > plain_exponent_max + decimal_digits_max || exponent < -plain_exponent_max) {
        digits += 'e' + std::to_string(exponent);
    } else if (exponent > 0) {
        digits.append(static_cast<std::size_t>(exponent), '0');
    } else if (exponent < 0) {
        const auto places = static_cast<std::size_t>(-exponent);
        if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
        digits.insert(digits.size() - places, 1, '.');
    }
    return negative ? '-' + digits : digits;
}

}  // namespace tickpath
