// FIX messages for tests, written as people write them: "35=0|34=2" with '|' for SOH. Independent of
// decoders/fix.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tickpath::test {

/// '|' becomes SOH.
[[nodiscard]] inline std::string with_soh(std::string text) {
    for (char& c : text)
        if (c == '|') c = '\x01';
    return text;
}

/// SOH becomes '|'.
[[nodiscard]] inline std::string with_bars(std::string_view bytes) {
    std::string text(bytes);
    for (char& c : text)
        if (c == '\x01') c = '|';
    return text;
}

/// The three digits of CheckSum over `bytes`.
[[nodiscard]] inline std::string checksum_text(std::string_view bytes) {
    unsigned sum = 0;
    for (const char c : bytes)
        sum += static_cast<unsigned char>(c);
    char text[4];
    std::snprintf(text, sizeof text, "%03u", sum % 256);
    return text;
}

/// The whole message: 8=, 9=, the body ("35=0|34=2|…", closing bar optional) and a right 10=.
[[nodiscard]] inline std::string fix_message(std::string body, const std::string& begin_string = "FIX.4.4") {
    if (!body.ends_with('|')) body += '|';
    body = with_soh(body);
    std::string message = with_soh("8=" + begin_string + "|9=" + std::to_string(body.size()) + "|") + body;
    return message + "10=" + checksum_text(message) + '\x01';
}

}  // namespace tickpath::test
