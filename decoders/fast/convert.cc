#include "decoders/fast/convert.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "decoders/fast/initial_value.h"
#include "decoders/fast/utf8.h"

namespace tickpath::fast {
namespace {

__extension__ using Wide = __int128;

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view hex_digits = "0123456789abcdef";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string_view without_sign(std::string_view text) {
    return text.starts_with('-') ? text.substr(1) : text;
}

// §8.1.1: digits, with a '-' where the type has a sign; R4 is for those who wrote a number.
Result<Wide> parse_integer(std::string_view text, bool may_be_negative) {
    text = trimmed(text);
    const std::string_view digits = without_sign(text);
    const bool negative = digits.size() != text.size();
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return Errc::d11;
    if (negative && !may_be_negative) return Errc::d11;
    Wide value = 0;
    for (const char digit : digits) {
        value = value * 10 + (digit - '0');
        if (value > std::numeric_limits<std::uint64_t>::max()) return Errc::r4;
    }
    return negative ? -value : value;
}

Result<Wide> whole_number(Decimal decimal) {
    Wide value = decimal.mantissa;
    for (int i = 0; i > decimal.exponent && value != 0; --i) {
        if (value % 10 != 0) return Errc::r5;
        value /= 10;
    }
    for (int i = 0; i < decimal.exponent && value != 0; ++i) {
        value *= 10;
        if (value > std::numeric_limits<std::uint64_t>::max() ||
            value < std::numeric_limits<std::int64_t>::min())
            return Errc::r5;
    }
    return value;
}

bool is_number(std::string_view text) {
    text = without_sign(text);
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, point);
    const std::string_view fraction = point == text.size() ? "" : text.substr(point + 1);
    return whole.size() + fraction.size() != 0 && std::all_of(whole.begin(), whole.end(), is_digit) &&
           std::all_of(fraction.begin(), fraction.end(), is_digit);
}

std::string hex_text(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        text += hex_digits[static_cast<unsigned char>(c) >> 4];
        text += hex_digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

bool is_ascii(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
}

}  // namespace

Result<std::uint64_t> to_integer_bits(const Row& row, FieldRef field, IntegerRange range) {
    if (!row.has(field)) return Errc::missing;
    Result<Wide> value = Errc::d1;
    Errc outside = Errc::r4;
    switch (field.type) {
        case FieldType::u32:
        case FieldType::u64:
            value = Wide{row.u64(field)};
            break;
        case FieldType::i32:
        case FieldType::i64:
            value = Wide{row.i64(field)};
            break;
        case FieldType::decimal:
            value = whole_number(row.decimal(field));
            outside = Errc::r5;
            break;
        case FieldType::ascii:
        case FieldType::unicode:
            value = parse_integer(row.text(field).to_string(), range.min < 0);
            break;
        case FieldType::bytes:
            return Errc::d10;
        case FieldType::group:
        case FieldType::sequence:
        case FieldType::dynamic:
            return Errc::d1;
    }
    if (!value) return value.error();
    if (*value < range.min || *value > Wide{range.max}) return outside;
    return static_cast<std::uint64_t>(*value);
}

Result<Decimal> to_decimal(const Row& row, FieldRef field) {
    if (!row.has(field)) return Errc::missing;
    switch (field.type) {
        case FieldType::u32:
        case FieldType::u64:
            if (row.i64(field) < 0) return Errc::r1;
            return Decimal{row.i64(field), 0};
        case FieldType::i32:
        case FieldType::i64:
            return Decimal{row.i64(field), 0};
        case FieldType::decimal:
            return row.decimal(field);
        case FieldType::ascii:
        case FieldType::unicode: {
            const std::string text = row.text(field).to_string();
            const std::string_view number = trimmed(text);
            if (!is_number(number)) return Errc::d11;
            const std::optional<Decimal> decimal = parse_decimal(number);
            if (!decimal) return Errc::r1;
            return *decimal;
        }
        case FieldType::bytes:
            return Errc::d10;
        case FieldType::group:
        case FieldType::sequence:
        case FieldType::dynamic:
            break;
    }
    return Errc::d1;
}

Result<std::string> to_unicode(const Row& row, FieldRef field) {
    if (!row.has(field)) return Errc::missing;
    switch (field.type) {
        case FieldType::u32:
        case FieldType::u64:
            return std::to_string(row.u64(field));
        case FieldType::i32:
        case FieldType::i64:
            return std::to_string(row.i64(field));
        case FieldType::decimal:
            return to_text(row.decimal(field));
        case FieldType::ascii:
            return row.text(field).to_string();
        case FieldType::unicode: {
            std::string text = row.text(field).to_string();
            if (!is_utf8(text)) return Errc::r2;
            return text;
        }
        case FieldType::bytes:
            return hex_text(row.text(field).to_string());
        case FieldType::group:
        case FieldType::sequence:
        case FieldType::dynamic:
            break;
    }
    return Errc::d1;
}

Result<std::string> to_ascii(const Row& row, FieldRef field) {
    if (field.type == FieldType::unicode && row.has(field)) {
        std::string text = row.text(field).to_string();
        if (!is_ascii(text)) return Errc::r3;
        return text;
    }
    return to_unicode(row, field);
}

Result<std::string> to_bytes(const Row& row, FieldRef field) {
    if (!row.has(field)) return Errc::missing;
    switch (field.type) {
        case FieldType::bytes:
            return row.text(field).to_string();
        case FieldType::ascii:
        case FieldType::unicode: {
            std::optional<InitialValue> parsed =
                parse_initial_value(row.text(field).to_string(), FieldType::bytes);
            if (!parsed) return Errc::d11;
            return std::move(parsed->text);
        }
        case FieldType::group:
        case FieldType::sequence:
        case FieldType::dynamic:
            return Errc::d1;
        default:
            return Errc::d10;
    }
}

}  // namespace tickpath::fast
