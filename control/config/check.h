// Judges a loaded configuration as a whole and against this machine, before anything is started. Cold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "control/config/config.h"
#include "dataplane/model/instrument.h"
#include "dataplane/pipeline/plan.h"
#include "decoders/base/diagnostics.h"
#include "decoders/fix/message_template.h"
#include "decoders/framing/description.h"

namespace tickpath::config {

/// What the checks need to know of the machine; a test makes one up.
struct Machine {
    std::vector<unsigned> cpus;      ///< on which this process may run
    std::uint64_t memory_bytes = 0;  ///< that it may have: what is built in, or its control group's bound

    [[nodiscard]] static Machine this_one();
};

/// A <feed> with its description loaded and everything applied that the configuration says over it.
struct CheckedFeed {
    framing::FeedDescription description;
    std::filesystem::path templates;  ///< empty after an error about them
    /// Index of the port at which each line arrives: [channel of the description][line of that channel].
    std::vector<std::vector<std::uint16_t>> line_ports;
};

/// What the launcher goes on with; incomplete after an error.
struct CheckedRun {
    std::vector<CheckedFeed> feeds;
    std::vector<model::Instrument> instruments;  ///< the known ones, by id
    fix::OrderTemplate order_template = fix::default_order_template();
    /// Its channels are those of all feeds, feed by feed in the order of their descriptions.
    pipeline::Plan plan;
};

/// Adds everything that is wrong, each with file and line, also of a configuration that was loaded with
/// errors (which are not said again): names that point nowhere, a feed description or instrument file that is
/// wrong, a channel whose lines arrive at different workers, CPUs that are not there or given twice, files
/// that cannot be read, settings that exclude each other, a broken order template, more
/// memory than there is. FAST templates are only
/// looked for, not loaded.
[[nodiscard]] CheckedRun check(const RunConfig& config, const Machine& machine, Diagnostics& diagnostics);
void check(const ExchangeConfig& config, Diagnostics& diagnostics);

}  // namespace tickpath::config
