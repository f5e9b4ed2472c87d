// The feed descriptions and message layouts that come with the program: templates/feeds/*.xml and
// templates/feeds/nse/*.xml. Cold.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tickpath::framing {

/// Names of all presets, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> preset_names();

/// The XML of a preset; nullopt when there is none of this name.
[[nodiscard]] std::optional<std::string_view> preset_text(std::string_view name) noexcept;

struct LayoutFile {
    std::string_view name;  ///< without folder and ending
    std::string_view xml;
};

/// Layouts of NSE messages, see nse_layout.h.
[[nodiscard]] std::span<const LayoutFile> nse_layout_files() noexcept;

}  // namespace tickpath::framing
