// Instantiates the path for each strategy of our own: the hot code of `tickpath run` is compiled here.
#include "control/runtime/strategies.h"

#include <array>

#include "control/runtime/trading_of.h"
#include "dataplane/pipeline/no_trade.h"
#include "dataplane/trade/hit_quote.h"
#include "dataplane/trade/null_strategy.h"

namespace tickpath::runtime {
namespace {

constexpr std::array strategies = {
    StrategyEntry{"hit-quote", &make_strategy<trade::HitQuote>},
    StrategyEntry{"null", &make_strategy<trade::NullStrategy>},
};

class WatchOnly final : public Trading {
public:
    explicit WatchOnly(const Parts& parts) : pipeline_(pipeline::make_pipeline(parts, nothing_)) {}
    [[nodiscard]] pipeline::Pipeline& pipeline() noexcept override { return *pipeline_; }

private:
    pipeline::NoTrade nothing_;
    std::unique_ptr<pipeline::Pipeline> pipeline_;
};

}  // namespace

std::span<const StrategyEntry> own_strategies() noexcept {
    return strategies;
}

std::unique_ptr<Trading> watch_only(const Parts& parts) {
    return std::make_unique<WatchOnly>(parts);
}

}  // namespace tickpath::runtime
