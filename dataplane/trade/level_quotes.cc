// Quotes of feeds that send price levels by number (FIX MDPriceLevel): spec/fast-feeds.md §3.
#include <algorithm>

#include "dataplane/trade/books.h"

namespace tickpath::trade {

using model::Tick;
using model::TickAction;
namespace tick_flag = model::tick_flag;

bool Books::write_level(Book& book, const Tick& tick) noexcept {
    if (book.content_ == Book::Content::orders) [[unlikely]]
        return fault(book, BookFault::mixed);
    book.content_ = Book::Content::levels;
    std::uint32_t depth = tick.channel < channel_depths_.size() ? channel_depths_[tick.channel] : 0u;
    depth = depth == 0 ? limits_.levels_max : std::min(depth, limits_.levels_max);
    if (tick.level > depth) [[unlikely]]
        return fault(book, BookFault::bad_level);
    BookSide& side = tick.side == model::Side::bid ? book.bids_ : book.asks_;
    switch (tick.action) {
        case TickAction::change:
            return change_level(book, side, tick);
        case TickAction::add:
            return add_level(book, side, tick, depth);
        case TickAction::remove:
            if (tick.level > side.size()) [[unlikely]]
                return fault(book, BookFault::bad_level);
            side.remove(tick.level - 1u);
            return true;
        default:
            return fault(book, BookFault::no_key);
    }
}

bool Books::add_level(Book& book, BookSide& side, const Tick& tick, std::uint32_t depth) noexcept {
    const std::uint32_t from_best = tick.level - 1u;
    if (from_best > side.size()) [[unlikely]]
        return fault(book, BookFault::bad_level);
    if (tick.has(tick_flag::no_price | tick_flag::no_quantity) || tick.quantity <= 0) [[unlikely]]
        return fault(book, BookFault::bad_value);
    const Level level{.price = tick.price, .quantity = tick.quantity};
    if (side.size() == depth)
        side.insert_dropping_worst(from_best, level);
    else
        side.insert(from_best, level);
    return true;
}

bool Books::change_level(Book& book, BookSide& side, const Tick& tick) noexcept {
    if (tick.level > side.size()) [[unlikely]] {
        fault(book, BookFault::bad_level);
        const bool is_next = tick.level == side.size() + 1;
        return is_next && add_level(book, side, tick, limits_.levels_max);
    }
    if (!tick.has(tick_flag::no_quantity) && tick.quantity <= 0) [[unlikely]]
        return fault(book, BookFault::bad_value);
    Level& level = side.at(tick.level - 1u);
    if (!tick.has(tick_flag::no_price)) level.price = tick.price;
    if (!tick.has(tick_flag::no_quantity)) level.quantity = tick.quantity;
    return true;
}

}  // namespace tickpath::trade
