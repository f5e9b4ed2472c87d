// Keeps the books of all instruments of a trade stage from ticks. Hot: apply, once per tick.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/model/tick.h"
#include "dataplane/trade/book.h"
#include "dataplane/trade/order_map.h"
#include "dataplane/trade/trade_settings.h"

namespace tickpath::trade {

// Every way in which ticks can contradict a book. Each makes the book invalid until the feed declares it
// valid again, and counts as "book_" + name.
#define TICKPATH_BOOK_FAULTS(X)                                                     \
    X(bad_level, "a level is beyond the depth, or leaves a hole, or is not there")  \
    X(bad_value, "price or quantity is missing, or the quantity is not above zero") \
    X(no_side, "a quote is of neither side")                                        \
    X(no_key, "a quote names neither level nor order")                              \
    X(inexact, "price or quantity cannot be held at the instrument's scale")        \
    X(unknown_order, "an order is changed or removed that the book does not hold")  \
    X(duplicate_order, "an order is added that the book holds already")             \
    X(mixed, "levels and orders are quoted in one book")                            \
    X(levels_full, "more price levels than levels_max")                             \
    X(orders_full, "more resting orders than orders_max")

enum class BookFault : std::uint8_t {
#define TICKPATH_BOOK_FAULT(name, phrase) name,
    TICKPATH_BOOK_FAULTS(TICKPATH_BOOK_FAULT)
#undef TICKPATH_BOOK_FAULT
};

inline constexpr std::size_t book_fault_count = 0
#define TICKPATH_BOOK_FAULT(name, phrase) +1
    TICKPATH_BOOK_FAULTS(TICKPATH_BOOK_FAULT)
#undef TICKPATH_BOOK_FAULT
    ;

/// All books of one stage, indexed by InstrumentId. Owned by one core; all memory is taken here.
///
/// A book belongs to the channel whose quotes it takes first; quotes, clears and status of other channels do
/// not touch it (trades do: they only leave their price). After a fault a book goes on with what the feed
/// sends as well as it can: a change of the level right below the last appends it, a change of an unknown
/// order adds it. Such a book is invalid, and of use to trade_when=any only.
class Books {
public:
    /// `channel_depths`: per channel the levels its feed maintains (FIX MarketDepth); an add beyond them
    /// pushes the worst level out. 0, or a channel beyond the span: levels_max.
    Books(const BookLimits& limits, std::size_t instrument_count,
          std::span<const std::uint8_t> channel_depths, core::CounterPage& page, std::string_view owner);

    /// Applies one tick. True when it is part of its instrument's story: the book was written to, or a trade
    /// was noted. Stale and unused ticks, and those of other channels, are counted and not applied.
    bool apply(const model::Tick& tick) noexcept;

    [[nodiscard]] const Book& operator[](model::InstrumentId instrument) const noexcept {
        return books_[instrument];
    }
    [[nodiscard]] bool has(model::InstrumentId instrument) const noexcept {
        return instrument < books_.size();
    }
    [[nodiscard]] std::size_t size() const noexcept { return book_count_; }
    [[nodiscard]] std::uint32_t resting_orders() const noexcept { return orders_.size(); }

private:
    // What a quote of a known level does stays one short function without a frame of its own; everything that
    // calls further is kept out of it.
    bool apply_quote(Book& book, const model::Tick& tick) noexcept;
    [[gnu::noinline]] bool apply_other(const model::Tick& tick) noexcept;
    void apply_status(const model::Tick& tick) noexcept;
    [[gnu::cold, gnu::noinline]] bool skip(const model::Tick& tick) noexcept;
    [[gnu::cold, gnu::noinline]] bool unknown_instrument() noexcept;
    [[gnu::cold, gnu::noinline]] bool take_and_apply_quote(Book& book, const model::Tick& tick) noexcept;
    bool write_quote(Book& book, const model::Tick& tick) noexcept;
    bool note_trade(Book& book, const model::Tick& tick) noexcept;
    void clear(Book& book) noexcept;

    bool write_level(Book& book, const model::Tick& tick) noexcept;
    bool change_level(Book& book, BookSide& side, const model::Tick& tick) noexcept;
    [[gnu::noinline]] bool add_level(Book& book, BookSide& side, const model::Tick& tick,
                                     std::uint32_t depth) noexcept;
    [[gnu::noinline]] bool remove_level(Book& book, BookSide& side, const model::Tick& tick) noexcept;
    [[gnu::cold, gnu::noinline]] bool change_missing_level(Book& book, BookSide& side,
                                                           const model::Tick& tick) noexcept;

    [[gnu::noinline]] bool write_order(Book& book, const model::Tick& tick) noexcept;
    bool add_order(Book& book, const model::Tick& tick) noexcept;
    bool change_order(Book& book, const model::Tick& tick) noexcept;
    bool fold_in(Book& book, RestingOrder& order) noexcept;
    void fold_out(Book& book, const RestingOrder& order) noexcept;

    [[nodiscard]] std::uint32_t depth_of(std::uint16_t channel) const noexcept {
        return channel < depths_.size() ? depths_[channel] : limits_.levels_max;
    }
    template <class Change>
    void for_each_of(std::uint16_t channel, Change&& change) noexcept {
        for (Book& book : books_)
            if (book.channel_ == channel) change(book);
    }
    /// Counts the fault and makes the book invalid; false, for `return`.
    [[gnu::cold, gnu::noinline]] bool fault(Book& book, BookFault kind) noexcept;

    BookLimits limits_;
    std::size_t book_count_;
    std::vector<std::uint32_t> depths_;  ///< by channel, 1 to levels_max
    std::vector<Level> levels_;          ///< two sides of every book, levels_max each
    std::vector<Book> books_;
    OrderMap orders_;
    std::array<core::Counter, book_fault_count> faults_;
    core::Counter ticks_stale_;
    core::Counter ticks_unused_;
    core::Counter ticks_other_channel_;
    core::Counter ticks_unknown_instrument_;
};

}  // namespace tickpath::trade
