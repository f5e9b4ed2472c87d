// Every reason for which an order that a strategy wanted does not leave. Each has one counter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/core/counters.h"

namespace tickpath::trade {

// name (counter "refused_" + name), phrase for a person. In the order in which they are checked.
#define TICKPATH_REFUSALS(X)                                                                         \
    X(instrument_unknown, "the instrument is not in the instrument file")                            \
    X(disarmed, "the trader is not armed")                                                           \
    X(session_not_ready, "the order session is not logged on, or is recovering")                     \
    X(book_invalid, "the book is not complete and up to date")                                       \
    X(book_crossed, "the best bid is not below the best offer")                                      \
    X(tick_too_old, "the triggering tick is older than max_tick_age_us")                             \
    X(killed, "the kill switch is on")                                                               \
    X(bad_order, "price or quantity is not a multiple of tick and lot size, or quantity is not > 0") \
    X(order_quantity, "the quantity exceeds the order size limit")                                   \
    X(static_band, "the price is outside the instrument's own price band")                           \
    X(no_reference, "there is neither a two-sided book nor a trade to compare the price with")       \
    X(price_band, "the price is too far from the reference price")                                   \
    X(position_net, "the instrument's worst-case net position would exceed its limit")               \
    X(position_gross, "the worst-case gross position would exceed its limit")                        \
    X(notional, "the worst-case notional would exceed its limit")                                    \
    X(order_rate, "more orders than orders_per_second and order_burst allow")                        \
    X(orders_per_event, "the strategy asked for more orders than one event may cause")               \
    X(order_table_full, "too many orders are open at once")                                          \
    X(ids_exhausted, "the order counter has no number left; the store must be renewed")              \
    X(link_not_ready, "the order link is down or still holds earlier bytes")                         \
    X(link_refused, "the order link broke after the order's number was taken")

enum class Refusal : std::uint8_t {
    none,
#define TICKPATH_REFUSAL(name, phrase) name,
    TICKPATH_REFUSALS(TICKPATH_REFUSAL)
#undef TICKPATH_REFUSAL
};

inline constexpr std::size_t refusal_count = 1
#define TICKPATH_REFUSAL(name, phrase) +1
    TICKPATH_REFUSALS(TICKPATH_REFUSAL)
#undef TICKPATH_REFUSAL
    ;

inline constexpr std::array<std::string_view, refusal_count> refusal_names = {
    "none",
#define TICKPATH_REFUSAL(name, phrase) #name,
    TICKPATH_REFUSALS(TICKPATH_REFUSAL)
#undef TICKPATH_REFUSAL
};

inline constexpr std::array<std::string_view, refusal_count> refusal_phrases = {
    "let out",
#define TICKPATH_REFUSAL(name, phrase) phrase,
    TICKPATH_REFUSALS(TICKPATH_REFUSAL)
#undef TICKPATH_REFUSAL
};

[[nodiscard]] constexpr std::string_view name(Refusal refusal) noexcept {
    return refusal_names[static_cast<std::size_t>(refusal)];
}
[[nodiscard]] constexpr std::string_view describe(Refusal refusal) noexcept {
    return refusal_phrases[static_cast<std::size_t>(refusal)];
}

/// One counter per reason: "OWNER.refused_disarmed" and so on.
class RefusalCounters {
public:
    RefusalCounters(core::CounterPage& page, std::string_view owner) {
        for (std::size_t i = 1; i < refusal_count; ++i)
            counters_[i] = page.add(owner, "refused_" + std::string(refusal_names[i]));
    }

    void count(Refusal refusal) noexcept { counters_[static_cast<std::size_t>(refusal)].add(); }
    [[nodiscard]] std::uint64_t value(Refusal refusal) const noexcept {
        return counters_[static_cast<std::size_t>(refusal)].value();
    }

private:
    std::array<core::Counter, refusal_count> counters_;
};

}  // namespace tickpath::trade
