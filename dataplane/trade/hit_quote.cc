#include "dataplane/trade/hit_quote.h"

#include <optional>
#include <string>

namespace tickpath::trade {
namespace {

/// A setting at one instrument's scale; a value that the scale cannot hold is an error.
std::int64_t at_scale(SettingsReader& reader, std::string_view key, Decimal value, int places,
                      const model::Instrument& of) {
    const std::optional<std::int64_t> scaled = at_places(value, places);
    if (!scaled)
        reader.error(key, to_text(value) + " needs more than the " + std::to_string(places) +
                              " decimal places of " + std::string(of.key()));
    return scaled.value_or(0);
}

}  // namespace

HitQuote::HitQuote(const StrategySettings& settings, std::span<const model::Instrument> instruments,
                   Diagnostics& diagnostics)
    : watched_(instruments.size()) {
    SettingsReader reader(settings, diagnostics);
    const std::optional<Decimal> sell_at = reader.decimal("sell_at");
    const std::optional<Decimal> buy_at = reader.decimal("buy_at");
    const Decimal quantity_max = reader.decimal("quantity_max").value_or(Decimal{1, 0});
    const std::optional<std::string_view> only = reader.text("instrument");
    reader.finish();
    if (!reader.text("sell_at") && !reader.text("buy_at"))
        reader.error("sell_at", "neither sell_at nor buy_at is set: there is nothing to do");
    if (quantity_max.mantissa <= 0) reader.error("quantity_max", "must be above zero");

    bool found = false;
    for (std::size_t i = 0; i < instruments.size(); ++i) {
        const model::Instrument& of = instruments[i];
        if (only && *only != of.symbol() && *only != of.key()) continue;
        found = true;
        watched_[i].quantity_max = at_scale(reader, "quantity_max", quantity_max, of.quantity_places, of);
        watched_[i].sells = sell_at.has_value();
        watched_[i].buys = buy_at.has_value();
        if (sell_at) watched_[i].sell_at = at_scale(reader, "sell_at", *sell_at, of.price_places, of);
        if (buy_at) watched_[i].buy_at = at_scale(reader, "buy_at", *buy_at, of.price_places, of);
    }
    if (only && !found)
        reader.error("instrument", "'" + std::string(*only) + "' is not in the instrument file");
}

}  // namespace tickpath::trade
