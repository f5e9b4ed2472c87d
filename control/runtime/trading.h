// A run's trade side and pipeline behind one interface, and the strategies by name. Cold; the types meet in
// trading_of.h.
#pragma once

#include <memory>
#include <string_view>

#include "control/config/config.h"
#include "control/runtime/order_session.h"
#include "dataplane/core/command_ring.h"
#include "dataplane/pipeline/pipeline.h"
#include "dataplane/port/dpdk_port.h"
#include "dataplane/trade/kill_switch.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::runtime {

using Parts = pipeline::PipelineParts<port::DpdkPort>;

/// What a run's trade side is made of; all of it outlives the Trading.
struct TradingParts {
    const config::RunConfig& config;
    const Parts& pipeline;
    OrderSession* order_session = nullptr;  ///< null: shadow orders
    trade::KillSwitch& kill;
    core::CommandRing& commands;
};

/// A run's pipeline with what it is built around.
class Trading {
public:
    virtual ~Trading() = default;
    [[nodiscard]] virtual pipeline::Pipeline& pipeline() noexcept = 0;
};

/// A strategy by the name that a configuration calls it.
struct StrategyEntry {
    std::string_view name;
    std::unique_ptr<Trading> (*make)(const TradingParts&, Diagnostics&);
};

}  // namespace tickpath::runtime
