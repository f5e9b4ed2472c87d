// The other end of a fake link: a FIX acceptor that records orders and answers them as the test says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/session_numbers.h"
#include "dataplane/session/fix_session.h"
#include "tests/dataplane/trade/fix_text.h"
#include "tests/support/fake_link.h"

namespace tickpath::trade::test {

/// Of a session that has sent and received nothing.
inline core::SessionNumbers started_numbers() {
    core::SessionNumbers numbers;
    numbers.start(1);
    return numbers;
}

class Counterparty {
public:
    enum class Answer { none, acknowledge, fill, reject, expire };

    /// `kept_numbers` outlive it; null: a session that starts at 1.
    explicit Counterparty(core::SessionNumbers* kept_numbers = nullptr)
        : session_(settings(), kept_numbers == nullptr ? own_numbers_ : *kept_numbers) {}

    /// One round: takes what the link carried here, answers. Follows the link's ups and downs.
    void exchange(tickpath::test::FakeLink& link, session::Now now) {
        const bool is_up = link.state() == model::LinkState::up;
        if (is_up_ && (!is_up || link.generation() != generation_)) {
            session_.on_link_down(now);
            is_up_ = false;
        }
        if (is_up && !is_up_) {
            session_.on_link_up(now);
            generation_ = link.generation();
            is_up_ = true;
        }
        const std::string bytes = link.take_sent();
        heard += bytes;
        now_ = now;
        if (is_up) session_.on_bytes(std::as_bytes(std::span(bytes)), now, *this);
        session_.on_timer(now);
        flush(link);
        if (is_up_ && session_.wants_close()) link.close_by_peer();
    }

    void on_message(const fix::Message& message, bool) noexcept {
        if (message.msg_type() != fix::msg_type::new_order_single) return;
        orders.emplace_back(message);
        const Fields& order = orders.back();
        const std::string quantity = order[fix::tag::order_qty];
        switch (answer) {
            case Answer::none:
                return;
            case Answer::acknowledge:
                return report(order, '0', "0", quantity);
            case Answer::fill:
                report(order, '0', "0", quantity);
                return report(order, '2', quantity, "0");
            case Answer::reject:
                return report(order, '8', "0", "0");
            case Answer::expire:
                report(order, '0', "0", quantity);
                return report(order, '4', "0", "0");
        }
    }

    /// An execution report about an order heard before; goes out with the next exchange.
    void report(const Fields& order, char status, std::string_view cum, std::string_view leaves) {
        fix::Writer& writer = session_.begin_message(fix::msg_type::execution_report, now_);
        writer.text(fix::tag::order_id, "X" + order[fix::tag::cl_ord_id]);
        writer.text(fix::tag::cl_ord_id, order[fix::tag::cl_ord_id]);
        writer.number(fix::tag::exec_id, ++exec_id_);
        writer.character(fix::tag::exec_type, status == '2' ? 'F' : status);
        writer.character(fix::tag::ord_status, status);
        writer.text(fix::tag::symbol, order[fix::tag::symbol]);
        writer.text(fix::tag::side, order[fix::tag::side]);
        writer.text(fix::tag::leaves_qty, leaves);
        writer.text(fix::tag::cum_qty, cum);
        writer.text(fix::tag::avg_px, "0");
        sent_all = session_.commit_message(now_) && sent_all;
    }

    [[nodiscard]] session::State state() const { return session_.state(); }

    Answer answer = Answer::fill;
    std::vector<Fields> orders;
    std::string heard;  ///< every byte
    bool sent_all = true;

private:
    static session::SessionSettings settings() {
        session::SessionSettings settings;
        settings.role = session::Role::acceptor;
        settings.sender = "EXCH";
        settings.target = "TRADER";
        settings.latency_max_s = 1'000'000;
        return settings;
    }
    void flush(tickpath::test::FakeLink& link) {
        const std::span<const std::byte> output = session_.output();
        if (!is_up_ || output.empty()) return;
        link.deliver({reinterpret_cast<const char*>(output.data()), output.size()});
        session_.output_taken(output.size());
    }

    core::SessionNumbers own_numbers_ = started_numbers();
    session::FixSession session_;
    session::Now now_;
    bool is_up_ = false;
    std::uint64_t generation_ = 0;
    std::uint64_t exec_id_ = 0;
};

}  // namespace tickpath::trade::test
