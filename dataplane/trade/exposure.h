// Positions and open quantity per instrument, and what they may become at worst. Hot: once per order and
// report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/model/instrument.h"
#include "dataplane/model/order.h"
#include "dataplane/trade/wide.h"

namespace tickpath::trade {

/// At the instrument's quantity scale.
struct Exposure {
    std::int64_t position = 0;  ///< filled: bought minus sold in this run
    std::int64_t open_buy = 0;  ///< may still fill: pending, live, part filled and unknown orders
    std::int64_t open_sell = 0;

    friend constexpr bool operator==(const Exposure&, const Exposure&) noexcept = default;
};

/// What an order could lead to if it and all open orders of its side filled.
struct WorstCase {
    Wide net = 0;       ///< of the instrument, absolute, at its quantity scale
    Wide gross = 0;     ///< over all instruments, at gross_places
    Wide notional = 0;  ///< over all instruments, at notional_places
};

/// One entry per instrument of the instrument file; others are never traded. Sums over instruments are kept
/// at the finest scale among them, so that they are exact.
class ExposureTable {
public:
    explicit ExposureTable(std::span<const model::Instrument> instruments);

    /// All zero for an instrument that is not in the file.
    [[nodiscard]] const Exposure& operator[](model::InstrumentId instrument) const noexcept {
        static constexpr Exposure nothing{};
        return instrument < entries_.size() ? entries_[instrument].exposure : nothing;
    }

    [[nodiscard]] WorstCase worst_with(model::InstrumentId instrument, model::OrderSide side,
                                       std::int64_t quantity, std::int64_t price) const noexcept;

    /// Changes of one instrument: `open` by side, and `filled` of that side, either sign. `price` values the
    /// instrument from now on.
    void change(model::InstrumentId instrument, model::OrderSide side, std::int64_t open, std::int64_t filled,
                std::int64_t price) noexcept;

    [[nodiscard]] int gross_places() const noexcept { return gross_places_; }
    [[nodiscard]] int notional_places() const noexcept { return notional_places_; }
    [[nodiscard]] Wide gross() const noexcept { return gross_; }
    [[nodiscard]] Wide notional() const noexcept { return notional_; }

private:
    struct Entry {
        Exposure exposure;
        Wide gross = 0;            ///< this instrument's part of gross_
        Wide notional = 0;         ///< and of notional_
        Wide quantity_factor = 1;  ///< its quantity scale to gross_places
        Wide money_factor = 1;     ///< its price times quantity scale to notional_places
    };

    std::vector<Entry> entries_;
    Wide gross_ = 0;
    Wide notional_ = 0;
    int gross_places_ = 0;
    int notional_places_ = 0;
};

}  // namespace tickpath::trade
