// Decoded FAST messages on one line for people: Name=<Field=value|Sequence=<A=1|B=2><A=3|B=4>>. Cold.
#pragma once

#include <string>
#include <vector>

#include "decoders/fast/templates.h"

namespace tickpath::cli {

/// Appends `<Field=value|…>` of the fields that are there. Decimals are plain numbers.
void append_text_fields(std::string& out, const std::vector<fast::Field>& fields, fast::Row row);

/// The value of a field that is neither group, sequence nor dynamic reference.
[[nodiscard]] std::string scalar_text(const fast::Field& field, fast::Row row);

}  // namespace tickpath::cli
