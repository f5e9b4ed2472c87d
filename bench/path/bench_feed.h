// The feeds that tick-to-order and nse-peak know: what a path needs to know of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/feed/feed_plan.h"
#include "dataplane/model/instrument.h"

namespace tickpath::bench {

struct BenchFeed {
    feed::ChannelPlan channel;
    std::vector<model::Instrument> known;  ///< ids from 0
    std::uint32_t other_count = 0;         ///< that may be learned
    std::string error_text;                ///< empty when all is well
};

/// Ten-entry FAST packets, see market.h.
[[nodiscard]] BenchFeed fast_feed();
/// NSE messages of which only the known tokens are of interest, see nse_market.h.
[[nodiscard]] BenchFeed nse_feed();
/// The same with an interest in every token; `other_count` of them may be learned.
[[nodiscard]] BenchFeed nse_feed_of_all(std::uint32_t other_count);

}  // namespace tickpath::bench
