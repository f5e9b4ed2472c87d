// What a strategy wants and what becomes of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/model/instrument.h"

namespace tickpath::model {

enum class OrderSide : std::uint8_t { buy, sell };

enum class TimeInForce : std::uint8_t { day, immediate_or_cancel };

/// A limit order that a strategy asks for; price and quantity at the instrument's scales.
struct OrderIntent {
    InstrumentId instrument = no_instrument;
    OrderSide side = OrderSide::buy;
    TimeInForce time_in_force = TimeInForce::immediate_or_cancel;
    std::int64_t price = 0;
    std::int64_t quantity = 0;
};

enum class OrderState : std::uint8_t {
    pending,      ///< handed to the link, nothing heard
    live,         ///< the counterparty acknowledged it
    part_filled,  ///< some quantity is filled, the rest is live
    done,         ///< filled, cancelled, rejected or expired: nothing of it is open
    unknown,  ///< the link broke while it was open; its quantity stays in exposure until a report settles it
};

/// ClOrdID: 20 characters, fixed width, so that an order can be found from its frame in a capture and back:
/// 2 hex line, 8 hex packet sequence, 2 hex message index, 2 hex entry index, 6 base-32 order counter.
inline constexpr std::size_t cl_ord_id_chars = 20;
using ClOrdId = std::array<char, cl_ord_id_chars>;

}  // namespace tickpath::model
