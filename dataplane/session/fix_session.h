// The FIX session protocol as a state machine without I/O: bytes and time in, bytes and messages out
// (spec/fix-session.md §4). Runs on the thread that owns the link; one instance serves a trade core, the
// engine and the exchange alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/session_numbers.h"
#include "dataplane/session/gap.h"
#include "dataplane/session/liveness.h"
#include "dataplane/session/now.h"
#include "dataplane/session/out_of_order_queue.h"
#include "dataplane/session/outbox.h"
#include "dataplane/session/session_settings.h"
#include "decoders/fix/reader.h"
#include "decoders/fix/writer.h"

namespace tickpath::session {

enum class State : std::uint8_t {
    disconnected,
    logon_sent,   ///< initiator: waits for the answer
    await_logon,  ///< acceptor: waits for the first message
    active,
    recovering,   ///< active with a gap open
    logout_sent,  ///< waits for the peer's Logout
    closing,      ///< over: send what output() still holds, then close the link, see must_close()
};

[[nodiscard]] std::string_view name(State state) noexcept;

/// What receives application messages, and Rejects (3) of ours. Called in sequence, each message once per
/// number; `poss_dup` is PossDupFlag. The message is valid inside the call. Sending from inside is allowed.
template <class H>
concept SessionHandler = requires(H handler, const fix::Message& message, bool poss_dup) {
    { handler.on_message(message, poss_dup) }
    noexcept;
};

/// One counter per cause; the default counts into a cell nobody reads.
struct SessionCounters {
    SessionCounters() = default;
    /// Makes them as "owner.messages_in" and so on.
    SessionCounters(core::CounterPage& page, std::string_view owner);

    core::Counter messages_in;       ///< sound ones, admin included
    core::Counter messages_out;      ///< admin and application, orders of the trade core included
    core::Counter garbled;           ///< dropped in silence
    core::Counter rejects_in;        ///< 35=3 received
    core::Counter rejects_out;       ///< 35=3 sent
    core::Counter duplicates;        ///< 43=Y below the expected number, dropped
    core::Counter gaps;              ///< ResendRequests sent
    core::Counter queue_overflows;   ///< messages behind a gap that found no room; asked for again
    core::Counter resends_answered;  ///< ResendRequests served
    core::Counter logons;
    core::Counter logouts_in;
    core::Counter disconnects;
};

/// Owned and used by one thread. No allocation after construction.
///
/// The owner moves bytes: link up → on_link_up; received → on_bytes; every few milliseconds → on_timer; after
/// each of these send output() and confirm by output_taken; when wants_close() and output() is empty, close
/// the link and call on_link_down. On a new connection nothing of the old one is left.
class FixSession {
public:
    /// `numbers` outlives the session and is written by it alone.
    FixSession(const SessionSettings& settings, core::SessionNumbers& numbers,
               const SessionCounters& counters = {});
    FixSession(const FixSession&) = delete;
    FixSession& operator=(const FixSession&) = delete;

    void on_link_up(Now now) noexcept;  ///< an initiator writes its Logon
    void on_link_down(Now now) noexcept;
    void on_timer(Now now) noexcept;

    /// Takes received bytes, split anywhere. A message counts as received (the expected inbound number moves
    /// on) after `handler` returned: after a crash the last one may come again, with PossDupFlag (§6 rule I).
    template <SessionHandler Handler>
    void on_bytes(std::span<const std::byte> bytes, Now now, Handler& handler) noexcept {
        while (!bytes.empty() && is_connected()) {
            bytes = bytes.subspan(take(bytes));
            while (next(now)) {
                handler.on_message(current_->message(), is_poss_dup_);
                delivered(now);
            }
        }
    }

    /// Bytes for the link, in order.
    [[nodiscard]] std::span<const std::byte> output() const noexcept { return outbox_.bytes(); }
    void output_taken(std::size_t bytes) noexcept { outbox_.taken(bytes); }

