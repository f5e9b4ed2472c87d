// A template as a table: which bit of which presence map, type, operator, dictionary entry. Cold.
#pragma once

#include <string>

#include "decoders/fast/definition.h"

namespace tickpath::cli {

/// Static references are shown inlined, as they are decoded.
[[nodiscard]] std::string show_template(const fast::TemplateDefinition& definition,
                                        const fast::TemplateNames& names);

}  // namespace tickpath::cli
