// Findings about the machine as text and JSON. Cold.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "control/doctor/machine_finding.h"

namespace tickpath::doctor {

/// A line a check, the command that mends it on the next, and a line that counts what is to be mended.
[[nodiscard]] std::string to_text(std::span<const MachineFinding> findings);

/// {"ok":…,"checks":[{"check":…,"state":"ok|mend|absent","found":…,"command":…}]}; `command` with "mend"
/// only.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const MachineFinding> findings);

}  // namespace tickpath::doctor
