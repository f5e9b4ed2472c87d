// What happened to one instrument in one complete message (or datagram), as a strategy is told.
#pragma once

#include <cstdint>

#include "dataplane/model/tick.h"
#include "dataplane/trade/book.h"

namespace tickpath::trade {

/// Valid during the call only.
struct Event {
    const model::Tick& last;  ///< the tick that completed the event: its times, line and packet; it may be of
                              ///< another instrument
    const Top& before;        ///< the best levels before the event
    std::uint16_t entry_index;  ///< of the instrument's last entry in the event
    std::uint8_t message_index;
    bool has_quotes;  ///< the book was written to
    bool has_trades;  ///< the venue reported trades

    [[nodiscard]] bool bid_changed(const Book& book) const noexcept {
        return book.bids().best() != before.bid;
    }
    [[nodiscard]] bool ask_changed(const Book& book) const noexcept {
        return book.asks().best() != before.ask;
    }
};

}  // namespace tickpath::trade
