// The plain twin of trade::Books: same rules, no speed. Order books are folded anew from their orders each
// time they are looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "dataplane/model/tick.h"
#include "dataplane/trade/book.h"
#include "dataplane/trade/trade_settings.h"

namespace tickpath::trade::test {

class PlainBooks {
public:
    struct Order {
        model::Side side;
        std::int64_t price;
        std::int64_t quantity;
    };
    struct PlainBook {
        std::optional<std::uint16_t> owner;
        std::uint16_t declared_by = 0;
        bool is_valid = false;
        bool is_stale = false;
        bool has_levels = false;
        bool has_orders = false;
        std::vector<Level> levels[2];  // bids, asks; best first
        std::map<std::uint64_t, Order> orders;
        std::optional<std::int64_t> last_trade;

        [[nodiscard]] std::vector<Level> side(model::Side wanted) const {
            if (!has_orders) return levels[wanted == model::Side::bid ? 0 : 1];
            std::map<std::int64_t, Level> by_price;
            for (const auto& [id, order] : orders) {
                if (order.side != wanted) continue;
                Level& level = by_price[order.price];
                level.price = order.price;
                level.quantity += order.quantity;
                ++level.order_count;
            }
            std::vector<Level> folded;
            for (const auto& [price, level] : by_price)
                folded.push_back(level);
            if (wanted == model::Side::bid) std::reverse(folded.begin(), folded.end());
            return folded;
        }
    };

    PlainBooks(const BookLimits& limits, std::size_t instruments, std::vector<std::uint8_t> depths)
        : limits_(limits), depths_(std::move(depths)), books_(instruments) {}

    bool apply(const model::Tick& tick) {
        using model::TickKind;
        namespace flag = model::tick_flag;
        if (tick.kind == TickKind::status && !tick.has(flag::unused)) return status(tick);
        if (tick.has(flag::unused)) return false;
        const bool is_ours = tick.instrument < books_.size();
        if (tick.has(flag::stale)) {
            if (is_ours && tick.kind != TickKind::trade) {
                PlainBook& book = books_[tick.instrument];
                if (book.owner.value_or(book.declared_by) == tick.channel) book.is_stale = true;
            }
            return false;
        }
        if (tick.kind == TickKind::clear && tick.instrument == model::no_instrument) {
            for (PlainBook& book : books_)
                if (book.owner.value_or(book.declared_by) == tick.channel) clear(book);
            return false;
        }
        if (!is_ours) return false;
        PlainBook& book = books_[tick.instrument];
        if (tick.kind == TickKind::trade) {
            if (!tick.has(flag::no_price | flag::inexact)) book.last_trade = tick.price;
            return true;
        }
        if (book.owner && *book.owner != tick.channel) return false;
        if (tick.kind == TickKind::clear) {
            clear(book);
            return true;
        }
        if (!book.owner && book.declared_by != tick.channel) book.is_valid = false;
        book.owner = tick.channel;
        return quote(book, tick);
    }

    [[nodiscard]] const PlainBook& operator[](std::size_t instrument) const { return books_[instrument]; }
    [[nodiscard]] std::size_t resting_orders() const {
        std::size_t count = 0;
        for (const PlainBook& book : books_)
            count += book.orders.size();
        return count;
    }

private:
    bool status(const model::Tick& tick) {
        const bool valid = tick.action == model::TickAction::set_valid;
        if (tick.instrument == model::no_instrument) {
            for (PlainBook& book : books_)
                if (!valid && book.owner.value_or(book.declared_by) == tick.channel) book.is_valid = false;
            return false;
        }
        if (tick.instrument >= books_.size()) return false;
        PlainBook& book = books_[tick.instrument];
        if (book.owner && *book.owner != tick.channel) return false;
        book.declared_by = tick.channel;
        book.is_valid = valid;
        if (valid) book.is_stale = false;
        return false;
    }

    static void clear(PlainBook& book) {
        book.levels[0].clear();
        book.levels[1].clear();
        book.orders.clear();
        book.has_levels = book.has_orders = false;
    }

