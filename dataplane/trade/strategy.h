// What a strategy is, what it may ask for, and how it gets its settings. A strategy may live outside this
// tree: see CONTRIBUTING.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/model/instrument.h"
#include "dataplane/model/order.h"
#include "dataplane/trade/book.h"
#include "dataplane/trade/event.h"
#include "dataplane/trade/exposure.h"
#include "decoders/base/decimal.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::trade {

/// Takes a strategy's wishes during one on_event call. What becomes of them is decided after the call, in
/// order: may trade, risk, then the order link.
class Orders {
public:
    static constexpr std::size_t intents_max = 8;  ///< per event; more are refused as orders_per_event

    explicit Orders(const ExposureTable& exposure) noexcept : exposure_(exposure) {}

    void submit(const model::OrderIntent& intent) noexcept {
        if (count_ == intents_max) [[unlikely]] {
            ++overflow_count_;
            return;
        }
        intents_[count_++] = intent;
    }

    /// Filled quantity of this run, positive when long, at the instrument's quantity scale.
    [[nodiscard]] std::int64_t position(model::InstrumentId instrument) const noexcept {
        return exposure_[instrument].position;
    }
    /// Quantity of own orders that may still fill.
    [[nodiscard]] std::int64_t open_quantity(model::InstrumentId instrument,
                                             model::OrderSide side) const noexcept {
        const Exposure& exposure = exposure_[instrument];
        return side == model::OrderSide::buy ? exposure.open_buy : exposure.open_sell;
    }

    /// For the trade stage: what was submitted since `clear`.
    [[nodiscard]] std::span<const model::OrderIntent> intents() const noexcept {
        return {intents_.data(), count_};
    }
    [[nodiscard]] std::size_t overflow_count() const noexcept { return overflow_count_; }
    void clear() noexcept { count_ = overflow_count_ = 0; }

private:
    std::array<model::OrderIntent, intents_max> intents_{};
    std::size_t count_ = 0;
    std::size_t overflow_count_ = 0;
    const ExposureTable& exposure_;
};

/// The strategy's element of the configuration: its name and named values as text, with their line.
struct StrategySettings {
    struct Value {
        std::string key;
        std::string text;
        std::uint32_t line = 0;
    };
    std::string name;
    std::vector<Value> values;
    std::string file;        ///< for messages
    std::uint32_t line = 0;  ///< of the element
};

/// Reads StrategySettings; every problem becomes a line in `diagnostics`. Call finish last.
class SettingsReader {
public:
    SettingsReader(const StrategySettings& settings, Diagnostics& diagnostics) noexcept
        : settings_(settings), diagnostics_(diagnostics) {}

    /// The value, or nullopt when the key is absent. An empty value is a value.
    [[nodiscard]] std::optional<std::string_view> text(std::string_view key);
    /// Optional '-', digits, optional '.' and digits: "97.25". Anything else is an error and nullopt.
    [[nodiscard]] std::optional<Decimal> decimal(std::string_view key);
    /// Optional '-' and digits.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key);
    /// An error about this key, with its line.
    void error(std::string_view key, std::string text);

    /// Every key that nobody asked for is an error that names the nearest one that was.
    void finish();

private:
    const StrategySettings::Value* find(std::string_view key);

    const StrategySettings& settings_;
    Diagnostics& diagnostics_;
    std::vector<std::string> asked_;
};

/// Called on the trade core: no allocation, lock, system call or exception in on_event. The constructor may
/// do all of these and reports wrong settings to Diagnostics.
template <class S>
concept Strategy =
    std::constructible_from<S, const StrategySettings&, std::span<const model::Instrument>, Diagnostics&>&&
        std::movable<S>&& requires(S strategy, const Book& book, const Event& event, Orders& orders) {
    /// Once per touched instrument, when the event is complete and its book is whole.
    { strategy.on_event(book, event, orders) }
    noexcept->std::same_as<void>;
};

}  // namespace tickpath::trade
