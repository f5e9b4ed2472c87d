// Quotes of feeds that send price levels by number (FIX MDPriceLevel): spec/fast-feeds.md §3.
#include "dataplane/trade/books.h"

namespace tickpath::trade {

using model::Tick;
using model::TickAction;
namespace tick_flag = model::tick_flag;

bool Books::write_level(Book& book, const Tick& tick) noexcept {
    if (book.content_ == Book::Content::orders) [[unlikely]]
        return fault(book, BookFault::mixed);
    book.content_ = Book::Content::levels;
    const std::uint32_t depth = depth_of(tick.channel);
    if (tick.level > depth) [[unlikely]]
        return fault(book, BookFault::bad_level);
    BookSide& side = tick.side == model::Side::bid ? book.bids_ : book.asks_;
    if (tick.action == TickAction::change) [[likely]]
        return change_level(book, side, tick);
    if (tick.action == TickAction::add) return add_level(book, side, tick, depth);
    if (tick.action == TickAction::remove) return remove_level(book, side, tick);
    return fault(book, BookFault::no_key);
}

bool Books::change_level(Book& book, BookSide& side, const Tick& tick) noexcept {
    if (tick.level > side.size()) [[unlikely]]
        return change_missing_level(book, side, tick);
    if (!tick.has(tick_flag::no_quantity) && tick.quantity <= 0) [[unlikely]]
        return fault(book, BookFault::bad_value);
    Level& level = side.at(tick.level - 1u);
    if (!tick.has(tick_flag::no_price)) level.price = tick.price;
    if (!tick.has(tick_flag::no_quantity)) level.quantity = tick.quantity;
    return true;
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

bool Books::remove_level(Book& book, BookSide& side, const Tick& tick) noexcept {
    if (tick.level > side.size()) [[unlikely]]
        return fault(book, BookFault::bad_level);
    side.remove(tick.level - 1u);
    return true;
}

bool Books::change_missing_level(Book& book, BookSide& side, const Tick& tick) noexcept {
    fault(book, BookFault::bad_level);
    const bool is_next = tick.level == side.size() + 1;
    return is_next && add_level(book, side, tick, limits_.levels_max);
}

}  // namespace tickpath::trade
