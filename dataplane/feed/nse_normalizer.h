// Records of NSE messages to ticks. Each book record holds the whole book; it becomes the changes that turn
// the book before into it. Hot: once per record of interest.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/feed/compiled_nse.h"
#include "dataplane/feed/nse_numbers.h"
#include "dataplane/feed/recovery.h"
#include "dataplane/model/instrument.h"
#include "dataplane/model/tick.h"
#include "decoders/base/decimal.h"
#include "decoders/framing/nse.h"

namespace tickpath::feed {

/// What must be remembered of one instrument between its records. Half a cache line.
struct NseInstrument {
    std::int64_t volume = -1;      ///< traded today when it was last seen; -1: never
    std::uint64_t updated_ns = 0;  ///< arrival of its newest book; 0: never
    std::uint32_t generation =
        0;  ///< in which its book was declared valid; other than the channel's: it is not
    std::int8_t price_shift = 0;  ///< decimal places that its prices have more than the feed's
    std::int8_t quantity_shift = 0;
    bool is_scaled = false;                ///< one of the shifts is not 0
    bool is_open = false;                  ///< its book was declared valid last
    std::array<std::uint8_t, 2> levels{};  ///< that its book has, bids and asks
    std::uint16_t sent_fraction = 0;       ///< when its newest book was sent, as in TimeStamp2
    std::uint32_t sent_seconds = 0;        ///< 0: never

    [[nodiscard]] std::uint64_t sent() const noexcept {
        return std::uint64_t{sent_seconds} << 16 | sent_fraction;
    }
};
static_assert(sizeof(NseInstrument) <= 32);

/// Counters of one channel's records.
struct NseRecordCounters {
    NseRecordCounters(core::CounterPage& page, std::string_view owner)
        : books(page.add(owner, "nse_books")),
          books_of_other_type(page.add(owner, "nse_books_of_other_type")),
          records_older(page.add(owner, "nse_records_older")),
          fills_of_other_market(page.add(owner, "nse_fills_of_other_market")),
          levels_at_open(page.add(owner, "nse_levels_at_open")),
          levels_bad(page.add(owner, "nse_levels_bad")),
          open_interests_bad(page.add(owner, "nse_open_interests_bad")),
          volume_steps_back(page.add(owner, "nse_volume_steps_back")),
          values_inexact(page.add(owner, "nse_values_inexact")) {}

    core::Counter books;
    core::Counter books_of_other_type;    ///< special terms, auctions: not the book that is traded on
    core::Counter records_older;          ///< late copies: sent before what is known of the instrument
    core::Counter fills_of_other_market;  ///< of tickers: odd lots, auctions
    core::Counter levels_at_open;         ///< price -1: orders at the opening price, which have no level
    core::Counter levels_bad;  ///< below zero, not better than the next, or behind an empty one: the book is
                               ///< not declared valid
    core::Counter open_interests_bad;  ///< below zero
    core::Counter volume_steps_back;
    core::Counter values_inexact;  ///< not representable at the instrument's scale
};

/// `Emitter` is TickEmitter.
template <class Emitter>
class NseNormalizer {
public:
    NseNormalizer(const framing::FeedDescription& description, std::span<const model::Instrument> instruments,
                  core::CounterPage& page, std::string_view owner, Emitter& emitter)
        : price_places_(description.nse.price_places),
          instruments_(instruments),
          state_(instruments.size()),
          told_(instruments.size()),
          counters_(page, owner),
          emitter_(emitter) {}

    /// No book can be trusted any more, until its next record.
    void invalidate_all(model::Tick& tick) noexcept {
        ++generation_;
        tick.instrument = model::no_instrument;
        tick.kind = model::TickKind::status;
        tick.action = model::TickAction::set_invalid;
        tick.entry_index = no_entry;
        emitter_.put(tick);
    }

    /// The sender's clock is another one now: what was known cannot be ordered with what comes. As
    /// invalidate_all, and the next volume of each instrument only begins a new count.
    [[gnu::cold, gnu::noinline]] void forget_times(model::Tick& tick) noexcept {
        invalidate_all(tick);
        for (NseInstrument& state : state_) {
            state.sent_seconds = 0;
            state.sent_fraction = 0;
            state.volume = -1;
        }
        std::fill(told_.begin(), told_.end(), 0);
    }

    /// One record with a token and two sides. `tick` has place and times set. A record that was sent before
    /// the newest of its instrument moves nothing.
    void on_book(const NseMessagePlan& plan, const std::byte* record, model::InstrumentId id,
                 std::uint64_t arrival_ns, NseTime time, model::Tick& tick) noexcept {
        if (plan.book_type.exists() && !is_regular(plan.book_type.load(record))) [[unlikely]]
            return counters_.books_of_other_type.add();
        NseInstrument& state = state_of(id);
        if (is_older(plan, record, time, state)) [[unlikely]]
            return counters_.records_older.add();
        counters_.books.add();
        state.updated_ns = arrival_ns;
        tick.instrument = id;
        put_trade(plan, record, state, tick);
        put_book(plan, record, state, tick);
    }

