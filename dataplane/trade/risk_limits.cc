#include "dataplane/trade/risk_limits.h"

#include <algorithm>
#include <optional>
#include <string>

namespace tickpath::trade {
namespace {

constexpr std::int64_t band_cap_percent = 1'000'000;  // wider bands check nothing; products stay in 128 bits

/// The smaller of two limits where 0 means none.
std::int64_t tighter(std::int64_t a, std::int64_t b) noexcept {
    if (a == 0 || b == 0) return std::max(a, b);
    return std::min(a, b);
}

class LimitReader {
public:
    LimitReader(std::string_view file, std::uint32_t line, Diagnostics& diagnostics) noexcept
        : file_(file), line_(line), diagnostics_(diagnostics) {}

    /// 0 after an error.
    std::int64_t at_scale(std::string_view key, Decimal limit, int places) {
        const std::optional<std::int64_t> scaled = scale(limit, places);
        if (!scaled) refuse(key, limit, places, "");
        return scaled.value_or(0);
    }

    /// At the quantity scale of each instrument; 0 where it cannot be held.
    std::vector<std::int64_t> at_each_scale(std::string_view key, Decimal limit,
                                            std::span<const model::Instrument> instruments) {
        std::vector<std::int64_t> limits(instruments.size());
        const model::Instrument* first_refused = nullptr;
        std::size_t refused_count = 0;
        for (std::size_t i = 0; i < instruments.size(); ++i) {
            const std::optional<std::int64_t> scaled = scale(limit, instruments[i].quantity_places);
            limits[i] = scaled.value_or(0);
            if (scaled) continue;
            if (refused_count++ == 0) first_refused = &instruments[i];
        }
        if (first_refused == nullptr) return limits;
        std::string whose = " (of instrument " + std::string(first_refused->key());
        if (refused_count > 1) whose += " and " + std::to_string(refused_count - 1) + " more";
        refuse(key, limit, first_refused->quantity_places, whose + ')');
        return limits;
    }

    /// At a scale where an int64 may be too small.
    Wide at_wide_scale(std::string_view key, Decimal limit, int places) {
        Wide scaled = limit.mantissa;
        const int shift = places + limit.exponent;
        for (int i = 0; i < shift; ++i)
            scaled = capped_product(scaled, 10);
        if (limit.mantissa >= 0 && shift >= 0 && scaled != wide_cap) return scaled;
        error(std::string(key) + " " + to_text(limit) + " is not a limit at " + std::to_string(places) +
              " decimal places: it must be >= 0, need no more places and be below 10^" +
              std::to_string(30 - places));
        return 0;
    }

private:
    [[nodiscard]] static std::optional<std::int64_t> scale(Decimal limit, int places) noexcept {
        const std::optional<std::int64_t> scaled = at_places(limit, places);
        return scaled && *scaled >= 0 ? scaled : std::nullopt;
    }
    void refuse(std::string_view key, Decimal limit, int places, const std::string& whose) {
        error(std::string(key) + " " + to_text(limit) + " is not a limit at " + std::to_string(places) +
              " decimal places" + whose + ": it must be >= 0 and need no more places");
    }
    void error(std::string text) { diagnostics_.error(file_, line_, std::move(text)); }

    std::string_view file_;
    std::uint32_t line_;
    Diagnostics& diagnostics_;
};

}  // namespace

RiskLimits risk_limits(const RiskSettings& settings, std::span<const model::Instrument> instruments,
                       const ExposureTable& exposure, std::string_view file, Diagnostics& diagnostics) {
    LimitReader read(file, settings.line, diagnostics);
    const auto quantities =
        read.at_each_scale("order_quantity_max", settings.order_quantity_max, instruments);
    const auto nets = read.at_each_scale("position_net_max", settings.position_net_max, instruments);
    RiskLimits limits;
    for (std::size_t i = 0; i < instruments.size(); ++i) {
        const model::Instrument& of = instruments[i];
        limits.instruments.push_back({.quantity_max = tighter(quantities[i], of.order_quantity_max),
                                      .net_max = tighter(nets[i], of.position_max),
                                      .tick_size = of.tick_size,
                                      .lot_size = of.lot_size,
                                      .price_min = of.price_min,
                                      .price_max = of.price_max});
    }
    limits.gross_max =
        read.at_wide_scale("position_gross_max", settings.position_gross_max, exposure.gross_places());
    limits.notional_max =
        read.at_wide_scale("notional_max", settings.notional_max, exposure.notional_places());
    limits.band_percent =
        std::min(read.at_scale("price_band_percent", settings.price_band_percent, RiskLimits::band_places),
                 at_places({band_cap_percent, 0}, RiskLimits::band_places).value_or(0));
    return limits;
}

}  // namespace tickpath::trade
