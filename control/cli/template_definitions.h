// The definitions of a template file that has been loaded, for what looks at them rather than runs them.
// Cold.
#pragma once

#include <string>
#include <vector>

#include "decoders/fast/definition.h"

namespace tickpath::cli {

/// The file must have passed load_template_file: what it found is not said again.
[[nodiscard]] std::vector<fast::TemplateDefinition> read_template_definitions(const std::string& path);

}  // namespace tickpath::cli
