// A study as one HTML page that needs nothing else: the percentile plot and the machine's stalls as inline
// SVG. Cold.
#pragma once

#include <string>

#include "control/latency/stall_baseline.h"
#include "control/latency/study.h"

namespace tickpath::latency {

/// `baseline` may be null. Names of files are escaped.
[[nodiscard]] std::string to_html(const Study& study, const StallBaseline* baseline);

}  // namespace tickpath::latency
