// What a strategy sees of one instrument: price levels of both sides and how far they can be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/model/instrument.h"
#include "dataplane/model/tick.h"

namespace tickpath::trade {

/// One price level, at the instrument's scales. `order_count` is 0 where the feed sends levels, not orders.
struct Level {
    std::int64_t price = 0;
    std::int64_t quantity = 0;  ///< 0 only where there is no level
    std::uint32_t order_count = 0;

    [[nodiscard]] bool exists() const noexcept { return quantity != 0; }
    friend constexpr bool operator==(const Level&, const Level&) noexcept = default;
};

/// The best level of both sides.
struct Top {
    Level bid;
    Level ask;

    friend constexpr bool operator==(const Top&, const Top&) noexcept = default;
};

/// One side of a book. Levels lie worst first, best last, so that what happens at the top moves little
/// memory; outside they are numbered from the best, which is 0.
class BookSide {
public:
    BookSide() noexcept = default;
    explicit BookSide(Level* levels) noexcept : levels_(levels) {}

    [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
    [[nodiscard]] const Level& operator[](std::size_t from_best) const noexcept {
        return levels_[count_ - 1 - from_best];
    }
    [[nodiscard]] Level best() const noexcept { return count_ == 0 ? Level{} : levels_[count_ - 1]; }

private:
    friend class LevelWriter;
    friend class OrderWriter;
    friend class Books;
    [[nodiscard]] Level& at(std::size_t from_best) noexcept { return levels_[count_ - 1 - from_best]; }
    void insert(std::size_t from_best, const Level& level) noexcept;
    void insert_dropping_worst(std::size_t from_best, const Level& level) noexcept;
    void remove(std::size_t from_best) noexcept;

    Level* levels_ = nullptr;
    std::uint32_t count_ = 0;
};

/// A book as it stands after the last complete event. Owned by Books; strategies hold it only during a call.
class Book {
public:
    [[nodiscard]] model::InstrumentId instrument() const noexcept { return instrument_; }
    [[nodiscard]] const BookSide& bids() const noexcept { return bids_; }
    [[nodiscard]] const BookSide& asks() const noexcept { return asks_; }
    [[nodiscard]] const BookSide& side(model::Side side) const noexcept {
        return side == model::Side::bid ? bids_ : asks_;
    }
    [[nodiscard]] Top top() const noexcept { return {bids_.best(), asks_.best()}; }

    /// The feed called the book complete and nothing since contradicted it.
    [[nodiscard]] bool is_valid() const noexcept { return is_valid_; }
    /// Quotes went by that were not applied because the feed had lost track: contents are of the past.
    [[nodiscard]] bool is_stale() const noexcept { return is_stale_; }
    /// Best bid not below best ask: an auction, a moment inside a match, or a wrong book.
    [[nodiscard]] bool is_crossed() const noexcept {
        const Top best = top();
        return best.bid.exists() && best.ask.exists() && best.bid.price >= best.ask.price;
    }
    /// Price of the last trade the feed reported, live or from a snapshot.
    [[nodiscard]] std::optional<std::int64_t> last_trade_price() const noexcept { return last_trade_price_; }

private:
    friend class LevelWriter;
    friend class OrderWriter;
    friend class Books;
    enum class Content : std::uint8_t { none, levels, orders };

    BookSide bids_;
    BookSide asks_;
    model::InstrumentId instrument_ = model::no_instrument;
    std::uint32_t first_order_ = 0xFFFF'FFFFu;  ///< in the OrderMap
    std::uint16_t channel_ = 0;                 ///< that the book belongs to, or that last declared it valid
    bool has_owner_ = false;  ///< it took a quote: other channels' quotes do not belong here
    bool is_valid_ = false;
    bool is_stale_ = false;
    Content content_ = Content::none;
    std::optional<std::int64_t> last_trade_price_;
};

}  // namespace tickpath::trade
