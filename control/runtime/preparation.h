// A configuration read and judged to the end before anything is started or made. Cold.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "control/config/check.h"
#include "control/config/config.h"
#include "control/runtime/trading.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/port/port_plan.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::runtime {

/// What a launch goes on with; incomplete after an error.
struct Preparation {
    config::RunConfig config;
    config::CheckedRun checked;
    std::vector<feed::ChannelPlan> channels;  ///< of all feeds, as CheckedRun::plan counts them
    std::optional<port::PortPlan> ports;
    std::unique_ptr<ReadyStrategy> strategy;  ///< null without a trade side
};

enum class Verdict : std::uint8_t {
    good,
    wrong_configuration,  ///< a file is wrong; ports may be missing besides
    ports_not_there,  ///< nothing but that: an interface, a NIC, memory, a capture that cannot be replayed
};

/// Reads the configuration and every file it names, and looks at the machine. Says everything that is wrong
/// at once; makes no file and starts nothing.
[[nodiscard]] Verdict prepare(const std::filesystem::path& file, std::span<const StrategyEntry> strategies,
                              Preparation& made, Diagnostics& diagnostics);

}  // namespace tickpath::runtime
