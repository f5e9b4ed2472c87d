// Which datagrams of a capture are the feed: from a run's configuration, or from a feed description. Cold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/feed/feed_plan.h"
#include "dataplane/model/instrument.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::cli {

/// As typed; exactly one of `config` and `feed` is given.
struct LatencyFeedOptions {
    std::string config;
    std::string feed;
    std::string templates;    ///< FAST templates of `feed`; empty: those that the description names
    std::string instruments;  ///< instrument file; empty: the configuration's, or none
};

struct LatencyFeeds {
    std::vector<feed::ChannelPlan> channels;
    std::vector<model::Instrument> instruments;
};

/// Reads everything that is named, and nothing else of a configuration: its ports and its trade side need not
/// be there. nullopt, with findings, when a file is wrong.
[[nodiscard]] std::optional<LatencyFeeds> load_latency_feeds(const LatencyFeedOptions& options,
                                                             Diagnostics& diagnostics);

}  // namespace tickpath::cli
