#!/usr/bin/env python3
"""Writes the C++ source that holds the feed descriptions and NSE message layouts: embed_presets.py OUT FILE.xml …

A file in a folder named nse is a layout, any other a description.
"""
import pathlib
import sys

SOURCE = """// Written by embed_presets.py from templates/feeds; do not edit.
#include <algorithm>
#include <array>

#include "decoders/framing/presets.h"

namespace tickpath::framing {{
namespace {{

struct Preset {{
    std::string_view name;
    std::string_view text;
}};

constexpr auto presets = std::to_array<Preset>({{
{presets}
}});

constexpr auto layout_files = std::to_array<LayoutFile>({{
{layouts}
}});

}}  // namespace

std::vector<std::string_view> preset_names() {{
    std::vector<std::string_view> names;
    for (const Preset& preset : presets)
        names.push_back(preset.name);
    return names;
}}

std::optional<std::string_view> preset_text(std::string_view name) noexcept {{
    const auto* found = std::ranges::find(presets, name, &Preset::name);
    if (found == presets.end()) return std::nullopt;
    return found->text;
}}

std::span<const LayoutFile> nse_layout_files() noexcept {{
    return layout_files;
}}

}}  // namespace tickpath::framing
"""


def entries(kind, files):
    lines = []
    for path in sorted(files):
        text = path.read_text(encoding="utf-8")
        assert ')tickpath"' not in text, f"{path} holds the end of a raw string"
        lines.append(f'    {kind}{{"{path.stem}", R"tickpath({text})tickpath"}},')
    return "\n".join(lines)


def main(out: str, *files: str) -> None:
    paths = [pathlib.Path(file) for file in files]
    presets = [path for path in paths if path.parent.name != "nse"]
    layouts = [path for path in paths if path.parent.name == "nse"]
    pathlib.Path(out).write_text(
        SOURCE.format(presets=entries("Preset", presets), layouts=entries("LayoutFile", layouts)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
