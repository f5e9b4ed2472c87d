// The feed descriptions that come with the program, each proven on real bytes: templates/feeds/*.xml. Cold.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tickpath::framing {

/// Names of all presets, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> preset_names();

/// The XML of a preset; nullopt when there is none of this name.
[[nodiscard]] std::optional<std::string_view> preset_text(std::string_view name) noexcept;

}  // namespace tickpath::framing
