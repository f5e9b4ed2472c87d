// Keeps a run from writing over what it reads. Cold: once at start.
#pragma once

#include <filesystem>

#include "control/runtime/preparation.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::runtime {

/// False, with an error for each, when the tick file or the counter file is also an input (configuration,
/// capture, feed description, templates, instruments, order template, a file of the session store), whatever
/// its path is spelled like, or when both are one file. `ticks` may be empty: no tick file.
[[nodiscard]] bool may_write_outputs(const std::filesystem::path& ticks, const Preparation& prepared,
                                     Diagnostics& diagnostics);

}  // namespace tickpath::runtime