    /// One record with a token and a last fill, open interest, or both. Fills of tickers are conflated: the
    /// price is the last one, the quantity would not add up and is left out (spec nse-broadcast §8).
    void on_ticker(const NseMessagePlan& plan, const std::byte* record, model::InstrumentId id, NseTime time,
                   model::Tick& tick) noexcept {
        if (is_told(id, time)) [[unlikely]]
            return counters_.records_older.add();
        const NseInstrument& state = state_of(id);
        tick.instrument = id;
        if (const std::int64_t price = plan.fill_price.load(record); price > 0 && is_normal(plan, record)) {
            tick.kind = model::TickKind::trade;
            tick.flags = model::tick_flag::no_quantity;
            tick.price = scaled_price(price, state, tick);
            emitter_.put(tick);
        }
        if (!plan.open_interest.exists()) return;
        const std::int64_t open_interest = plan.open_interest.load(record);
        if (open_interest < 0) [[unlikely]]
            return counters_.open_interests_bad.add();
        tick.kind = model::TickKind::open_interest;
        tick.flags = model::tick_flag::no_price;
        tick.price = 0;
        tick.quantity = scaled_quantity(open_interest, state, tick);
        emitter_.put(tick);
        tick.quantity = 0;
    }

    /// One record with a name and a value; `id` is the index's own.
    void on_index(const NseMessagePlan& plan, const std::byte* record, model::InstrumentId id, NseTime time,
                  model::Tick& tick) noexcept {
        if (is_told(id, time)) [[unlikely]]
            return counters_.records_older.add();
        const NseInstrument& state = state_of(id);
        tick.instrument = id;
        tick.kind = model::TickKind::index;
        tick.flags = model::tick_flag::no_quantity;
        tick.price = scaled_price(plan.index_value.load(record), state, tick);
        emitter_.put(tick);
    }

    [[nodiscard]] std::span<const NseInstrument> instruments() const noexcept { return state_; }
    /// The book of `state` was declared valid, and nothing since took that back.
    [[nodiscard]] bool is_valid(const NseInstrument& state) const noexcept {
        return state.is_open && state.generation == generation_;
    }

private:
    // Spec nse-broadcast §6: 1 is the regular book, 2 may be processed like it; auctions have others.
    static bool is_regular(std::int64_t book_type) noexcept { return book_type == 1 || book_type == 2; }
    static constexpr std::int64_t market_normal = 1;  ///< MarketType; others are odd lots and auctions
    static constexpr std::int64_t market_open = 2;    ///< TradingStatus
    static constexpr std::int64_t at_the_open = -1;   ///< a price
    static constexpr std::int64_t volume_wrap = std::int64_t{1} << 32;

    struct Quote {
        std::int64_t price;
        std::int64_t quantity;
        std::uint8_t level;
        model::Side side;
        model::TickAction action;
    };

    /// A late copy of the other source, or a datagram that was overtaken. Two records of one time are told
    /// apart by the volume of the day, which only grows.
    [[nodiscard]] bool is_older(const NseMessagePlan& plan, const std::byte* record, NseTime time,
                                NseInstrument& state) noexcept {
        const std::uint64_t newest = state.sent();
        if (time.earliest == newest && newest != 0) [[unlikely]]
            return plan.volume.exists() && volume_of(plan, record) < state.volume;
        if (is_before(time, newest)) [[unlikely]]
            return true;
        if (time.earliest > newest) [[likely]]
            set_sent(state, time);
        return false;
    }
    /// The same of tickers and indices, which have times of their own: other machines send them.
    [[nodiscard]] bool is_told(model::InstrumentId id, NseTime time) noexcept {
        std::uint64_t& newest = told_[id];
        if (is_before(time, newest)) [[unlikely]]
            return true;
        newest = std::max(newest, time.earliest);
        return false;
    }
    /// What says no time is not late: nothing tells that it is.
    static bool is_before(NseTime time, std::uint64_t newest) noexcept {
        return time.latest < newest && time.latest != 0;
    }
    static void set_sent(NseInstrument& state, NseTime time) noexcept {
        state.sent_seconds = static_cast<std::uint32_t>(time.earliest >> 16);
        state.sent_fraction = static_cast<std::uint16_t>(time.earliest);
    }
    [[nodiscard]] bool is_normal(const NseMessagePlan& plan, const std::byte* record) noexcept {
        if (!plan.market_type.exists() || plan.market_type.load(record) == market_normal) [[likely]]
            return true;
        counters_.fills_of_other_market.add();
        return false;
    }
    [[nodiscard]] static std::int64_t volume_of(const NseMessagePlan& plan,
                                                const std::byte* record) noexcept {
        const std::int64_t volume = plan.volume.load(record);
        return plan.volume_exceeded.load(record) == '1' ? volume + volume_wrap : volume;
    }

