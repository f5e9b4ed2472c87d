// An XML element as the template reader wants it: namespaces resolved, foreign elements and attributes gone,
// the line kept for messages. Cold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickpath::fast {

struct XmlElement {
    std::string name;  ///< local name
    std::uint32_t line = 0;
    std::vector<std::pair<std::string, std::string>> attributes;  ///< without namespace
    std::optional<std::string> scp_reset;                         ///< value of scp:reset
    bool has_stray_text = false;
    std::vector<XmlElement> children;

    [[nodiscard]] std::optional<std::string> attribute(std::string_view wanted) const {
        for (const auto& [key, value] : attributes)
            if (key == wanted) return value;
        return std::nullopt;
    }
};

}  // namespace tickpath::fast
