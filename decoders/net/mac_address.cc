#include "decoders/net/mac_address.h"

#include <cstdio>

namespace tickpath::net {

std::string to_text(MacAddress address) {
    char text[sizeof "00:00:00:00:00:00"];
    const auto byte = [&](unsigned index) {
        return static_cast<unsigned>(address.bits >> (40 - 8 * index)) & 0xFFu;
    };
    std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", byte(0), byte(1), byte(2), byte(3),
                  byte(4), byte(5));
    return text;
}

}  // namespace tickpath::net
