// One line of JSON Lines from outside, with what a JSON library lets pass. Cold.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tickpath::cli {

/// Arrays and objects inside one another; template files nest 64 deep (decoders/fast/compiler.cc).
inline constexpr int json_depth_max = 512;

struct JsonLine {
    nlohmann::json value;
    std::string problem;  ///< what is wrong with the line, as in "is no JSON: …"; empty when it is right
};

/// Refuses what is no JSON, what nests deeper than json_depth_max (whoever walks it recurses) and a key that
/// an object has twice, of which a JSON library would take the last without a word.
///
/// A string whose first letter is escaped as `decode` does ("\u0068ex:ff") becomes the object
/// {"text":"hex:ff"}: JSON takes the two for the same, and "hex:ff" stands for a byte.
[[nodiscard]] JsonLine parse_json_line(const std::string& text);

}  // namespace tickpath::cli
