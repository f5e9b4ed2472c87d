#include "decoders/net/multicast_group.h"

#include <charconv>
#include <system_error>

namespace tickpath::net {
namespace {

// A decimal number of the whole text, without sign, blanks or leading zeros.
std::optional<unsigned> whole_number(std::string_view text, unsigned max) {
    unsigned value = 0;
    const char* const end = text.data() + text.size();
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value > max) return std::nullopt;
    return value;
}

std::optional<std::uint32_t> parse_address(std::string_view text) {
    std::uint32_t address = 0;
    for (int part = 0; part < 4; ++part) {
        const std::size_t dot = text.find('.');
        if ((dot == std::string_view::npos) != (part == 3)) return std::nullopt;
        const auto byte = whole_number(text.substr(0, dot), 255);
        if (!byte) return std::nullopt;
        address = (address << 8) | *byte;
        text.remove_prefix(part == 3 ? text.size() : dot + 1);
    }
    return address;
}

}  // namespace

std::optional<MulticastGroup> parse_group(std::string_view text, std::string& why_not) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) {
        why_not = '"' + std::string(text) + "\" names no port (expected ADDRESS:PORT, as in 239.1.1.1:9000)";
        return std::nullopt;
    }
    const std::string_view address_text = text.substr(0, colon);
    const std::string_view port_text = text.substr(colon + 1);
    const auto address = parse_address(address_text);
    const auto port = whole_number(port_text, 65535);
    if (!address || !MulticastGroup{*address, 0}.is_multicast()) {
        why_not = std::string(address_text.empty() ? "an empty text" : address_text) +
                  " is not an IPv4 multicast address (expected 224.0.0.0–239.255.255.255)";
        return std::nullopt;
    }
    if (!port || *port == 0) {
        why_not = std::string(port_text.empty() ? "an empty text" : port_text) +
                  " is not a UDP port (expected 1–65535)";
        return std::nullopt;
    }
    return MulticastGroup{*address, static_cast<std::uint16_t>(*port)};
}

std::string to_text(MulticastGroup group) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) {
        text += std::to_string((group.address >> shift) & 0xFFu);
        text += shift == 0 ? ':' : '.';
    }
    return text + std::to_string(group.port);
}

}  // namespace tickpath::net
