// What a trade stage measured: where the time between frame and order went, and its slowest cases.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/core/cycle_clock.h"
#include "dataplane/core/histogram.h"
#include "dataplane/model/order.h"
#include "dataplane/model/tick.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/trade/kill_switch.h"

namespace tickpath::trade {

/// One order by the time it took, with all that finds its cause in a capture.
struct SlowOrder {
    std::uint64_t tick_to_order_ns = 0;
    model::ClOrdId cl_ord_id{};
    model::InstrumentId instrument = model::no_instrument;
    std::uint16_t channel = 0;
    std::uint8_t line = 0;
    std::uint8_t message_index = 0;
    std::uint32_t packet_sequence = 0;
    std::uint64_t frame_number = 0;
    std::uint64_t rx_time = 0;
    model::TimeDomain rx_domain = model::TimeDomain::none;
};

/// The slowest orders, unordered while collecting.
class SlowestOrders {
public:
    static constexpr std::size_t count_max = 64;

    explicit SlowestOrders(std::size_t count = 16) noexcept : wanted_(std::min(count, count_max)) {}

    /// Whether an order that took this long would be kept.
    [[nodiscard]] bool wants(std::uint64_t tick_to_order_ns) const noexcept {
        return count_ < wanted_ || (wanted_ != 0 && tick_to_order_ns > orders_[fastest_].tick_to_order_ns);
    }
    /// Requires wants().
    void add(const SlowOrder& order) noexcept {
        if (count_ < wanted_)
            orders_[count_++] = order;
        else
            orders_[fastest_] = order;
        fastest_ = 0;
        for (std::size_t i = 1; i < count_; ++i)
            if (orders_[i].tick_to_order_ns < orders_[fastest_].tick_to_order_ns) fastest_ = i;
    }

    void sort() noexcept {  ///< slowest first; add no more afterwards
        std::sort(
            orders_.begin(), orders_.begin() + static_cast<std::ptrdiff_t>(count_),
            [](const SlowOrder& a, const SlowOrder& b) { return a.tick_to_order_ns > b.tick_to_order_ns; });
    }
    [[nodiscard]] std::span<const SlowOrder> orders() const noexcept { return {orders_.data(), count_}; }

private:
    std::array<SlowOrder, count_max> orders_{};
    std::size_t wanted_;
    std::size_t count_ = 0;
    std::size_t fastest_ = 0;  ///< of orders_
};

/// Spans in nanoseconds between cycle stamps t1 (burst received), t2 (packet decoded), t3 (order wanted),
/// ready (order bytes complete) and t4 (link has taken them). All but the first span are of orders.
struct TradeReport {
    core::Histogram receive_to_decoded_ns;  ///< t2 - t1, of every event
    core::Histogram decoded_to_wanted_ns;   ///< t3 - t2: ring, book, strategy
    core::Histogram wanted_to_ready_ns;     ///< ready - t3: may trade, risk, patch
    core::Histogram tick_to_order_ns;       ///< ready - t1
    core::Histogram send_ns;                ///< t4 - ready: the link's system call; empty for shadow orders
    SlowestOrders slowest;

    std::uint64_t ticks = 0;
    std::uint64_t events = 0;  ///< shown to the strategy
    std::uint64_t orders = 0;  ///< taken by the link
    std::uint64_t shadow_orders = 0;
    std::uint64_t reports = 0;
    std::uint64_t fills = 0;
    bool is_shadow = false;
    bool is_armed = false;
    KillReason kill_reason = KillReason::none;
    bool has_session = false;
    session::State session_state = session::State::disconnected;
};

}  // namespace tickpath::trade
