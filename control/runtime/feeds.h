// Turns checked feeds into what the receive side runs: templates loaded, mappings compiled. Cold, once at
// start.
#pragma once

#include <vector>

#include "control/config/check.h"
#include "dataplane/feed/feed_plan.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::runtime {

/// Every channel of every feed, in the order that CheckedRun::plan counts them. Feeds that name the same
/// template file share one copy of it. Without the channels of a feed that check() refused, or that is
/// refused here: then `diagnostics` has the error.
[[nodiscard]] std::vector<feed::ChannelPlan> load_channels(const config::CheckedRun& run,
                                                           Diagnostics& diagnostics);

}  // namespace tickpath::runtime
