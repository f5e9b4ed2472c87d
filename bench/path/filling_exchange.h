// The counterparty of tick-to-order: fills every order at once and keeps what it read for the check of
// results.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/path/counting_link.h"
#include "dataplane/core/session_numbers.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/trade/order_id.h"
#include "decoders/base/decimal.h"
#include "decoders/fix/tags.h"

namespace tickpath::bench {

/// What an order said.
struct ReceivedOrder {
    trade::OrderId id;
    std::string symbol;
    std::int64_t price = 0;  ///< at 2 places
    std::int64_t quantity = 0;
    char side = ' ';
};

/// Runs on the trade thread, between ticks, never while time is taken.
class FillingExchange {
public:
    FillingExchange() { session_.on_link_up({}); }

    void exchange(CountingLink& link, session::Now now) {
        now_ = now;
        session_.on_bytes(link.take_sent(), now, *this);
        const std::span<const std::byte> output = session_.output();
        link.deliver(output);
        session_.output_taken(output.size());
    }

    void on_message(const fix::Message& message, bool) noexcept {
        if (message.msg_type() != fix::msg_type::new_order_single) return;
        ++order_count_;
        if (keeps_orders) keep(message);
        fill(message);
    }

    [[nodiscard]] std::uint64_t order_count() const noexcept { return order_count_; }
    [[nodiscard]] bool is_sound() const noexcept { return session_.state() == session::State::active; }

    bool keeps_orders = false;
    std::vector<ReceivedOrder> orders;

private:
    void keep(const fix::Message& message) {
        ReceivedOrder order;
        order.id =
            trade::decode_order_id(message.text(fix::tag::cl_ord_id).value_or("")).value_or(trade::OrderId{});
        order.symbol = message.text(fix::tag::symbol).value_or("");
        order.price = at_places(message.decimal(fix::tag::price).value_or(Decimal{}), 2).value_or(0);
        order.quantity = at_places(message.decimal(fix::tag::order_qty).value_or(Decimal{}), 0).value_or(0);
        order.side = message.character(fix::tag::side).value_or(' ');
        orders.push_back(order);
    }
    void fill(const fix::Message& order) noexcept {
        const std::string_view id = order.text(fix::tag::cl_ord_id).value_or("");
        const std::string_view quantity = order.text(fix::tag::order_qty).value_or("");
        fix::Writer& writer = session_.begin_message(fix::msg_type::execution_report, now_);
        writer.text(fix::tag::order_id, id);
        writer.text(fix::tag::cl_ord_id, id);
        writer.text(fix::tag::exec_id, id);
        writer.character(fix::tag::exec_type, 'F');
        writer.character(fix::tag::ord_status, '2');
        writer.text(fix::tag::symbol, order.text(fix::tag::symbol).value_or(""));
        writer.character(fix::tag::side, '2');
        writer.number(fix::tag::leaves_qty, 0);
        writer.text(fix::tag::cum_qty, quantity);
        writer.number(fix::tag::avg_px, 0);
        (void)session_.commit_message(now_);
    }
    static session::SessionSettings settings() {
        session::SessionSettings settings;
        settings.role = session::Role::acceptor;
        settings.sender = "EXCH";
        settings.target = "TRADER";
        settings.output_bytes = 1u << 20;
        return settings;
    }
    static core::SessionNumbers started_numbers() {
        core::SessionNumbers numbers;
        numbers.start(1);
        return numbers;
    }

    core::SessionNumbers numbers_ = started_numbers();
    session::FixSession session_{settings(), numbers_};
    session::Now now_;
    std::uint64_t order_count_ = 0;
};

}  // namespace tickpath::bench
