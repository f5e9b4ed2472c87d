// Ticks of invalid books, kept until a snapshot tells which of them it already holds. One list per instrument
// in one bounded pool. Used only while a book is invalid; allocates only in the constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/model/tick.h"

namespace tickpath::feed {

/// What an entry is to its instrument's book.
enum class EntryUse : std::uint8_t {
    apply,
    skip,      ///< of no interest, but its number counts in the instrument's sequence
    unusable,  ///< meant for the book, but it cannot be applied: the book is wrong from here on
};

class TickQueue {
public:
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    /// An instrument's list. Plain value; meaningful for the queue that filled it.
    struct List {
        std::uint32_t head = none;
        std::uint32_t tail = none;
    };
    struct Node {
        model::Tick tick;
        std::uint32_t next = none;
        EntryUse use = EntryUse::apply;
    };

    explicit TickQueue(std::size_t ticks_max) : nodes_(ticks_max) { clear_all(); }

    /// False when the pool is full; nothing was kept then.
    [[nodiscard]] bool push(List& list, const model::Tick& tick, EntryUse use) noexcept {
        if (free_ == none) return false;
        const std::uint32_t at = free_;
        free_ = nodes_[at].next;
        nodes_[at] = {tick, none, use};
        (list.head == none ? list.head : nodes_[list.tail].next) = at;
        list.tail = at;
        return true;
    }
    [[nodiscard]] const Node& node(std::uint32_t at) const noexcept { return nodes_[at]; }

    void pop_front(List& list) noexcept {
        const std::uint32_t at = list.head;
        list.head = nodes_[at].next;
        nodes_[at].next = free_;
        free_ = at;
    }
    void clear(List& list) noexcept {
        if (list.head == none) return;
        nodes_[list.tail].next = free_;
        free_ = list.head;
        list = {};
    }
    /// Forgets everything; the caller resets its lists.
    void clear_all() noexcept {
        free_ = nodes_.empty() ? none : 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            nodes_[i].next = i + 1 < nodes_.size() ? static_cast<std::uint32_t>(i + 1) : none;
    }

private:
    std::vector<Node> nodes_;
    std::uint32_t free_ = none;
};

}  // namespace tickpath::feed
