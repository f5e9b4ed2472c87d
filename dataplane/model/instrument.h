// What the trading side knows of one instrument, and the small integer by which all rooms name it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tickpath::model {

/// Dense index into books, limits and positions. Known instruments (from the instrument file) come first.
using InstrumentId = std::uint32_t;
inline constexpr InstrumentId no_instrument = 0xFFFF'FFFFu;

/// Prices and quantities are int64 at these scales: a price of 13331 at price_places 2 is 133.31.
struct Instrument {
    InstrumentId id = no_instrument;
    std::array<char, 32> feed_key{};    ///< key text as the feed names it: "49664582", "SBER|TQBR"
    std::array<char, 24> fix_symbol{};  ///< Symbol (55) in orders; empty for learned instruments
    std::int8_t price_places = 0;       ///< decimal places of prices; the scale of Tick::price
    std::int8_t quantity_places = 0;    ///< decimal places of quantities
    std::int64_t tick_size = 1;         ///< smallest price step, at the price scale; 0 = not checked
    std::int64_t lot_size = 1;          ///< smallest quantity step, at the quantity scale
    std::int64_t price_min = 0;  ///< static price band of orders, at the price scale; both 0 = no static band
    std::int64_t price_max = 0;
    std::int64_t order_quantity_max = 0;  ///< at the quantity scale; 0 = the room's general limit only
    std::int64_t position_max = 0;  ///< absolute net position, at the quantity scale; 0 = general limit only
    bool is_known = false;          ///< from the instrument file: may be traded. Learned ones never are.

    [[nodiscard]] std::string_view key() const noexcept { return feed_key.data(); }
    [[nodiscard]] std::string_view symbol() const noexcept { return fix_symbol.data(); }
};

}  // namespace tickpath::model
