#include "dataplane/trade/risk.h"

#include <algorithm>
#include <string>

#include "decoders/fix/message_template.h"

namespace tickpath::trade {
namespace {

constexpr int band_places = 6;  ///< of price_band_percent
constexpr std::int64_t percent_one = 1'000'000;
constexpr std::int64_t band_cap =
    percent_one * 1'000'000;  // wider bands check nothing; products stay in 128 bits

/// The smaller of two limits where 0 means none.
std::int64_t tighter(std::int64_t a, std::int64_t b) noexcept {
    if (a == 0 || b == 0) return std::max(a, b);
    return std::min(a, b);
}

Wide capped_at(Wide value, Wide most) noexcept {
    return std::min(value, most);
}

class LimitReader {
public:
    LimitReader(std::string_view file, Diagnostics& diagnostics) noexcept
        : file_(file), diagnostics_(diagnostics) {}

    /// 0 after an error.
    std::int64_t at_scale(std::string_view key, Decimal limit, int places, std::string_view of) {
        const std::optional<std::int64_t> scaled = at_places(limit, places);
        if (!scaled || *scaled < 0) {
            diagnostics_.error(file_, 0,
                               std::string(key) + " " + to_text(limit) + " is not a limit at " +
                                   std::to_string(places) + " decimal places (" + std::string(of) +
                                   "): it must be >= 0 and need no more places");
            return 0;
        }
        return *scaled;
    }

    /// At a scale where an int64 may be too small.
    Wide at_wide_scale(std::string_view key, Decimal limit, int places) {
        Wide scaled = limit.mantissa;
        const int shift = places + limit.exponent;
        for (int i = 0; i < shift; ++i)
            scaled = capped_product(scaled, 10);
        if (limit.mantissa < 0 || shift < 0 || scaled == wide_cap) {
            diagnostics_.error(file_, 0,
                               std::string(key) + " " + to_text(limit) + " is not a limit at " +
                                   std::to_string(places) +
                                   " decimal places: it must be >= 0, need no more places and be below 10^" +
                                   std::to_string(30 - places));
            return 0;
        }
        return scaled;
    }

private:
    std::string_view file_;
    Diagnostics& diagnostics_;
};

}  // namespace

OrderRate::OrderRate(std::uint32_t per_second, std::uint32_t burst, core::CycleClock clock) noexcept
    : order_cycles_(per_second == 0 ? 0 : clock.to_cycles(1'000'000'000u) / per_second),
      slack_cycles_(static_cast<std::int64_t>(
          capped_at(Wide{order_cycles_} * (burst == 0 ? 0 : burst - 1), std::int64_t{1} << 62))) {}

Risk::Risk(const RiskSettings& settings, std::span<const model::Instrument> instruments,
           const ExposureTable& exposure, const KillSwitch& kill, core::CycleClock clock,
           std::string_view file, Diagnostics& diagnostics)
    : limits_(instruments.size()),
      exposure_(exposure),
      kill_(kill),
      rate_(settings.orders_per_second, settings.order_burst, clock) {
    LimitReader read(file, diagnostics);
    for (std::size_t i = 0; i < instruments.size(); ++i) {
        const model::Instrument& of = instruments[i];
        const std::int64_t quantity_max =
            read.at_scale("order_quantity_max", settings.order_quantity_max, of.quantity_places, of.key());
        const std::int64_t net_max =
            read.at_scale("position_net_max", settings.position_net_max, of.quantity_places, of.key());
        limits_[i] = {.quantity_max = tighter(quantity_max, of.order_quantity_max),
                      .net_max = tighter(net_max, of.position_max),
                      .tick_size = of.tick_size,
                      .lot_size = of.lot_size,
                      .price_min = of.price_min,
                      .price_max = of.price_max};
    }
    gross_max_ =
        read.at_wide_scale("position_gross_max", settings.position_gross_max, exposure.gross_places());
    notional_max_ = read.at_wide_scale("notional_max", settings.notional_max, exposure.notional_places());
    band_percent_ = std::min(
        read.at_scale("price_band_percent", settings.price_band_percent, band_places, "percent"), band_cap);
}

Refusal Risk::check(const model::OrderIntent& intent, const Book& book,
                    std::uint64_t now_cycles) const noexcept {
    if (kill_.is_engaged()) return Refusal::killed;
    const Limits& limits = limits_[intent.instrument];
    Refusal refusal = check_order(intent, limits);
    if (refusal == Refusal::none) refusal = check_band(intent.price, book);
    if (refusal == Refusal::none) refusal = check_worst(intent, limits);
    if (refusal == Refusal::none && !rate_.allows(now_cycles)) refusal = Refusal::order_rate;
    return refusal;
}

Refusal Risk::check_order(const model::OrderIntent& intent, const Limits& limits) const noexcept {
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
    if (band_percent_ == 0) return Refusal::none;
    const Top top = book.top();
    Wide reference_twice = 0;
    if (top.bid.exists() && top.ask.exists())
        reference_twice = Wide{top.bid.price} + top.ask.price;
    else if (book.last_trade_price())
        reference_twice = Wide{*book.last_trade_price()} * 2;
    else
        return Refusal::no_reference;
    const Wide distance_twice = magnitude(Wide{price} * 2 - reference_twice);
    const bool inside = distance_twice * (100 * percent_one) <= magnitude(reference_twice) * band_percent_;
    return inside ? Refusal::none : Refusal::price_band;
}

Refusal Risk::check_worst(const model::OrderIntent& intent, const Limits& limits) const noexcept {
    const WorstCase worst =
        exposure_.worst_with(intent.instrument, intent.side, intent.quantity, intent.price);
    if (limits.net_max != 0 && worst.net > limits.net_max) return Refusal::position_net;
    if (gross_max_ != 0 && worst.gross > gross_max_) return Refusal::position_gross;
    if (notional_max_ != 0 && worst.notional > notional_max_) return Refusal::notional;
    return Refusal::none;
}

}  // namespace tickpath::trade
