// Knows what became of every order: states, open quantity, positions. Fed by orders as they leave and by
// reports as they come back; no I/O.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/model/instrument.h"
#include "dataplane/model/order.h"
#include "dataplane/trade/exposure.h"
#include "dataplane/trade/kill_switch.h"
#include "dataplane/trade/order_table.h"
#include "decoders/fix/message.h"

namespace tickpath::trade {

/// One counter per kind of news about orders.
struct LedgerCounters {
    LedgerCounters(core::CounterPage& page, std::string_view owner);

    core::Counter reports;            ///< execution reports received
    core::Counter fills;              ///< reports that brought a fill
    core::Counter orders_rejected;    ///< by report, session reject or business reject
    core::Counter orders_expired;     ///< cancelled or expired with quantity left: an IOC order found nothing
    core::Counter reports_duplicate;  ///< of a known ExecID, older than what is known, or without news about
                                      ///< an order that is done: nothing counted twice
    core::Counter reports_unknown;    ///< of no order of ours that is still known
    core::Counter reports_adopted;    ///< of an order of an earlier run: its fills count from now on
    core::Counter reports_bad;  ///< without a field that is needed, with a quantity off the scale, about
                                ///< another symbol or side, or with a price the order cannot have got
    core::Counter reports_overfilled;  ///< more filled than ordered; the position follows the report
    core::Counter orders_unknown;      ///< became unknown because the link broke
};

/// Owned by the trade core.
///
/// Fills are the growth of CumQty, so a report that comes twice, or late, counts once; only a trade cancel or
/// correction (ExecType H, G) lowers a position. A report that contradicts its order changes nothing: the
/// order's quantity stays in the exposure until one comes that does not. An order whose link broke is unknown
/// and its open quantity stays in the exposure until a report, new or resent, says more.
class OrderLedger {
public:
    /// `first_counter`: orders with a smaller one are of an earlier run.
    OrderLedger(std::uint32_t open_orders_max, std::span<const model::Instrument> instruments,
                std::uint32_t first_counter, std::uint32_t rejects_max, KillSwitch& kill,
                const LedgerCounters& counters);

    [[nodiscard]] bool has_room(std::uint32_t counter) const noexcept { return table_.has_room(counter); }
    /// Orders that can be open at once.
    [[nodiscard]] std::size_t orders_max() const noexcept { return table_.size(); }
    /// The order has left. Requires has_room(counter).
    void sent(const model::OrderIntent& intent, std::uint32_t counter,
              std::uint64_t sequence_number) noexcept;

    /// A shadow order: counts as filled at once, whole and at its price, so that the limits on positions hold
    /// as they would for orders that are sent. It is never open.
    void assumed_filled(const model::OrderIntent& intent) noexcept;

    /// Application messages and Rejects of the session. A resent one (PossDupFlag) is news as any other: what
    /// it repeats is told by its numbers.
    void on_message(const fix::Message& message, bool poss_dup) noexcept;
    /// Nothing more will be heard on this connection.
    void on_link_down() noexcept;

    [[nodiscard]] const ExposureTable& exposure() const noexcept { return exposure_; }
    [[nodiscard]] const Order* find(std::uint32_t counter) const noexcept { return table_.find(counter); }
    [[nodiscard]] const LedgerCounters& counters() const noexcept { return counters_; }
    [[nodiscard]] std::uint32_t open_orders() const noexcept { return table_.open_count(); }  ///< cold

private:
    /// What an execution report says, at the instrument's scale.
    struct Report {
        std::int64_t filled = 0;    ///< CumQty
        std::int64_t open = 0;      ///< LeavesQty
        char status = '0';          ///< OrdStatus
        bool lowers_fills = false;  ///< ExecType is trade cancel or trade correct
    };

    void on_report(const fix::Message& message) noexcept;
    void on_refused_message(const fix::Message& message) noexcept;
    [[nodiscard]] bool read(const fix::Message& message, const Order& order, Report& report) const noexcept;
    [[nodiscard]] bool is_about(const fix::Message& message, const Order& order) const noexcept;
    [[nodiscard]] bool is_price_possible(const fix::Message& message, const Order& order) const noexcept;
    [[nodiscard]] Order* adopt(const fix::Message& message, std::uint32_t counter) noexcept;
    void apply(Order& order, const Report& report) noexcept;
    void finish(Order& order, char status) noexcept;
    void count_reject() noexcept;

    std::vector<model::Instrument> instruments_;
    OrderTable table_;
    ExposureTable exposure_;
    KillSwitch& kill_;
    LedgerCounters counters_;
    std::uint32_t first_counter_;
    std::uint32_t rejects_max_;
    std::uint32_t rejects_ = 0;
};

}  // namespace tickpath::trade
