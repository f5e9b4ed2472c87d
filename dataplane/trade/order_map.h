// Finds a resting order of any order book by its venue number. Hot: once per order tick.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/model/instrument.h"
#include "dataplane/model/tick.h"

namespace tickpath::trade {

inline constexpr std::uint32_t no_order = 0xFFFF'FFFFu;  ///< index of no resting order

/// An order at rest in a book. Orders of one instrument are linked, so that a book can be emptied at the cost
/// of its own orders only.
struct RestingOrder {
    std::uint64_t entry_id = 0;
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    model::InstrumentId instrument = model::no_instrument;
    std::uint32_t next = no_order;
    std::uint32_t previous = no_order;
    model::Side side = model::Side::none;
};

/// Bounded map (instrument, entry id) → order, shared by all books of a stage.
///
/// Open addressing with linear probing over 8-byte slots at a load of at most one half; a removal moves later
/// entries of the run back (no tombstones), so that a day of adds and removes leaves the table as fast as it
/// was. Orders themselves never move: indices and references hold until the order is erased.
class OrderMap {
public:
    /// `orders_max` at least 1, at most 2^30. Takes and touches all memory.
    explicit OrderMap(std::uint32_t orders_max)
        : orders_(orders_max),
          slots_(std::bit_ceil(std::size_t{orders_max} * 2)),
          mask_(static_cast<std::uint32_t>(slots_.size() - 1)) {
        assert(orders_max >= 1 && orders_max <= (1u << 30));
        for (std::uint32_t i = 0; i < orders_max; ++i)
            orders_[i].next = i + 1 < orders_max ? i + 1 : no_order;
    }

    [[nodiscard]] RestingOrder* find(model::InstrumentId instrument, std::uint64_t entry_id) noexcept {
        const std::uint32_t hash = hash_of(instrument, entry_id);
        for (std::uint32_t at = hash & mask_; slots_[at].order_plus_1 != 0; at = (at + 1) & mask_) {
            if (slots_[at].hash != hash) continue;
            RestingOrder& order = orders_[slots_[at].order_plus_1 - 1];
            if (order.entry_id == entry_id && order.instrument == instrument) return &order;
        }
        return nullptr;
    }

    /// A new order, linked in front of the list that starts at `first`; nullptr when orders_max are at rest.
    /// The pair must not be in the map.
    [[nodiscard]] RestingOrder* insert(model::InstrumentId instrument, std::uint64_t entry_id,
                                       std::uint32_t& first) noexcept {
        if (first_free_ == no_order) [[unlikely]]
            return nullptr;
        const std::uint32_t index = first_free_;
        RestingOrder& order = orders_[index];
        first_free_ = order.next;
        order = {.entry_id = entry_id, .instrument = instrument, .next = first};
        if (first != no_order) orders_[first].previous = index;
        first = index;
        place(hash_of(instrument, entry_id), index + 1);
        ++size_;
        return &order;
    }

    /// Removes `order` from the map and from its list.
    void erase(RestingOrder& order, std::uint32_t& first) noexcept {
        const auto index = static_cast<std::uint32_t>(&order - orders_.data());
        close_gap(slot_of(hash_of(order.instrument, order.entry_id), index + 1));
        if (order.previous != no_order)
            orders_[order.previous].next = order.next;
        else
            first = order.next;
        if (order.next != no_order) orders_[order.next].previous = order.previous;
        order.next = first_free_;
        first_free_ = index;
        --size_;
    }

    /// Removes all orders of the list; at most `size()` steps.
    void erase_all(std::uint32_t& first) noexcept {
        while (first != no_order)
            erase(orders_[first], first);
    }

    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint32_t capacity() const noexcept {
        return static_cast<std::uint32_t>(orders_.size());
    }

private:
    struct Slot {
        std::uint32_t order_plus_1 = 0;  ///< 0: free
        std::uint32_t hash = 0;
    };

    // Venue numbers count up, so all entropy is in the low bits of both parts; the multiplications spread it
    // (the finaliser of MurmurHash3).
    [[nodiscard]] static std::uint32_t hash_of(model::InstrumentId instrument,
                                               std::uint64_t entry_id) noexcept {
        std::uint64_t mixed = entry_id ^ (std::uint64_t{instrument} * 0x9E37'79B9'7F4A'7C15u);
        mixed = (mixed ^ (mixed >> 33)) * 0xFF51'AFD7'ED55'8CCDu;
        mixed = (mixed ^ (mixed >> 33)) * 0xC4CE'B9FE'1A85'EC53u;
        return static_cast<std::uint32_t>(mixed >> 32);
    }

    void place(std::uint32_t hash, std::uint32_t order_plus_1) noexcept {
        std::uint32_t at = hash & mask_;
        while (slots_[at].order_plus_1 != 0)
            at = (at + 1) & mask_;
        slots_[at] = {order_plus_1, hash};
    }

    [[nodiscard]] std::uint32_t slot_of(std::uint32_t hash, std::uint32_t order_plus_1) const noexcept {
        std::uint32_t at = hash & mask_;
        while (slots_[at].order_plus_1 != order_plus_1)
            at = (at + 1) & mask_;
        return at;
    }

    // Knuth 6.4 R: whoever may stand in the gap (its home is not between the gap and itself) moves there.
    void close_gap(std::uint32_t gap) noexcept {
        for (std::uint32_t at = (gap + 1) & mask_; slots_[at].order_plus_1 != 0; at = (at + 1) & mask_) {
            const std::uint32_t home = slots_[at].hash & mask_;
            if (((at - home) & mask_) < ((at - gap) & mask_)) continue;
            slots_[gap] = slots_[at];
            gap = at;
        }
        slots_[gap] = {};
    }

    std::vector<RestingOrder> orders_;
    std::vector<Slot> slots_;
    std::uint32_t mask_;
    std::uint32_t first_free_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace tickpath::trade
