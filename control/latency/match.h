// Joins orders with what caused them: pure, on what was seen, whatever it was seen in. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "control/latency/observation.h"

namespace tickpath::latency {

struct Pair {
    std::size_t order = 0;    ///< index in the orders given
    std::size_t trigger = 0;  ///< index in the triggers given
};

/// Every order is in exactly one of these.
struct Matching {
    std::vector<Pair> pairs;             ///< in the sequence of the orders
    std::uint64_t without_key = 0;       ///< does not say what it refers to
    std::uint64_t without_trigger = 0;   ///< nothing it refers to was seen within the window
    std::uint64_t ambiguous = 0;         ///< several different datagrams within the window may be meant
    std::uint64_t before_trigger = 0;    ///< what it refers to came only afterwards: the clocks disagree
    std::uint64_t before_ns_max = 0;     ///< by how much at most
    std::uint64_t triggers_matched = 0;  ///< distinct datagrams among the pairs
};

/// An order's trigger has its key and came at most `window_ns` before it, or at its very time. Of several
/// copies of one datagram the earliest counts. Any sequence of both is fine.
[[nodiscard]] Matching match(std::span<const Order> orders, std::span<const Trigger> triggers,
                             std::uint64_t window_ns);

}  // namespace tickpath::latency
