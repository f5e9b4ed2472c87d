// Quotes of feeds that send single orders by venue number (order logs), folded into price levels:
// spec/fast-feeds.md §3.
#include "dataplane/trade/books.h"

namespace tickpath::trade {

using model::Side;
using model::Tick;
using model::TickAction;
namespace tick_flag = model::tick_flag;

namespace {

/// How many levels are better than `price`; orders mostly come and go near the best.
std::uint32_t levels_better(const BookSide& levels, Side side, std::int64_t price) noexcept {
    std::uint32_t better = 0;
    if (side == Side::bid)
        while (better < levels.size() && levels[better].price > price)
            ++better;
    else
        while (better < levels.size() && levels[better].price < price)
            ++better;
    return better;
}

}  // namespace

bool Books::write_order(Book& book, const Tick& tick) noexcept {
    if (book.content_ == Book::Content::levels) [[unlikely]]
        return fault(book, BookFault::mixed);
    book.content_ = Book::Content::orders;
    if (tick.action == TickAction::add) return add_order(book, tick);
    if (tick.action == TickAction::change) return change_order(book, tick);
    if (tick.action != TickAction::remove) [[unlikely]]
        return fault(book, BookFault::no_key);
    RestingOrder* const order = orders_.find(book.instrument_, tick.entry_id);
    if (order == nullptr) [[unlikely]]
        return fault(book, BookFault::unknown_order);
    fold_out(book, *order);
    orders_.erase(*order, book.first_order_);
    return true;
}

bool Books::add_order(Book& book, const Tick& tick) noexcept {
    if (tick.has(tick_flag::no_price | tick_flag::no_quantity) || tick.quantity <= 0) [[unlikely]]
        return fault(book, BookFault::bad_value);
    if (orders_.find(book.instrument_, tick.entry_id) != nullptr) [[unlikely]] {
        fault(book, BookFault::duplicate_order);
        return change_order(book, tick);
    }
    RestingOrder* const order = orders_.insert(book.instrument_, tick.entry_id, book.first_order_);
    if (order == nullptr) [[unlikely]]
        return fault(book, BookFault::orders_full);
    order->side = tick.side;
    order->price = tick.price;
    order->quantity = tick.quantity;
    return fold_in(book, *order);
}

bool Books::change_order(Book& book, const Tick& tick) noexcept {
    RestingOrder* const order = orders_.find(book.instrument_, tick.entry_id);
    if (order == nullptr) [[unlikely]] {
        fault(book, BookFault::unknown_order);
        return add_order(book, tick);
    }
    if (!tick.has(tick_flag::no_quantity) && tick.quantity <= 0) [[unlikely]]
        return fault(book, BookFault::bad_value);
    fold_out(book, *order);
    order->side = tick.side;
    if (!tick.has(tick_flag::no_price)) order->price = tick.price;
    if (!tick.has(tick_flag::no_quantity)) order->quantity = tick.quantity;
    return fold_in(book, *order);
}

// An order that finds no room in the levels leaves the map too, so that every order of the map is in a level.
bool Books::fold_in(Book& book, RestingOrder& order) noexcept {
    BookSide& side = order.side == Side::bid ? book.bids_ : book.asks_;
    const std::uint32_t place = levels_better(side, order.side, order.price);
    const bool level_exists = place < side.size() && side[place].price == order.price;
    if (level_exists) {
        Level& level = side.at(place);
        std::int64_t sum = 0;
        if (__builtin_add_overflow(level.quantity, order.quantity, &sum)) [[unlikely]] {
            orders_.erase(order, book.first_order_);
            return fault(book, BookFault::bad_value);
        }
        level.quantity = sum;
        ++level.order_count;
        return true;
    }
    if (side.size() == limits_.levels_max) [[unlikely]] {
        orders_.erase(order, book.first_order_);
        return fault(book, BookFault::levels_full);
    }
    side.insert(place, {.price = order.price, .quantity = order.quantity, .order_count = 1});
    return true;
}

void Books::fold_out(Book& book, const RestingOrder& order) noexcept {
    BookSide& side = order.side == Side::bid ? book.bids_ : book.asks_;
    const std::uint32_t place = levels_better(side, order.side, order.price);
    Level& level = side.at(place);
    level.quantity -= order.quantity;
    if (--level.order_count == 0) side.remove(place);
}

}  // namespace tickpath::trade
