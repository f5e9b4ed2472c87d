#include "decoders/base/decimal.h"

namespace tickpath {

std::string to_text(Decimal d) {
    const bool negative = d.mantissa < 0;
    std::string digits = std::to_string(d.mantissa);
    if (negative) digits.erase(0, 1);
    if (d.exponent > 0 && d.mantissa != 0) digits.append(static_cast<std::size_t>(d.exponent), '0');
    if (d.exponent < 0) {
        const auto places = static_cast<std::size_t>(-std::int64_t{d.exponent});
        if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
        digits.insert(digits.size() - places, 1, '.');
    }
    return negative ? '-' + digits : digits;
}

}  // namespace tickpath
