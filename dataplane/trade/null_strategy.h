// The strategy that watches and never trades: for recording, and to measure the rest of the path.
#pragma once

#include <span>

#include "dataplane/trade/strategy.h"

namespace tickpath::trade {

class NullStrategy {
public:
    NullStrategy(const StrategySettings& settings, std::span<const model::Instrument>,
                 Diagnostics& diagnostics) {
        SettingsReader(settings, diagnostics).finish();
    }

    void on_event(const Book&, const Event&, Orders&) noexcept {}
};
static_assert(Strategy<NullStrategy>);

}  // namespace tickpath::trade