    static bool fault(PlainBook& book) {
        book.is_valid = false;
        return false;
    }

    bool quote(PlainBook& book, const model::Tick& tick) {
        if (tick.has(model::tick_flag::inexact) || tick.side == model::Side::none) return fault(book);
        if (tick.level != 0) return level(book, tick);
        if (tick.entry_id != 0) return order(book, tick);
        return fault(book);
    }

    static bool is_complete(const model::Tick& tick) {
        return !tick.has(model::tick_flag::no_price | model::tick_flag::no_quantity) && tick.quantity > 0;
    }

    bool level(PlainBook& book, const model::Tick& tick) {
        if (book.has_orders) return fault(book);
        book.has_levels = true;
        std::size_t depth = tick.channel < depths_.size() ? depths_[tick.channel] : 0u;
        if (depth == 0 || depth > limits_.levels_max) depth = limits_.levels_max;
        std::vector<Level>& levels = book.levels[tick.side == model::Side::bid ? 0 : 1];
        if (tick.level > depth) return fault(book);
        if (tick.action > model::TickAction::remove) return fault(book);
        const std::size_t at = tick.level - 1u;
        const Level fresh{.price = tick.price, .quantity = tick.quantity};
        if (tick.action == model::TickAction::add) {
            if (at > levels.size() || !is_complete(tick)) return fault(book);
            levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(at), fresh);
            if (levels.size() > depth) levels.pop_back();
            return true;
        }
        if (tick.action == model::TickAction::remove) {
            if (at >= levels.size()) return fault(book);
            levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(at));
            return true;
        }
        if (at >= levels.size()) {
            fault(book);
            if (at > levels.size() || !is_complete(tick)) return false;
            levels.push_back(fresh);
            return true;
        }
        return change(book, tick, levels[at].price, levels[at].quantity);
    }

    bool order(PlainBook& book, const model::Tick& tick) {
        if (book.has_levels) return fault(book);
        book.has_orders = true;
        if (tick.action > model::TickAction::remove) return fault(book);
        const auto known = book.orders.find(tick.entry_id);
        if (tick.action == model::TickAction::remove) {
            if (known == book.orders.end()) return fault(book);
            book.orders.erase(known);
            return true;
        }
        const bool adds = tick.action == model::TickAction::add;
        if (adds && !is_complete(tick)) return fault(book);
        if (adds != (known == book.orders.end())) fault(book);  // added twice, or changed without being there
        if (known == book.orders.end()) {
            if (!is_complete(tick) || resting_orders() == limits_.orders_max) return fault(book);
            book.orders[tick.entry_id] = {tick.side, tick.price, tick.quantity};
        } else {
            if (!change(book, tick, known->second.price, known->second.quantity)) return false;
            known->second.side = tick.side;
        }
        if (!runs_over(book, tick) && book.side(tick.side).size() <= limits_.levels_max) return true;
        book.orders.erase(tick.entry_id);
        return fault(book);
    }

    bool change(PlainBook& book, const model::Tick& tick, std::int64_t& price, std::int64_t& quantity) {
        if (!tick.has(model::tick_flag::no_quantity) && tick.quantity <= 0) return fault(book);
        if (!tick.has(model::tick_flag::no_price)) price = tick.price;
        if (!tick.has(model::tick_flag::no_quantity)) quantity = tick.quantity;
        return true;
    }

    static bool runs_over(const PlainBook& book, const model::Tick& tick) {
        long double sum = 0;
        const std::int64_t price = book.orders.at(tick.entry_id).price;
        for (const auto& [id, order] : book.orders)
            if (order.side == tick.side && order.price == price)
                sum += static_cast<long double>(order.quantity);
        return sum > static_cast<long double>(std::numeric_limits<std::int64_t>::max());
    }

    BookLimits limits_;
    std::vector<std::uint8_t> depths_;
    std::vector<PlainBook> books_;
};

}  // namespace tickpath::trade::test