    NseInstrument& state_of(model::InstrumentId id) noexcept {
        NseInstrument& state = state_[id];
        if (state.generation == 0) [[unlikely]]
            set_scale(state, instruments_[id]);
        return state;
    }
    /// Once per instrument; generation_ is never 0.
    [[gnu::cold, gnu::noinline]] void set_scale(NseInstrument& state,
                                                const model::Instrument& instrument) const noexcept {
        state.price_shift = static_cast<std::int8_t>(instrument.price_places - price_places_);
        state.quantity_shift = instrument.quantity_places;
        state.is_scaled = state.price_shift != 0 || state.quantity_shift != 0;
        state.generation = generation_ - 1 == 0 ? ~std::uint32_t{0} : generation_ - 1;
    }

    /// What was traded since the last record: only the difference of volumes is complete. After a step back
    /// nobody knows which of the two was right, so two in order must follow before a trade is told.
    void put_trade(const NseMessagePlan& plan, const std::byte* record, NseInstrument& state,
                   model::Tick& tick) noexcept {
        const std::int64_t volume = volume_of(plan, record);
        const std::int64_t before = state.volume;
        state.volume = volume;
        if (volume == before || before < 0) return;
        if (volume < before) [[unlikely]] {
            state.volume = -1;
            return counters_.volume_steps_back.add();
        }
        tick.kind = model::TickKind::trade;
        tick.flags = 0;
        tick.exchange_time =
            framing::nse::unix_ns_of_seconds(static_cast<std::int32_t>(plan.last_time.load(record)));
        tick.price = scaled_price(plan.last_price.load(record), state, tick);
        tick.quantity = scaled_quantity(volume - before, state, tick);
        emitter_.pass(tick);
        tick.exchange_time = 0;
    }

    void put_book(const NseMessagePlan& plan, const std::byte* record, NseInstrument& state,
                  model::Tick& tick) noexcept {
        if (state.generation != generation_) [[unlikely]]
            begin_book(state, tick);
        // One quote behind: the last one of a record may end an event.
        Quote held;
        bool has_held = false;
        const auto offer = [&](const Quote& quote) {
            if (has_held) emitter_.pass(filled(tick, held));
            held = quote;
            has_held = true;
        };
        bool is_good = walk_side(plan.sides[0], record, state, model::Side::bid, offer);
        is_good &= walk_side(plan.sides[1], record, state, model::Side::ask, offer);
        const bool is_open =
            is_good && (!plan.trading_status.exists() || plan.trading_status.load(record) == market_open);
        const bool ends_in_status = is_open != state.is_open || !has_held;
        if (has_held && !ends_in_status) [[likely]]
            emitter_.put(filled(tick, held));
        else if (has_held)
            emitter_.pass(filled(tick, held));
        tick.side = model::Side::none;
        tick.action = model::TickAction::add;
        tick.level = 0;
        // Also when nothing has changed at all: an event needs its last tick.
        if (ends_in_status) [[unlikely]]
            put_status(is_open, state, tick);
    }

    /// What the book was made of before is not known to be true.
    [[gnu::cold, gnu::noinline]] void begin_book(NseInstrument& state, model::Tick& tick) noexcept {
        state.generation = generation_;
        state.levels = {};
        state.is_open = false;
        model::Tick clear = tick;
        clear.kind = model::TickKind::clear;
        clear.flags = 0;
        clear.price = 0;
        clear.quantity = 0;
        clear.entry_index = no_entry;
        emitter_.pass(clear);
    }

