// Decoded FAST messages as JSON, in the form that ARCHITECTURE.md fixes for `tickpath decode`. Cold.
#pragma once

#include <string>
#include <string_view>

#include "decoders/fast/named_row.h"

namespace tickpath::cli {

/// What the digits of bytes stand behind.
inline constexpr std::string_view hex_prefix = "hex:";
/// The same as it is printed where it is a text's own beginning.
inline constexpr std::string_view escaped_hex_prefix = R"(\u0068ex:)";

/// Appends `{"name":value,…}` of the fields that are there, in template order. Decimals are {"m":…,"e":…}
/// exactly as decoded, byte vectors and invalid UTF-8 "hex:…", a unicode text that begins so itself
/// "\u0068ex:…", a dynamic reference "<dyn>":{"template":…,"fields":…}.
void append_json_fields(std::string& out, const fast::NamedRow& row);

/// Appends the text in quotes, escaped. Must be UTF-8.
void append_json_string(std::string& out, std::string_view text);

/// "hex:4142" for "AB".
[[nodiscard]] std::string hex_text(std::string_view bytes);

/// A text field for people: as it is, or hex when it is a byte vector or no UTF-8.
[[nodiscard]] std::string printable_text(const fast::Text& text, fast::FieldType type);

}  // namespace tickpath::cli
