#include "decoders/base/printable.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tickpath {
namespace {

constexpr char32_t code_point_max = 0x10FFFF;

// Bytes of the UTF-8 sequence that the text begins with; 0 when it begins with none (RFC 3629: shortest form,
// no surrogates).
std::size_t sequence_bytes(std::string_view text) {
    constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
    const auto first = static_cast<std::uint8_t>(text[0]);
    if (first < 0x80) return 1;
    const std::size_t count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || count > text.size()) return 0;
    char32_t point = first & (0x7Fu >> count);
    for (const char c : text.substr(1, count - 1)) {
        const auto next = static_cast<std::uint8_t>(c);
        if ((next & 0xC0u) != 0x80u) return 0;
        point = point << 6 | (next & 0x3Fu);
    }
    const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < least[count] || point > code_point_max || is_surrogate ? 0 : count;
}

bool is_control(char c) {
    return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F;
}

void append_escaped(std::string& to, char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<std::uint8_t>(c);
    to += "\\x";
    to += digits[byte >> 4];
    to += digits[byte & 15];
}

std::string escaped(std::string_view text, std::string_view kept_controls) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t count = is_control(text[0]) && kept_controls.find(text[0]) == std::string_view::npos
                                      ? 0
                                      : sequence_bytes(text);
        if (count == 0)
            append_escaped(out, text[0]);
        else
            out += text.substr(0, count);
        text.remove_prefix(count == 0 ? 1 : count);
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) {
    return escaped(text, "\n\t");
}

std::string printable_in_line(std::string_view text) {
    return escaped(text, "");
}

}  // namespace tickpath
