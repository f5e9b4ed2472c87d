// Collects what a run has to say from its stages into the report's plain values. Cold.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "control/config/config.h"
#include "control/runtime/trading.h"
#include "control/stats/snapshot.h"

namespace tickpath::runtime {

/// Asks the pipeline (see Pipeline::feed_reports) and the devices, and reads the counters. `filters` by port.
[[nodiscard]] stats::Snapshot take_snapshot(const config::RunConfig& config, const Parts& parts,
                                            std::span<const port::FilterChoice> filters,
                                            pipeline::Pipeline& pipeline, double run_seconds);

}  // namespace tickpath::runtime
