// A run's trade side and pipeline behind one interface, and the strategies by name. Cold; the types meet in
// trading_of.h.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "control/config/config.h"
#include "control/runtime/order_session.h"
#include "dataplane/core/command_ring.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/core/seqlock.h"
#include "dataplane/pipeline/pipeline.h"
#include "dataplane/port/dpdk_port.h"
#include "dataplane/trade/kill_switch.h"
#include "dataplane/trade/strategy.h"
#include "decoders/base/diagnostics.h"
#include "decoders/fix/message_template.h"

namespace tickpath::runtime {

using Parts = pipeline::PipelineParts<port::DpdkPort>;

/// What a run's trade side is made of; all of it outlives the Trading.
struct TradingParts {
    const config::RunConfig& config;
    const Parts& pipeline;
    const fix::OrderTemplate& order_template;
    OrderSession* order_session = nullptr;  ///< null: shadow orders
    trade::KillSwitch& kill;
    core::CommandRing& commands;
    const core::Seqlock<core::UtcReading>& utc;
};

/// A run's pipeline with what it is built around.
class Trading {
public:
    virtual ~Trading() = default;
    [[nodiscard]] virtual pipeline::Pipeline& pipeline() noexcept = 0;
};

/// A strategy with its settings read, before there is anything for it to trade with.
class ReadyStrategy {
public:
    virtual ~ReadyStrategy() = default;
    /// Makes the trade side around it; once. Must not be used when `diagnostics` got an error.
    [[nodiscard]] virtual std::unique_ptr<Trading> join(const TradingParts& parts,
                                                        Diagnostics& diagnostics) = 0;
};

/// A strategy by the name that a configuration calls it.
struct StrategyEntry {
    std::string_view name;
    /// Of settings and known instruments, which outlive it; not to be joined when `diagnostics` got an error.
    std::unique_ptr<ReadyStrategy> (*make)(const trade::StrategySettings& settings,
                                           std::span<const model::Instrument> instruments,
                                           Diagnostics& diagnostics);
};

}  // namespace tickpath::runtime
