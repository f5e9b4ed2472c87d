// A session's Logon as its FAST template and values, for the encode and decode benches.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "decoders/fast/message_builder.h"

namespace tickpath::bench {

/// Names, a number, a time and credentials; what every Logon says alike is constant.
extern const std::string_view logon_template_xml;

/// The `number`th of many: sequence number, time and one of some users; 35 bytes where all is sent.
struct Logon {
    std::string user;
    std::uint32_t sequence = 0;
    std::uint64_t sending_time = 0;
};
[[nodiscard]] Logon logon(std::uint32_t number);

/// Builds it; false only when the template is not `logon_template_xml`'s.
[[nodiscard]] bool build_logon(const Logon& values, fast::MessageBuilder& builder);

}  // namespace tickpath::bench
