// Prints a snapshot for people or as JSON. Cold: at the end of a run and on request.
#pragma once

#include <string>

#include "control/stats/snapshot.h"

namespace tickpath::stats {

/// Text, sections without content left out, ended by a line break.
[[nodiscard]] std::string to_text(const Snapshot& snapshot);

/// One JSON object, indented; keys as the members of Snapshot plus "drops", "refusals" and "faults", which
/// sum the counters by cause over all owners. Counters that are zero are listed too: a reader may subtract.
[[nodiscard]] std::string to_json(const Snapshot& snapshot);

/// The same of what a port can do, as its object in the report.
[[nodiscard]] std::string to_json(const port::PortCapabilities& capabilities);

}  // namespace tickpath::stats