    [[nodiscard]] State state() const noexcept { return state_; }
    /// Logged on, no Logout under way; perhaps recovering.
    [[nodiscard]] bool is_logged_on() const noexcept {
        return state_ == State::active || state_ == State::recovering;
    }
    /// An order may go straight to the link: logged on, no gap open, and output() is empty, for the bytes of
    /// lower numbers go first.
    [[nodiscard]] bool ready() const noexcept { return state_ == State::active && outbox_.empty(); }
    [[nodiscard]] bool is_connected() const noexcept {
        return state_ != State::disconnected && state_ != State::closing;
    }
    [[nodiscard]] bool wants_close() const noexcept { return state_ == State::closing; }
    /// The link is to be closed now: the session is over, and its last words have left (`is_flushed`:
    /// output() is empty and the link holds nothing back) or the peer has not read them within
    /// logout_timeout_ms.
    [[nodiscard]] bool must_close(Now now, bool is_flushed) const noexcept;
    /// The peer refused `refusals_max` Logons in a row: connecting again cannot help, a person must look
    /// (§6).
    [[nodiscard]] bool gave_up() const noexcept { return refusals_ >= settings_.refusals_max; }
    /// Why the last connection ended, or the peer's Logout text: for a person. Valid until the next
    /// connection.
    [[nodiscard]] std::string_view reason() const noexcept { return {reason_.data(), reason_chars_}; }

    /// For messages written elsewhere (order templates): the number to send under, stored before it is
    /// returned, never given twice. Requires ready(); the message must be sent, then note_sent called.
    [[nodiscard]] std::uint64_t claim_outbound_number() noexcept {
        const std::uint64_t number = numbers_->next_outbound();
        numbers_->set_next_outbound(number + 1);
        return number;
    }
    void note_sent(Now now) noexcept {
        liveness_.sent(now.monotonic_ns);
        counters_.messages_out.add();
    }

    /// Application messages through output(): header written, add the body, then commit. Allowed while
    /// is_logged_on. `answer_to` turns that message's OnBehalfOf fields into DeliverTo fields and the other
    /// way round (§2).
    [[nodiscard]] fix::Writer& begin_message(std::string_view msg_type, Now now,
                                             const fix::Message* answer_to = nullptr) noexcept {
        return outbox_.begin(msg_type, now, answer_to);
    }
    /// False when output() has no room: nothing is sent and no number used.
    [[nodiscard]] bool commit_message(Now now) noexcept;
    /// For times in bodies, at the session's precision.
    [[nodiscard]] fix::TimestampWriter& timestamps() noexcept { return outbox_.timestamps(); }

    /// Session-level Reject (35=3) of a message in a handler; `tag` empty when no one tag is to blame.
    void reject(const fix::Message& message, std::uint32_t reason, std::string_view tag, Now now) noexcept;

    /// Starts the Logout handshake. An empty text is left out.
    void logout(std::string_view text, Now now) noexcept;

    [[nodiscard]] const SessionSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] const core::SessionNumbers& numbers() const noexcept { return *numbers_; }

private:
    // What to do next with the bytes at hand.
    enum class Step : std::uint8_t {
        deliver,  ///< current_ holds a message for the handler
        go_on,    ///< dealt with, look again
        wait,     ///< more bytes are needed, or the session is over
    };

    [[nodiscard]] std::size_t take(std::span<const std::byte> bytes) noexcept;
    [[nodiscard]] bool next(Now now) noexcept;
    [[nodiscard]] Step next_queued(Now now) noexcept;
    [[nodiscard]] Step next_received(Now now) noexcept;
    void delivered(Now now) noexcept;

