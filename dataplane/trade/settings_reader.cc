#include <algorithm>

#include "dataplane/trade/strategy.h"
#include "decoders/fix/number.h"

namespace tickpath::trade {

std::optional<std::string_view> SettingsReader::text(std::string_view key) {
    const StrategySettings::Value* const value = find(key);
    if (value == nullptr) return std::nullopt;
    return value->text;
}

std::optional<Decimal> SettingsReader::decimal(std::string_view key) {
    const std::optional<std::string_view> written = text(key);
    if (!written) return std::nullopt;
    const std::optional<Decimal> value = fix::parse_decimal(*written);
    if (!value) error(key, "'" + std::string(*written) + "' is not a decimal number such as 97.25");
    return value;
}

std::optional<std::int64_t> SettingsReader::integer(std::string_view key) {
    const std::optional<std::string_view> written = text(key);
    if (!written) return std::nullopt;
    const std::optional<std::int64_t> value = fix::parse_signed(*written);
    if (!value) error(key, "'" + std::string(*written) + "' is not a whole number");
    return value;
}

void SettingsReader::error(std::string_view key, std::string text) {
    const StrategySettings::Value* const value = find(key);
    const std::uint32_t line = value == nullptr ? settings_.line : value->line;
    diagnostics_.error(settings_.file, line,
                       "strategy " + settings_.name + ": " + std::string(key) + ": " + std::move(text));
}

void SettingsReader::finish() {
    const std::vector<std::string_view> known(asked_.begin(), asked_.end());
    for (const StrategySettings::Value& value : settings_.values) {
        if (std::find(asked_.begin(), asked_.end(), value.key) != asked_.end()) continue;
        std::string text = "strategy " + settings_.name + " has no setting '" + value.key + "'";
        const std::string_view nearest = nearest_spelling(value.key, known);
        if (!nearest.empty()) text += " (did you mean '" + std::string(nearest) + "'?)";
        diagnostics_.error(settings_.file, value.line, std::move(text));
    }
}

const StrategySettings::Value* SettingsReader::find(std::string_view key) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
    const auto found = std::find_if(settings_.values.begin(), settings_.values.end(),
                                    [&](const StrategySettings::Value& value) { return value.key == key; });
    return found == settings_.values.end() ? nullptr : &*found;
}

}  // namespace tickpath::trade
