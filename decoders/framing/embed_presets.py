#!/usr/bin/env python3
"""Writes the C++ source that holds the preset feed descriptions: embed_presets.py OUT PRESET.xml …"""
import pathlib
import sys


def main(out: str, *presets: str) -> None:
    entries = []
    for preset in sorted(map(pathlib.Path, presets)):
        text = preset.read_text(encoding="utf-8")
        assert ')tickpath"' not in text, f"{preset} holds the end of a raw string"
        entries.append(f'    Preset{{"{preset.stem}", R"tickpath({text})tickpath"}},')
    pathlib.Path(out).write_text(
        "// Written by embed_presets.py from templates/feeds; do not edit.\n"
        '#include <algorithm>\n#include <array>\n\n#include "decoders/framing/presets.h"\n\n'
        "namespace tickpath::framing {\nnamespace {\n\n"
        "struct Preset {\n    std::string_view name;\n    std::string_view text;\n};\n\n"
        "constexpr auto presets = std::to_array<Preset>({\n" + "\n".join(entries) + "\n});\n\n"
        "}  // namespace\n\n"
        "std::vector<std::string_view> preset_names() {\n"
        "    std::vector<std::string_view> names;\n"
        "    for (const Preset& preset : presets)\n        names.push_back(preset.name);\n"
        "    return names;\n}\n\n"
        "std::optional<std::string_view> preset_text(std::string_view name) noexcept {\n"
        "    const auto* found = std::ranges::find(presets, name, &Preset::name);\n"
        "    if (found == presets.end()) return std::nullopt;\n"
        "    return found->text;\n}\n\n"
        "}  // namespace tickpath::framing\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
