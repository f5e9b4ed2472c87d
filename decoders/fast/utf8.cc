#include "decoders/fast/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tickpath::fast {

bool is_utf8(std::string_view text) noexcept {
    const auto continues = [&](std::size_t from, std::size_t count) {
        if (text.size() - from < count) return false;
        return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(from),
                           text.begin() + static_cast<std::ptrdiff_t>(from + count),
                           [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0) == 0x80; });
    };
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<std::uint8_t>(text[i++]);
        if (lead < 0x80) continue;
        const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
        if (lead < 0xC2 || lead > 0xF4 || !continues(i, more)) return false;
        const auto second = static_cast<std::uint8_t>(text[i]);
        if (lead == 0xE0 && second < 0xA0) return false;  // overlong
        if (lead == 0xED && second > 0x9F) return false;  // surrogate
        if (lead == 0xF0 && second < 0x90) return false;  // overlong
        if (lead == 0xF4 && second > 0x8F) return false;  // above U+10FFFF
        i += more;
    }
    return true;
}

}  // namespace tickpath::fast
