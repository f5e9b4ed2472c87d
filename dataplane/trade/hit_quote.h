// Example strategy: sells to a bid at or above a limit, buys from an offer at or below one. Hot: on_event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/trade/strategy.h"

namespace tickpath::trade {

/// One immediate-or-cancel limit order, at the quote's price and for its size up to `quantity_max`, for each
/// event after which the best bid (offer) is at or through the limit and is not what it was before: in price,
/// in quantity, or because it was not there.
///
/// Settings, each in whole units and optional except that one limit must be there: `sell_at`, `buy_at`,
/// `quantity_max` (default 1), `instrument` (a Symbol or feed key; without it all instruments of the file).
class HitQuote {
public:
    HitQuote(const StrategySettings& settings, std::span<const model::Instrument> instruments,
             Diagnostics& diagnostics);

    void on_event(const Book& book, const Event& event, Orders& orders) noexcept {
        if (book.instrument() >= watched_.size()) [[unlikely]]
            return;
        const Watched& watched = watched_[book.instrument()];
        const Level bid = book.bids().best();
        if (watched.sells && bid.exists() && bid.price >= watched.sell_at && event.bid_changed(book))
            orders.submit(hit(book, model::OrderSide::sell, bid, watched));
        const Level ask = book.asks().best();
        if (watched.buys && ask.exists() && ask.price <= watched.buy_at && event.ask_changed(book))
            orders.submit(hit(book, model::OrderSide::buy, ask, watched));
    }

private:
    struct Watched {  // one instrument, at its scales
        std::int64_t sell_at = 0;
        std::int64_t buy_at = 0;
        std::int64_t quantity_max = 0;
        bool sells = false;
        bool buys = false;
    };

    [[nodiscard]] static model::OrderIntent hit(const Book& book, model::OrderSide side, const Level& quote,
                                                const Watched& watched) noexcept {
        return {.instrument = book.instrument(),
                .side = side,
                .time_in_force = model::TimeInForce::immediate_or_cancel,
                .price = quote.price,
                .quantity = std::min(quote.quantity, watched.quantity_max)};
    }

    std::vector<Watched> watched_;  ///< by instrument
};
static_assert(Strategy<HitQuote>);

}  // namespace tickpath::trade
