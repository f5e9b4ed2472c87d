#include "dataplane/trade/books.h"

#include <algorithm>
#include <string>

namespace tickpath::trade {

using model::Side;
using model::Tick;
using model::TickAction;
using model::TickKind;
namespace tick_flag = model::tick_flag;

Books::Books(const BookLimits& limits, std::size_t instrument_count,
             std::span<const std::uint8_t> channel_depths, core::CounterPage& page, std::string_view owner)
    : limits_(limits),
      book_count_(instrument_count),
      levels_(instrument_count * 2 * limits.levels_max),
      books_(instrument_count),
      orders_(limits.orders_max) {
    for (std::size_t i = 0; i < instrument_count; ++i) {
        Level* const levels = levels_.data() + i * 2 * limits.levels_max;
        books_[i].instrument_ = static_cast<model::InstrumentId>(i);
        books_[i].bids_ = BookSide(levels);
        books_[i].asks_ = BookSide(levels + limits.levels_max);
    }
    for (const std::uint32_t depth : channel_depths)
        depths_.push_back(depth == 0 ? limits.levels_max : std::min(depth, limits.levels_max));
    std::size_t next = 0;
#define TICKPATH_BOOK_FAULT(name, phrase) faults_[next++] = page.add(owner, "book_" #name);
    TICKPATH_BOOK_FAULTS(TICKPATH_BOOK_FAULT)
#undef TICKPATH_BOOK_FAULT
    ticks_stale_ = page.add(owner, "ticks_stale");
    ticks_unused_ = page.add(owner, "ticks_unused");
    ticks_other_channel_ = page.add(owner, "ticks_other_channel");
    ticks_unknown_instrument_ = page.add(owner, "ticks_unknown_instrument");
}

bool Books::apply(const Tick& tick) noexcept {
    if (tick.kind != TickKind::quote) [[unlikely]]
        return apply_other(tick);
    if (tick.has(tick_flag::stale | tick_flag::unused)) [[unlikely]]
        return skip(tick);
    if (!has(tick.instrument)) [[unlikely]]
        return unknown_instrument();
    return apply_quote(books_[tick.instrument], tick);
}

bool Books::apply_quote(Book& book, const Tick& tick) noexcept {
    if (!book.has_owner_ || book.channel_ != tick.channel) [[unlikely]]
        return take_and_apply_quote(book, tick);
    return write_quote(book, tick);
}

bool Books::write_quote(Book& book, const Tick& tick) noexcept {
    if (tick.has(tick_flag::inexact)) [[unlikely]]
        return fault(book, BookFault::inexact);
    if (tick.side == Side::none) [[unlikely]]
        return fault(book, BookFault::no_side);
    if (tick.level != 0) return write_level(book, tick);
    if (tick.entry_id != 0) return write_order(book, tick);
    return fault(book, BookFault::no_key);
}

bool Books::apply_other(const Tick& tick) noexcept {
    if (tick.kind == TickKind::status && !tick.has(tick_flag::unused)) {
        apply_status(tick);  // also when flagged stale: it is the news that the books are
        return false;
    }
    if (tick.kind > TickKind::status) return false;  // news that no book holds
    if (tick.has(tick_flag::stale | tick_flag::unused)) return skip(tick);
    if (tick.kind == TickKind::clear && tick.instrument == model::no_instrument) {
        for_each_of(tick.channel, [this](Book& book) { clear(book); });
        return false;
    }
    if (!has(tick.instrument)) return unknown_instrument();
    Book& book = books_[tick.instrument];
    if (tick.kind == TickKind::trade) return note_trade(book, tick);
    if (book.has_owner_ && book.channel_ != tick.channel) {
        ticks_other_channel_.add();
        return false;
    }
    clear(book);
    return true;
}

void Books::apply_status(const Tick& tick) noexcept {
    const bool valid = tick.action == TickAction::set_valid;
    if (tick.instrument == model::no_instrument) {
        if (!valid) for_each_of(tick.channel, [](Book& book) { book.is_valid_ = false; });
        return;
    }
    if (!has(tick.instrument)) return ticks_unknown_instrument_.add();
    Book& book = books_[tick.instrument];
    if (book.channel_ != tick.channel) {
        if (book.has_owner_) return ticks_other_channel_.add();
        book.channel_ = tick.channel;  // whose word it was; void when another channel's quotes come first
    }
    book.is_valid_ = valid;
    if (valid) book.is_stale_ = false;
}

bool Books::skip(const Tick& tick) noexcept {
    if (tick.has(tick_flag::unused)) {
        ticks_unused_.add();
        return false;
    }
    ticks_stale_.add();
    if (has(tick.instrument) && tick.kind != TickKind::trade &&
        books_[tick.instrument].channel_ == tick.channel)
        books_[tick.instrument].is_stale_ = true;
    return false;
}

bool Books::unknown_instrument() noexcept {
    ticks_unknown_instrument_.add();
    return false;
}

bool Books::take_and_apply_quote(Book& book, const Tick& tick) noexcept {
    if (book.has_owner_) {
        ticks_other_channel_.add();
        return false;
    }
    if (book.channel_ != tick.channel)
        book.is_valid_ = false;  // declared by a channel that does not quote it
    book.channel_ = tick.channel;
    book.has_owner_ = true;
    return write_quote(book, tick);
}

bool Books::note_trade(Book& book, const Tick& tick) noexcept {
    if (!tick.has(tick_flag::no_price | tick_flag::inexact)) book.last_trade_price_ = tick.price;
    return true;
}

void Books::clear(Book& book) noexcept {
    orders_.erase_all(book.first_order_);
    book.bids_.count_ = 0;
    book.asks_.count_ = 0;
    book.content_ = Book::Content::none;
}

bool Books::fault(Book& book, BookFault kind) noexcept {
    faults_[static_cast<std::size_t>(kind)].add();
    book.is_valid_ = false;
    return false;
}

}  // namespace tickpath::trade
