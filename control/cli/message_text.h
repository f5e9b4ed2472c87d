// Decoded FAST messages on one line for people: Name=<Field=value|Sequence=<A=1|B=2><A=3|B=4>>. Cold.
#pragma once

#include <string>

#include "decoders/fast/named_row.h"

namespace tickpath::cli {

/// Appends `<Field=value|…>` of the fields that are there. Decimals are plain numbers; controls in a text are
/// escaped ("\x0a"), so that a message stays on its line.
void append_text_fields(std::string& out, const fast::NamedRow& row);

/// The value of one field that is there, a text as it came: CSV quotes what it has to.
[[nodiscard]] std::string scalar_text(const fast::Field& field, const fast::Row& row);

}  // namespace tickpath::cli