    [[gnu::cold, gnu::noinline]] void put_status(bool is_open, NseInstrument& state,
                                                 model::Tick& tick) noexcept {
        state.is_open = is_open;
        model::Tick status = tick;
        status.kind = model::TickKind::status;
        status.action = is_open ? model::TickAction::set_valid : model::TickAction::set_invalid;
        status.flags = 0;
        status.price = 0;
        status.quantity = 0;
        status.entry_index = no_entry;
        emitter_.put(status);
    }
    /// Offers the changes of one side; false when one of its levels cannot be.
    template <class Offer>
    bool walk_side(const NseLevels& side, const std::byte* record, NseInstrument& state, model::Side which,
                   const Offer& offer) noexcept {
        return side.is_narrow ? walk_levels<true>(side, record, state, which, offer)
                              : walk_levels<false>(side, record, state, which, offer);
    }
    template <bool is_narrow>
    static std::int64_t level_number(const NseNumber& number, const std::byte* row) noexcept {
        if constexpr (is_narrow)
            return static_cast<std::int32_t>(load_big<std::uint32_t>(row + number.offset));
        return number.load(row);
    }
    template <bool is_narrow, class Offer>
    bool walk_levels(const NseLevels& side, const std::byte* record, NseInstrument& state, model::Side which,
                     const Offer& offer) noexcept {
        std::uint8_t& levels = state.levels[which == model::Side::ask];
        const std::uint8_t had = levels;
        std::uint8_t has = 0;
        bool is_good = true;
        std::int64_t better = which == model::Side::bid ? std::numeric_limits<std::int64_t>::max() : 0;
        const std::byte* row = record + side.offset;
        for (std::uint32_t i = 0; i < side.count; ++i, row += side.stride) {
            Quote quote{.price = level_number<is_narrow>(side.price, row),
                        .quantity = level_number<is_narrow>(side.quantity, row),
                        .level = static_cast<std::uint8_t>(has + 1),
                        .side = which,
                        .action = has < had ? model::TickAction::change : model::TickAction::add};
            if (quote.quantity <= 0 || quote.price <= 0) [[unlikely]] {
                if (quote.quantity == 0 && quote.price == 0) {
                    is_good &= is_empty_behind<is_narrow>(side, row, side.count - i);
                    break;
                }
                note_odd_level(quote.price, is_good);
                continue;
            }
            if (which == model::Side::bid ? quote.price >= better : quote.price <= better) [[unlikely]]
                note_odd_level(quote.price, is_good);
            better = quote.price;
            if (state.is_scaled && !rescale(state, quote)) [[unlikely]] {
                is_good = false;
                continue;
            }
            ++has;
            offer(quote);
        }
        // From the worst up, so that no level moves.
        for (std::uint8_t gone = had; gone > has; --gone)
            offer({0, 0, gone, which, model::TickAction::remove});
        levels = has;
        return is_good;
    }
    /// Nothing is at the `count` rows from `row` on but orders at the open, which have a row of their own.
    template <bool is_narrow>
    bool is_empty_behind(const NseLevels& side, const std::byte* row, std::uint32_t count) noexcept {
        std::int64_t found = 0;
        for (std::uint32_t i = 0; i < count; ++i, row += side.stride) {
            const std::int64_t price = level_number<is_narrow>(side.price, row);
            if (price != at_the_open) found |= price | level_number<is_narrow>(side.quantity, row);
        }
        if (found != 0) [[unlikely]]
            counters_.levels_bad.add();
        return found == 0;
    }
    [[gnu::cold, gnu::noinline]] void note_odd_level(std::int64_t price, bool& is_good) noexcept {
        if (price == at_the_open) return counters_.levels_at_open.add();
        counters_.levels_bad.add();
        is_good = false;
    }

    static const model::Tick& filled(model::Tick& tick, const Quote& quote) noexcept {
        // What is taken away has no values.
        tick.flags = quote.action != model::TickAction::remove
                         ? 0
                         : model::tick_flag::no_price | model::tick_flag::no_quantity;
        tick.kind = model::TickKind::quote;
        tick.price = quote.price;
        tick.quantity = quote.quantity;
        tick.level = quote.level;
        tick.side = quote.side;
        tick.action = quote.action;
        return tick;
    }
    /// False when the instrument's scale cannot hold the values: such a level is left out, and counted.
    [[gnu::cold, gnu::noinline]] bool rescale(const NseInstrument& state, Quote& quote) noexcept {
        const auto price = at_places({quote.price, 0}, state.price_shift);
        const auto quantity = at_places({quote.quantity, 0}, state.quantity_shift);
        if (!price || !quantity) {
            counters_.values_inexact.add();
            return false;
        }
        quote.price = *price;
        quote.quantity = *quantity;
        return true;
    }

    std::int64_t scaled_price(std::int64_t price, const NseInstrument& state, model::Tick& tick) noexcept {
        return state.is_scaled ? scaled({price, 0}, state.price_shift, tick) : price;
    }
    std::int64_t scaled_quantity(std::int64_t quantity, const NseInstrument& state,
                                 model::Tick& tick) noexcept {
        return state.is_scaled ? scaled({quantity, 0}, state.quantity_shift, tick) : quantity;
    }
    std::int64_t scaled(Decimal value, int places, model::Tick& tick) noexcept {
        if (const auto exact = at_places(value, places)) return *exact;
        counters_.values_inexact.add();
        tick.flags |= model::tick_flag::inexact;
        return 0;
    }

    std::int8_t price_places_;
    std::uint32_t generation_ = 1;
    std::span<const model::Instrument> instruments_;
    std::vector<NseInstrument> state_;  ///< by InstrumentId
    std::vector<std::uint64_t> told_;   ///< likewise: when its newest ticker or index was sent; 0: never
    NseRecordCounters counters_;
    Emitter& emitter_;
};

}  // namespace tickpath::feed
