// A strategy joined with its trade stage and the pipeline around them: the one place where the types meet.
// Made once at start, then reached through Trading; what it makes is hot.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/runtime/trading.h"
#include "dataplane/pipeline/make_pipeline.h"
#include "dataplane/pipeline/trade_side.h"
#include "dataplane/tcp/kernel_tcp.h"
#include "dataplane/trade/null_link.h"
#include "dataplane/trade/strategy.h"
#include "dataplane/trade/trade_stage.h"

namespace tickpath::runtime {

template <trade::Strategy S, model::OrderLink Link>
class TradingOf final : public Trading {
public:
    TradingOf(const TradingParts& parts, S strategy, Link& link, Diagnostics& diagnostics)
        : config_file_(parts.config.file.string()),
          stage_(parts.config.trade.settings, trade_parts(parts), std::move(strategy), link, parts.kill,
                 *parts.pipeline.counters, parts.pipeline.clock, diagnostics),
          side_(stage_, session(parts), link, parts.pipeline.clock),
          pipeline_(pipeline::make_pipeline(parts.pipeline, side_)) {}

    [[nodiscard]] pipeline::Pipeline& pipeline() noexcept override { return *pipeline_; }

private:
    using Stage = trade::TradeStage<S, Link>;
    using Side = pipeline::TradeSide<Stage, Link>;

    [[nodiscard]] static std::span<const model::Instrument> known_instruments(const TradingParts& parts) {
        return parts.pipeline.instruments.first(parts.pipeline.known_count);
    }
    [[nodiscard]] static session::FixSession* session(const TradingParts& parts) {
        return parts.order_session == nullptr ? nullptr : parts.order_session->session.get();
    }
    [[nodiscard]] trade::TradeParts trade_parts(const TradingParts& parts) {
        for (const feed::ChannelPlan& channel : parts.pipeline.channels)
            channel_depths_.push_back(static_cast<std::uint8_t>(channel.book.depth));
        trade::TradeParts made;
        made.instruments = known_instruments(parts);
        made.instruments_max = parts.pipeline.instruments.size();
        made.channel_depths = channel_depths_;
        made.session = session(parts);
        made.commands = &parts.commands;
        made.order_template = parts.order_template;
        made.utc = &parts.utc;
        made.file = config_file_;
        made.instruments_line = parts.config.instruments.line;
        if (parts.order_session != nullptr) {
            const session::SessionSettings& settings = parts.order_session->session->settings();
            made.identity = {
                .begin_string = settings.begin_string, .sender = settings.sender, .target = settings.target};
            made.numbers = &parts.order_session->store->numbers();
        }
        return made;
    }

    std::string config_file_;
    std::vector<std::uint8_t> channel_depths_;  // before the stage, which reads it while it is made
    Stage stage_;
    Side side_;
    std::unique_ptr<pipeline::Pipeline> pipeline_;
};

template <trade::Strategy S>
class ReadyStrategyOf final : public ReadyStrategy {
public:
    ReadyStrategyOf(const trade::StrategySettings& settings, std::span<const model::Instrument> instruments,
                    Diagnostics& diagnostics)
        : strategy_(settings, instruments, diagnostics) {}

    [[nodiscard]] std::unique_ptr<Trading> join(const TradingParts& parts,
                                                Diagnostics& diagnostics) override {
        if (parts.order_session != nullptr)
            return std::make_unique<TradingOf<S, tcp::KernelTcp>>(parts, std::move(strategy_),
                                                                  *parts.order_session->link, diagnostics);
        static trade::NullLink no_link;
        return std::make_unique<TradingOf<S, trade::NullLink>>(parts, std::move(strategy_), no_link,
                                                               diagnostics);
    }

private:
    S strategy_;
};

/// StrategyEntry::make of strategy `S`.
template <trade::Strategy S>
[[nodiscard]] std::unique_ptr<ReadyStrategy> make_strategy(const trade::StrategySettings& settings,
                                                           std::span<const model::Instrument> instruments,
                                                           Diagnostics& diagnostics) {
    return std::make_unique<ReadyStrategyOf<S>>(settings, instruments, diagnostics);
}

}  // namespace tickpath::runtime
