// What is allowed in a template file and still doubtful: what surprises readers, other decoders, or the
// feed's users. For `tickpath templates lint`; loading says what is wrong. Cold.
#pragma once

#include <span>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/definition.h"

namespace tickpath::fast {

/// Adds a warning per finding: what was found, and what to do about it. `definitions` must have passed
/// load_templates.
void lint_templates(std::span<const TemplateDefinition> definitions, Diagnostics& diagnostics);

}  // namespace tickpath::fast
