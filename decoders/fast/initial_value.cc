#include "decoders/fast/initial_value.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tickpath::fast {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// from_chars takes exactly what §8.1.1 allows: digits, and a '-' where the type has a sign.
template <class T>
std::optional<InitialValue> parse_integer(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    InitialValue initial;
    initial.integer = static_cast<std::uint64_t>(value);
    return initial;
}

std::optional<unsigned> hex_digit(char c) {
    if (is_digit(c)) return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

std::optional<InitialValue> parse_bytes(std::string_view text) {
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
                 [](char c) { return blanks.find(c) == std::string_view::npos; });
    if (digits.size() % 2 != 0) return std::nullopt;
    InitialValue initial;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const auto high = hex_digit(digits[i]);
        const auto low = hex_digit(digits[i + 1]);
        if (!high || !low) return std::nullopt;
        initial.text += static_cast<char>(*high << 4 | *low);
    }
    return initial;
}

std::optional<InitialValue> parse_set(std::string_view text, const Presentation& presentation) {
    InitialValue initial;
    text = trimmed(text);
    while (!text.empty()) {
        const std::size_t length = std::min(text.find_first_of(blanks), text.size());
        const std::optional<std::uint64_t> bit = presentation.value_of(text.substr(0, length));
        if (!bit) return std::nullopt;
        initial.integer |= std::uint64_t{1} << *bit;
        text = trimmed(text.substr(length));
    }
    return initial;
}

bool fits(std::uint64_t integer, FieldType type, unsigned bits) {
    if (type == FieldType::u32) return integer >> bits == 0;
    const auto value = static_cast<std::int64_t>(integer);
    const std::int64_t beyond = std::int64_t{1} << (bits - 1);
    return value >= -beyond && value < beyond;
}

}  // namespace

std::optional<Decimal> parse_decimal(std::string_view text) {
    const bool negative = !text.empty() && text.front() == '-';
    if (negative) text.remove_prefix(1);
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view fraction = point == std::string_view::npos ? "" : text.substr(point + 1);
    std::string digits = std::string(whole) + std::string(fraction);
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;

    // Normalised on the text: "9223372036854775807000" is fine, because its mantissa is.
    std::int64_t exponent = -static_cast<std::int64_t>(fraction.size());
    while (digits.size() > 1 && digits.back() == '0') {
        digits.pop_back();
        ++exponent;
    }
    if (negative) digits.insert(0, 1, '-');
    Decimal decimal;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), decimal.mantissa);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    if (decimal.mantissa == 0) return Decimal{};
    if (exponent < -63 || exponent > 63) return std::nullopt;
    decimal.exponent = static_cast<std::int32_t>(exponent);
    return decimal;
}

// A number is the value on the wire even where elements have numbers for names (Xetra), so that
// <default value="0"/> is the first element.
std::optional<InitialValue> parse_initial_value(std::string_view text, FieldType type,
                                                const Presentation& presentation) {
    std::optional<InitialValue> initial = parse_initial_value(text, type);
    if (initial && presentation.bits != 0 && !fits(initial->integer, type, presentation.bits))
        return std::nullopt;
    if (initial || presentation.elements.empty()) return initial;
    if (presentation.kind == PresentationKind::set) return parse_set(text, presentation);
    const std::optional<std::uint64_t> value = presentation.value_of(trimmed(text));
    if (!value) return std::nullopt;
    initial.emplace().integer = *value;
    return initial;
}

std::optional<InitialValue> parse_initial_value(std::string_view text, FieldType type) {
    InitialValue initial;
    switch (type) {
        case FieldType::u32:
            return parse_integer<std::uint32_t>(trimmed(text));
        case FieldType::i32:
            return parse_integer<std::int32_t>(trimmed(text));
        case FieldType::u64:
            return parse_integer<std::uint64_t>(trimmed(text));
        case FieldType::i64:
            return parse_integer<std::int64_t>(trimmed(text));
        case FieldType::decimal: {
            const std::optional<Decimal> decimal = parse_decimal(trimmed(text));
            if (!decimal) return std::nullopt;
            initial.decimal = *decimal;
            return initial;
        }
        case FieldType::bytes:
            return parse_bytes(text);
        case FieldType::ascii:
            if (std::any_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; }))
                return std::nullopt;
            initial.text = text;
            return initial;
        default:
            initial.text = text;
            return initial;
    }
}

}  // namespace tickpath::fast
