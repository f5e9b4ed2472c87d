// Bytes written as hexadecimal text, blanks ignored.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tickpath::test {

[[nodiscard]] inline std::vector<std::byte> from_hex(std::string_view text) {
    std::vector<std::byte> bytes;
    int high = -1;
    for (const char c : text) {
        if (c == ' ' || c == '\n' || c == '\r') continue;
        const std::string_view digits = "0123456789abcdef";
        const std::size_t digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
        if (digit == std::string_view::npos) throw std::invalid_argument("not a hexadecimal digit");
        if (high < 0) {
            high = static_cast<int>(digit);
        } else {
            bytes.push_back(static_cast<std::byte>(high * 16 + static_cast<int>(digit)));
            high = -1;
        }
    }
    if (high >= 0) throw std::invalid_argument("an odd number of hexadecimal digits");
    return bytes;
}

}  // namespace tickpath::test
