// Every limit and default of the trade side, as plain values; control/config fills them.
#pragma once

#include <cstdint>
#include <string>

#include "decoders/base/decimal.h"

namespace tickpath::trade {

/// Bounds of all books of a stage; all memory is taken from them at construction.
struct BookLimits {
    std::uint32_t levels_max = 128;     ///< price levels per side of one book; 2 to 4,096
    std::uint32_t orders_max = 65'536;  ///< resting orders of all order books together
};

/// When a strategy is asked: after each message, once the whole datagram is applied, or after each entry,
/// before the next one is decoded. `entry` is sooner and gives up what the others promise: the strategy sees
/// books in the middle of an event, and the message may yet fail to decode.
enum class DecideAt : std::uint8_t { message, packet, entry };

/// Whether orders need a valid, uncrossed book. `any` is for demos and tests.
enum class TradeWhen : std::uint8_t { valid, any };

/// `live` sends; `shadow` does everything but send: no number is taken, nothing is stored, no session needed.
/// For limits and strategy a shadow order counts as filled at once, see OrderLedger::assumed_filled.
enum class OrderMode : std::uint8_t { live, shadow };

struct MayTradeSettings {
    bool armed = false;
    TradeWhen trade_when = TradeWhen::valid;
    std::uint64_t max_tick_age_us = 100'000;  ///< between receiving and deciding; 0 = not checked
};

/// Limits on orders. Quantities, positions and money are in whole units (contracts, shares, currency) as a
/// person writes them; zero means not checked, and has to be asked for.
struct RiskSettings {
    Decimal order_quantity_max{100, 0};
    Decimal price_band_percent{5, 0};  ///< around the middle of the book, or the last trade without one
    std::uint32_t orders_per_second = 100;
    std::uint32_t order_burst = 20;  ///< orders that may leave back to back after a pause
    /// Sum over instruments of the larger worst-case position, long or short, if all open orders filled.
    Decimal position_gross_max{10'000, 0};
    /// Worst-case absolute position of one instrument if all its open orders of one side filled.
    Decimal position_net_max{1'000, 0};
    /// Sum over instruments of worst-case position times the price of its latest order; contract multipliers
    /// are not applied.
    Decimal notional_max{100'000'000, 0};
    std::uint32_t rejects_max = 10;  ///< rejected orders of a run until the kill switch is thrown
    std::uint32_t line = 0;          ///< of the element in the configuration, for messages
};

struct TradeSettings {
    DecideAt decide = DecideAt::message;
    OrderMode order_mode = OrderMode::live;
    MayTradeSettings may_trade;
    RiskSettings risk;
    BookLimits books;
    std::uint32_t open_orders_max = 4'096;   ///< rounded up to a power of two
    std::uint64_t warm_interval_us = 2'000;  ///< without a trigger, until the path is warmed; 0 = never
    std::uint32_t slowest_count = 16;        ///< events kept with their identifiers for the report
};

}  // namespace tickpath::trade
