// Prints a study for people or as JSON. Cold.
#pragma once

#include <string>

#include "control/latency/stall_baseline.h"
#include "control/latency/study.h"

namespace tickpath::latency {

/// A table, ended by a line break. `baseline` may be null.
[[nodiscard]] std::string to_text(const Study& study, const StallBaseline* baseline);

/// One JSON object, indented, zeros included.
[[nodiscard]] std::string to_json(const Study& study, const StallBaseline* baseline);

/// What a person should know before believing the numbers, one sentence each: what is not matched and why,
/// what was left out, clocks that disagree. Empty when there is nothing to say.
[[nodiscard]] std::vector<std::string> remarks(const Study& study);

/// "trailer_ns of metamako": whose clock a capture's times are.
[[nodiscard]] std::string clock_name(const CaptureFacts& facts);

}  // namespace tickpath::latency
