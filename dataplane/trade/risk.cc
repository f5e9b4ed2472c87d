#include "dataplane/trade/risk.h"

#include <algorithm>

#include "decoders/fix/message_template.h"

namespace tickpath::trade {
namespace {

constexpr std::int64_t percent_one = 1'000'000;  // at RiskLimits::band_places

Wide capped_at(Wide value, Wide most) noexcept {
    return std::min(value, most);
}

}  // namespace

OrderRate::OrderRate(std::uint32_t per_second, std::uint32_t burst, core::CycleClock clock) noexcept
    : order_cycles_(per_second == 0 ? 0 : clock.to_cycles(1'000'000'000u) / per_second),
      slack_cycles_(static_cast<std::int64_t>(
          capped_at(Wide{order_cycles_} * (burst == 0 ? 0 : burst - 1), std::int64_t{1} << 62))) {}

Risk::Risk(const RiskSettings& settings, std::span<const model::Instrument> instruments,
           const ExposureTable& exposure, const KillSwitch& kill, core::CycleClock clock,
           std::string_view file, Diagnostics& diagnostics)
    : limits_(risk_limits(settings, instruments, exposure, file, diagnostics)),
      exposure_(exposure),
      kill_(kill),
      rate_(settings.orders_per_second, settings.order_burst, clock) {}

Refusal Risk::check(const model::OrderIntent& intent, const Book& book,
                    std::uint64_t now_cycles) const noexcept {
    if (kill_.is_engaged()) return Refusal::killed;
    const InstrumentLimits& limits = limits_.instruments[intent.instrument];
    Refusal refusal = check_order(intent, limits);
    if (refusal == Refusal::none) refusal = check_band(intent.price, book);
    if (refusal == Refusal::none) refusal = check_worst(intent, limits);
    if (refusal == Refusal::none && !rate_.allows(now_cycles)) refusal = Refusal::order_rate;
    return refusal;
}

Refusal Risk::check_order(const model::OrderIntent& intent, const InstrumentLimits& limits) const noexcept {
    if (intent.quantity <= 0 || !fix::MessageTemplate::fits(intent.price, intent.quantity))
        return Refusal::bad_order;
    if (limits.lot_size > 1 && intent.quantity % limits.lot_size != 0) return Refusal::bad_order;
    if (limits.tick_size > 1 && intent.price % limits.tick_size != 0) return Refusal::bad_order;
    if (limits.quantity_max != 0 && intent.quantity > limits.quantity_max) return Refusal::order_quantity;
    if ((limits.price_min != 0 || limits.price_max != 0) &&
        (intent.price < limits.price_min || intent.price > limits.price_max))
        return Refusal::static_band;
    return Refusal::none;
}

// |price - reference| <= reference * percent / 100, with the reference doubled: the middle of bid and ask may
// lie between two integers.
Refusal Risk::check_band(std::int64_t price, const Book& book) const noexcept {
    if (limits_.band_percent == 0) return Refusal::none;
    const Top top = book.top();
    Wide reference_twice = 0;
    if (top.bid.exists() && top.ask.exists())
        reference_twice = Wide{top.bid.price} + top.ask.price;
    else if (book.last_trade_price())
        reference_twice = Wide{*book.last_trade_price()} * 2;
    else
        return Refusal::no_reference;
    const Wide distance_twice = magnitude(Wide{price} * 2 - reference_twice);
    const bool inside =
        distance_twice * (100 * percent_one) <= magnitude(reference_twice) * limits_.band_percent;
    return inside ? Refusal::none : Refusal::price_band;
}

Refusal Risk::check_worst(const model::OrderIntent& intent, const InstrumentLimits& limits) const noexcept {
    const WorstCase worst =
        exposure_.worst_with(intent.instrument, intent.side, intent.quantity, intent.price);
    if (limits.net_max != 0 && worst.net > limits.net_max) return Refusal::position_net;
    if (limits_.gross_max != 0 && worst.gross > limits_.gross_max) return Refusal::position_gross;
    if (limits_.notional_max != 0 && worst.notional > limits_.notional_max) return Refusal::notional;
    return Refusal::none;
}

}  // namespace tickpath::trade
