// The orders of this run by their counter: what was asked, what became of it. Hot: one slot per order sent.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/model/order.h"

namespace tickpath::trade {

/// Quantities at the instrument's scale.
struct Order {
    std::uint64_t sequence_number = 0;  ///< MsgSeqNum under which it was sent; 0 for one of an earlier run
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    std::int64_t filled = 0;         ///< CumQty of the newest report
    std::int64_t open = 0;           ///< part of the exposure; 0 when done
    std::uint64_t last_exec_id = 0;  ///< hash of the newest report's ExecID
    std::uint32_t counter = 0;       ///< of its ClOrdID
    model::InstrumentId instrument = model::no_instrument;
    model::OrderSide side = model::OrderSide::buy;
    model::OrderState state = model::OrderState::done;
    bool is_used = false;  ///< the slot holds an order, done or not

    [[nodiscard]] bool is_open() const noexcept { return is_used && state != model::OrderState::done; }
};

/// Bounded: an order sits in the slot of its counter until it is done and a later order needs the slot.
class OrderTable {
public:
    /// `open_orders_max` is rounded up to a power of two.
    explicit OrderTable(std::uint32_t open_orders_max)
        : orders_(std::bit_ceil(std::size_t{open_orders_max})),
          mask_(static_cast<std::uint32_t>(orders_.size() - 1)) {
        assert(open_orders_max >= 1);
    }

    /// Whether the slot of this counter is free for a new order.
    [[nodiscard]] bool has_room(std::uint32_t counter) const noexcept {
        return !orders_[counter & mask_].is_open();
    }
    /// The slot of this counter; requires has_room. Its old content is still there.
    [[nodiscard]] Order& slot(std::uint32_t counter) noexcept { return orders_[counter & mask_]; }

    [[nodiscard]] Order* find(std::uint32_t counter) noexcept {
        Order& order = orders_[counter & mask_];
        return order.is_used && order.counter == counter ? &order : nullptr;
    }
    [[nodiscard]] const Order* find(std::uint32_t counter) const noexcept {
        const Order& order = orders_[counter & mask_];
        return order.is_used && order.counter == counter ? &order : nullptr;
    }

    /// Cold: walks the table.
    template <class Visit>
    void for_each_open(Visit&& visit) {
        for (Order& order : orders_)
            if (order.is_open()) visit(order);
    }

    /// Cold: walks the table.
    [[nodiscard]] std::uint32_t open_count() const noexcept {
        return static_cast<std::uint32_t>(std::count_if(orders_.begin(), orders_.end(),
                                                        [](const Order& order) { return order.is_open(); }));
    }

    [[nodiscard]] std::size_t size() const noexcept { return orders_.size(); }

private:
    std::vector<Order> orders_;
    std::uint32_t mask_;
};

}  // namespace tickpath::trade
