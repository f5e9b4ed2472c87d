#include "dataplane/trade/exposure.h"

#include <algorithm>

namespace tickpath::trade {
namespace {

Wide power_of_ten(int exponent) noexcept {
    Wide power = 1;
    for (int i = 0; i < exponent; ++i)
        power = capped_product(power, 10);
    return power;
}

/// The larger of what the position becomes when one or the other side fills.
Wide worst_net(const Exposure& exposure) noexcept {
    return std::max(magnitude(Wide{exposure.position} + exposure.open_buy),
                    magnitude(Wide{exposure.position} - exposure.open_sell));
}

}  // namespace

ExposureTable::ExposureTable(std::span<const model::Instrument> instruments) : entries_(instruments.size()) {
    for (const model::Instrument& instrument : instruments) {
        gross_places_ = std::max<int>(gross_places_, instrument.quantity_places);
        notional_places_ = std::max(notional_places_, instrument.price_places + instrument.quantity_places);
    }
    for (std::size_t i = 0; i < instruments.size(); ++i) {
        const model::Instrument& instrument = instruments[i];
        entries_[i].quantity_factor = power_of_ten(gross_places_ - instrument.quantity_places);
        entries_[i].money_factor =
            power_of_ten(notional_places_ - instrument.price_places - instrument.quantity_places);
    }
}

WorstCase ExposureTable::worst_with(model::InstrumentId instrument, model::OrderSide side,
                                    std::int64_t quantity, std::int64_t price) const noexcept {
    const Entry& entry = entries_[instrument];
    Exposure after = entry.exposure;
    std::int64_t& open = side == model::OrderSide::buy ? after.open_buy : after.open_sell;
    open = clamped_sum(open, quantity);
    const Wide net = worst_net(after);
    const Wide money = capped_product(net, magnitude(price));
    return {.net = net,
            .gross = gross_ - entry.gross + capped_product(net, entry.quantity_factor),
            .notional = notional_ - entry.notional + capped_product(money, entry.money_factor)};
}

void ExposureTable::change(model::InstrumentId instrument, model::OrderSide side, std::int64_t open,
                           std::int64_t filled, std::int64_t price) noexcept {
    Entry& entry = entries_[instrument];
    Exposure& exposure = entry.exposure;
    if (side == model::OrderSide::buy) {
        exposure.open_buy = clamped_sum(exposure.open_buy, open);
        exposure.position = clamped_sum(exposure.position, filled);
    } else {
        exposure.open_sell = clamped_sum(exposure.open_sell, open);
        exposure.position = clamped_sum(exposure.position, -filled);
    }
    const WorstCase now = worst_with(instrument, side, 0, price);
    entry.gross += now.gross - gross_;
    entry.notional += now.notional - notional_;
    gross_ = now.gross;
    notional_ = now.notional;
}

}  // namespace tickpath::trade