    // fix_session.cc: a message on a session that is up
    [[nodiscard]] Step on_frame(Now now) noexcept;
    [[nodiscard]] bool passes_checks(const fix::Message& message, std::uint64_t number, Now now) noexcept;
    [[nodiscard]] bool is_latency_fine(std::uint64_t sending_time_ns, Now now) const noexcept;
    [[nodiscard]] bool has_our_comp_ids(const fix::Message& message) const noexcept;
    [[nodiscard]] Step in_sequence(const fix::Message& message, std::uint64_t number, Now now) noexcept;
    [[nodiscard]] bool passes_poss_dup_checks(const fix::Message& message, Now now) noexcept;
    void above_expected(const fix::Message& message, std::uint64_t number, Now now) noexcept;
    void below_expected(const fix::Message& message, std::uint64_t number, Now now) noexcept;
    void on_test_request(const fix::Message& message, Now now) noexcept;
    void on_resend_request(const fix::Message& message, Now now) noexcept;
    void on_reset(const fix::Message& message, Now now) noexcept;
    void on_gap_fill(const fix::Message& message, std::uint64_t number, Now now) noexcept;
    void on_logout(const fix::Message& message, std::uint64_t number, Now now) noexcept;

    // session_logon.cc: how a session comes up (§4.1, §4.2)
    void on_first_message(const fix::Message& message, Now now) noexcept;
    void on_logon(const fix::Message& message, Now now) noexcept;
    void on_live_logon(const fix::Message& message, Now now) noexcept;
    [[nodiscard]] bool takes_terms(const fix::Message& message, Now now) noexcept;
    [[nodiscard]] bool applies_reset(const fix::Message& message, std::uint64_t number,
                                     bool& answer_with_reset, Now now) noexcept;
    void come_up(std::uint64_t number, Now now) noexcept;
    void refuse_logon(std::string_view text, Now now) noexcept;

    void consume(std::uint64_t number, Now now) noexcept;
    void expect(std::uint64_t number, Now now) noexcept;
    void ask_for_gap(Now now) noexcept;
    void restart_numbers(Now now) noexcept;

    // session_messages.cc: what the session itself sends
    void commit(Now now) noexcept;
    void send_logon(bool with_reset, Now now) noexcept;
    void send_heartbeat(std::string_view test_req_id, Now now) noexcept;
    void send_test_request(Now now) noexcept;
    void send_resend_request(Now now) noexcept;
    void send_gap_fill(std::uint64_t from, std::uint64_t to, Now now) noexcept;
    void send_reject(const fix::Message& message, std::uint32_t reason, std::string_view tag,
                     Now now) noexcept;
    void send_logout(std::string_view text, Now now) noexcept;
    void send_too_low(std::uint64_t number, Now now) noexcept;
    void close(std::string_view why, Now now) noexcept;
    void note_reason(std::string_view text) noexcept;
    void change_state(State state, Now now) noexcept;
    void forget_connection() noexcept;

    SessionSettings settings_;
    core::SessionNumbers* numbers_;
    SessionCounters counters_;
    State state_ = State::disconnected;
    std::uint64_t state_since_ns_ = 0;
    Liveness liveness_;
    Outbox outbox_;

    fix::Reader reader_;          ///< of the stream
    fix::Reader queue_reader_;    ///< of messages that waited for a gap to close
    const fix::Reader* current_;  ///< the one whose message the handler sees
    bool is_poss_dup_ = false;    ///< PossDupFlag of that message
    std::vector<char> input_;     ///< received and not yet consumed
    std::size_t input_start_ = 0;
    std::size_t input_end_ = 0;
    OutOfOrderQueue queue_;
    Gap gap_;

    bool has_asked_reset_ = false;     ///< our Logon carried 141=Y
    bool has_answered_reset_ = false;  ///< we answered an unrequested 141=Y; the next one is its echo
    std::uint64_t logon_number_ = 0;   ///< 34 of our Logon
    std::uint32_t heartbeat_s_ = 0;    ///< agreed at Logon
    std::uint64_t last_resend_begin_ = 0;
    std::uint64_t last_resend_end_ = 0;
    std::uint32_t same_resends_ = 0;

    std::uint32_t refusals_ = 0;  ///< in a row, over connections
    std::size_t reason_chars_ = 0;
    std::array<char, 160> reason_{};
};

}  // namespace tickpath::session
