// A strategy that lives outside tickpath's tree: when the spread narrows to a limit, buy one unit from the
// best offer. Built and run as CONTRIBUTING says, by tests/system/outside_strategy_test.py.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "control/cli/run_strategy.h"
#include "dataplane/trade/strategy.h"
#include "decoders/base/decimal.h"

namespace trade = tickpath::trade;
namespace model = tickpath::model;

class NarrowSpread {
public:
    static constexpr std::string_view name = "narrow-spread";

    NarrowSpread(const trade::StrategySettings& settings, std::span<const model::Instrument> instruments,
                 tickpath::Diagnostics& diagnostics) {
        trade::SettingsReader reader(settings, diagnostics);
        const tickpath::Decimal limit = reader.decimal("spread_max").value_or(tickpath::Decimal{1, -2});
        reader.finish();
        for (const model::Instrument& instrument : instruments)
            spread_max_.push_back(tickpath::at_places(limit, instrument.price_places).value_or(0));
    }

    void on_event(const trade::Book& book, const trade::Event& event, trade::Orders& orders) noexcept {
        const trade::Top top = book.top();
        if (!top.bid.exists() || !top.ask.exists() || !event.ask_changed(book)) return;
        if (top.ask.price - top.bid.price > spread_max_[book.instrument()]) return;
        orders.submit({.instrument = book.instrument(),
                       .side = model::OrderSide::buy,
                       .time_in_force = model::TimeInForce::immediate_or_cancel,
                       .price = top.ask.price,
                       .quantity = 1});
    }

private:
    std::vector<std::int64_t> spread_max_;  // by instrument, at its price scale
};

int main(int argc, char** argv) {
    return tickpath::run<NarrowSpread>(argc, argv);
}
