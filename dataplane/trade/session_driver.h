// Moves bytes between an order session and its link while no tick waits: connection, answers, timers, output.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dataplane/model/order_link.h"
#include "dataplane/session/fix_session.h"

namespace tickpath::trade {

/// Owned by the trade core. `Owner` is told what arrives (on_message, see session::SessionHandler) and that
/// the link went down (on_link_down).
template <model::OrderLink Link>
class SessionDriver {
public:
    SessionDriver(session::FixSession& session, Link& link) noexcept : session_(session), link_(link) {}

    /// One round: at most one receive on the link, and sends until all is out or the link takes no more,
    /// which is one unless there is much to answer.
    template <class Owner>
    void drive(session::Now now, Owner& owner) noexcept {
        if (is_stopping_ && link_.state() == model::LinkState::down)
            link_.close(true);  // not to come up again
        link_.poll(now.monotonic_ns);
        follow_link(now, owner);
        if (is_up_) {
            const std::size_t bytes = link_.receive(received_);
            if (bytes != 0) session_.on_bytes(std::span<const std::byte>(received_).first(bytes), now, owner);
        }
        if (now.monotonic_ns - timer_ns_ >= timer_interval_ns) {
            timer_ns_ = now.monotonic_ns;
            session_.on_timer(now);
        }
        flush();
        const bool is_flushed = session_.output().empty() && link_.backlog_bytes() == 0;
        if (is_up_ && session_.must_close(now, is_flushed)) close(now, owner);
    }

    /// Logs out; the link stays down once the peer has answered, or after twice logout_timeout_ms: once for
    /// the answer, once for a peer that does not read.
    void stop(std::string_view text, session::Now now) noexcept {
        is_stopping_ = true;
        if (session_.is_logged_on()) session_.logout(text, now);
        flush();
        if (session_.state() != session::State::logout_sent && !session_.wants_close()) link_.close(true);
    }
    [[nodiscard]] bool is_over() const noexcept {
        return is_stopping_ && link_.state() == model::LinkState::down;
    }

private:
    static constexpr std::uint64_t timer_interval_ns =
        5'000'000;                                         // a tenth of what §4.6 allows, twenty times
    static constexpr std::size_t flush_bytes_max = 4'096;  // fits the backlog of any link

    // A break and a reconnect may both have happened since the last round: the generation tells.
    template <class Owner>
    void follow_link(session::Now now, Owner& owner) noexcept {
        const bool is_up = link_.state() == model::LinkState::up;
        if (is_up_ && (!is_up || link_.generation() != generation_)) {
            is_up_ = false;
            session_.on_link_down(now);
            owner.on_link_down();
        }
        if (is_up && !is_up_) {
            is_up_ = true;
            generation_ = link_.generation();
            session_.on_link_up(now);
        }
    }

    // All of it, or a burst of TestRequests that is read faster than answered would look like a peer that
    // does not read. What the link refuses stays in the session's output and is offered again in the next
    // round.
    void flush() noexcept {
        while (is_up_ && !session_.output().empty()) {
            const std::span<const std::byte> output = session_.output();
            const std::size_t bytes = std::min(output.size(), flush_bytes_max);
            if (!link_.send(output.first(bytes))) return;
            session_.output_taken(bytes);
        }
    }

    template <class Owner>
    void close(session::Now now, Owner& owner) noexcept {
        link_.close(is_stopping_ || session_.gave_up());
        follow_link(now, owner);
    }

    session::FixSession& session_;
    Link& link_;
    std::uint64_t generation_ = 0;
    std::uint64_t timer_ns_ = 0;
    bool is_up_ = false;
    bool is_stopping_ = false;
    std::array<std::byte, 16'384> received_{};
};

}  // namespace tickpath::trade
