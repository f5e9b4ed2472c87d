// A trader reduced to its order path: session, store, kernel link and order template, driven by hand over a
// real socket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>

#include "dataplane/session/fix_session.h"
#include "dataplane/store/session_store.h"
#include "dataplane/tcp/kernel_tcp.h"
#include "decoders/fix/message_template.h"

namespace tickpath::test {

/// The session TICKPATH to EXCH as initiator.
class OrderClient {
public:
    OrderClient(std::uint16_t port, const std::string& store_folder, bool reset_on_logon = false) {
        settings_.sender = "TICKPATH";
        settings_.target = "EXCH";
        settings_.heartbeat_s = 5;
        settings_.reset_on_logon = reset_on_logon;
        std::string error;
        store_ = store::SessionStore::open(
            store_folder, {.begin_string = "FIX.4.4", .sender = settings_.sender, .target = settings_.target},
            now().utc_ns, error);
        if (!store_) throw std::runtime_error(error);
        session_ = std::make_unique<session::FixSession>(settings_, store_->numbers(),
                                                         session::SessionCounters(page_, "session"));
        link_ = std::make_unique<tcp::KernelTcp>(
            *tcp::Endpoint::resolve("127.0.0.1", port, error),
            tcp::KernelTcpSettings{.reconnect_ms_first = 20, .reconnect_ms_max = 20});
        template_ = std::make_unique<fix::MessageTemplate>(
            fix::default_order_template(),
            fix::TemplateIdentity{
                .begin_string = "FIX.4.4", .sender = settings_.sender, .target = settings_.target});
    }

    /// One round of what a trade core does while no tick waits.
    void turn() {
        link_->poll(now().monotonic_ns);
        const bool is_up = link_->state() == model::LinkState::up;
        if (was_up_ && (!is_up || link_->generation() != generation_)) {
            session_->on_link_down(now());
            was_up_ = false;
        }
        if (is_up && !was_up_) {
            was_up_ = true;
            generation_ = link_->generation();
            session_->on_link_up(now());
        }
        if (is_up) {
            std::byte buffer[8'192];
            const std::size_t received = link_->receive(buffer);
            session_->on_bytes(std::span(buffer).first(received), now(), *this);
        }
        session_->on_timer(now());
        flush();
        if (session_->wants_close() && session_->output().empty() && link_->backlog_bytes() == 0)
            link_->close(stays_down_);
    }

    /// Turns until `done` says so; false after the time-out.
    template <class Done>
    bool turn_until(Done done, std::uint64_t timeout_ms = 10'000) {
        const std::uint64_t end = now().monotonic_ns + timeout_ms * 1'000'000;
        while (!done()) {
            turn();
            if (now().monotonic_ns > end) return false;
        }
        return true;
    }

    bool wait_ready() {
        return turn_until([&] { return session_->ready() && link_->backlog_bytes() == 0; });
    }

    /// Sends one order through the template, as the gateway does: number first, stored, then the bytes.
    void send_order(const std::string& symbol, std::int64_t price, std::int64_t quantity) {
        if (!wait_ready()) throw std::runtime_error("not ready: " + std::string(session_->reason()));
        const auto instrument = fix::TemplateInstrument::make(symbol, 2, 0);
        fix::OrderPatch values;
        values.sequence_number = session_->claim_outbound_number();
        values.sending_time_ns = values.transact_time_ns = now().utc_ns;
        char id[21];
        std::snprintf(id, sizeof id, "00%08llX0100%06llX",
                      static_cast<unsigned long long>(store_->numbers().claim_order_counter() & 0xFFFF'FFFF),
                      0ULL);
        std::copy_n(id, 20, values.cl_ord_id.begin());
        values.price = price;
        values.quantity = quantity;
        values.side = price % 2 == 0 ? '1' : '2';
        static_cast<void>(
            link_->send(template_->patch(*instrument, values)));  // a link that broke: the report tells
        session_->note_sent(now());
        sent_.insert(std::string(id, 20));
    }

    void log_out() {
        stays_down_ = true;
        session_->logout({}, now());
    }
    bool wait_down() {
        return turn_until([&] { return link_->state() == model::LinkState::down; });
    }
    /// A broken cable: both ends lose what is under way.
    void break_link() { link_->close(false); }

    void on_message(const fix::Message& message, bool) noexcept {
        const auto type = message.text(fix::tag::exec_type);
        const std::string id(message.text(fix::tag::cl_ord_id).value_or("?"));
        if (message.msg_type() != fix::msg_type::execution_report || !type || sent_.count(id) == 0) {
            ++unexpected;
            return;
        }
        if (!exec_ids_.insert(std::string(message.text(fix::tag::exec_id).value_or("?"))).second)
            ++duplicates;
        if (*type == "0") ++acknowledged;
        if (*type == "F") ++filled;
    }

    [[nodiscard]] session::FixSession& session() { return *session_; }
    [[nodiscard]] core::SessionNumbers& numbers() { return store_->numbers(); }
    [[nodiscard]] std::uint64_t count(const std::string& name) const {
        return page_.value("session." + name);
    }
    [[nodiscard]] std::size_t sent() const { return sent_.size(); }

    std::uint64_t acknowledged = 0;
    std::uint64_t filled = 0;
    std::uint64_t unexpected = 0;  ///< rejects, other types, orders that are not ours
    std::uint64_t duplicates = 0;  ///< reports that came twice

private:
    [[nodiscard]] static session::Now now() {
        const auto clock_ns = [](clockid_t clock) {
            timespec time{};
            ::clock_gettime(clock, &time);
            return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                   static_cast<std::uint64_t>(time.tv_nsec);
        };
        return {.monotonic_ns = clock_ns(CLOCK_MONOTONIC), .utc_ns = clock_ns(CLOCK_REALTIME)};
    }

    void flush() {
        const auto output = session_->output();
        if (!output.empty() && link_->send(output)) session_->output_taken(output.size());
    }

    core::CounterPage page_ = core::CounterPage::anonymous();
    session::SessionSettings settings_;
    std::unique_ptr<store::SessionStore> store_;
    std::unique_ptr<session::FixSession> session_;
    std::unique_ptr<tcp::KernelTcp> link_;
    std::unique_ptr<fix::MessageTemplate> template_;
    bool was_up_ = false;
    bool stays_down_ = false;
    std::uint64_t generation_ = 0;
    std::set<std::string> sent_, exec_ids_;
};

}  // namespace tickpath::test
