// How a session comes up: the first messages of a connection, and a reset on a live one (spec/fix-session.md
// §4.1, §4.2).
#include <optional>

#include "dataplane/session/fix_session.h"
#include "decoders/fix/tags.h"

namespace tickpath::session {
namespace tag = fix::tag;
namespace msg_type = fix::msg_type;

namespace {

constexpr std::uint64_t heartbeat_s_max = 86'400;

}  // namespace

void FixSession::on_first_message(const fix::Message& message, Now now) noexcept {
    const std::string_view type = message.msg_type();
    // Someone else's bytes are not answered: a stranger learns nothing of what exists here (§2).
    if (reader_.fault().is_present || message.begin_string() != settings_.begin_string ||
        !has_our_comp_ids(message))
        return close("the first message is not of this session", now);
    if (type == msg_type::logon) return on_logon(message, now);
    if (state_ == State::await_logon || type != msg_type::logout)
        return close("the first message is no Logon", now);
    counters_.logouts_in.add();
    if (const auto number = message.number(tag::msg_seq_num)) consume(*number, now);
    ++refusals_;
    close(message.text(tag::text).value_or("the peer refused our Logon"), now);
}

void FixSession::on_logon(const fix::Message& message, Now now) noexcept {
    const auto sending_time_ns = message.timestamp(tag::sending_time);
    if (!sending_time_ns || !is_latency_fine(*sending_time_ns, now))
        return close("SendingTime of the Logon is missing or too far from our clock", now);
    const auto number = message.number(tag::msg_seq_num);
    if (!number || *number >= core::DurablePair::value_max)
        return close("MsgSeqNum of the Logon is missing, no number or too large", now);
    if (!takes_terms(message, now)) return;

    const bool is_acceptor = settings_.role == Role::acceptor;
    const std::uint64_t ours_before = numbers_->next_outbound();
    bool answer_with_reset = false;
    if (!applies_reset(message, *number, answer_with_reset, now)) return;
    if (*number < numbers_->next_inbound()) {
        ++refusals_;
        return send_too_low(*number, now);
    }
    // NextExpectedMsgSeqNum: what the peer has of ours, counted before our answer is numbered. A reset
    // settles it.
    const bool was_reset = numbers_->next_outbound() < ours_before || answer_with_reset;
    std::uint64_t fill_from = 0;
    if (message.has(tag::next_expected_msg_seq_num) && !was_reset) {
        const auto wanted = message.number(tag::next_expected_msg_seq_num);
        if (!wanted || *wanted == 0 || *wanted > ours_before)
            return refuse_logon("NextExpectedMsgSeqNum is beyond what was sent", now);
        if (*wanted < ours_before) fill_from = *wanted;
    }
    if (is_acceptor || (answer_with_reset && has_answered_reset_)) send_logon(answer_with_reset, now);
    if (fill_from != 0) send_gap_fill(fill_from, ours_before, now);
    come_up(*number, now);
}

/// EncryptMethod and HeartBtInt.
bool FixSession::takes_terms(const fix::Message& message, Now now) noexcept {
    if (message.text(tag::encrypt_method) != "0") {
        refuse_logon("EncryptMethod must be 0 (none)", now);
        return false;
    }
    const auto heartbeat_s = message.number(tag::heart_bt_int);
    if (!heartbeat_s || *heartbeat_s > heartbeat_s_max) {
        refuse_logon("HeartBtInt is missing or out of range", now);
        return false;
    }
    heartbeat_s_ = static_cast<std::uint32_t>(*heartbeat_s);
    return true;
}

/// Resets as the Logon, or our settings, want it. False: the Logon was refused.
bool FixSession::applies_reset(const fix::Message& message, std::uint64_t number, bool& answer_with_reset,
                               Now now) noexcept {
    const bool is_acceptor = settings_.role == Role::acceptor;
    const bool wants_reset = message.flag(tag::reset_seq_num_flag);
    if (wants_reset && number != 1) {
        refuse_logon("ResetSeqNumFlag wants MsgSeqNum 1", now);
        return false;
    }
    if (is_acceptor) {
        if (wants_reset || settings_.reset_on_logon) restart_numbers(now);
        answer_with_reset = wants_reset || (settings_.reset_on_logon && settings_.announce_reset);
        return true;
    }
    if (!wants_reset || has_asked_reset_)
        return true;  // the answer to our own 141=Y must not reset once more
    if (!settings_.accept_unrequested_reset) {
        refuse_logon("ResetSeqNumFlag was not asked for", now);
        return false;
    }
    if (logon_number_ == 1) {  // we have started at 1 as well: only what we expect is set back
        numbers_->set_next_inbound(1);
        return true;
    }
    restart_numbers(now);
    has_answered_reset_ = answer_with_reset = true;
    return true;
}

void FixSession::come_up(std::uint64_t number, Now now) noexcept {
    counters_.logons.add();
    refusals_ = 0;
    liveness_.start(heartbeat_s_, settings_, now.monotonic_ns);
    if (state_ == State::closing) return;
    change_state(State::active, now);
    if (number == numbers_->next_inbound()) return expect(number + 1, now);
    gap_.saw(number);
    if (!queue_.add_served(number)) counters_.queue_overflows.add();
    ask_for_gap(now);
}

/// A Logon on a session that is up: with 141=Y both start again at 1, without it the peer has lost its way.
void FixSession::on_live_logon(const fix::Message& message, Now now) noexcept {
    const auto sending_time_ns = message.timestamp(tag::sending_time);
    if (reader_.fault().is_present || !message.flag(tag::reset_seq_num_flag) || !has_our_comp_ids(message) ||
        !sending_time_ns || !is_latency_fine(*sending_time_ns, now))
        return close("a Logon without ResetSeqNumFlag on a session that is up", now);
    if (message.number(tag::msg_seq_num) != 1) {
        send_logout("ResetSeqNumFlag wants MsgSeqNum 1", now);
        return close("ResetSeqNumFlag wants MsgSeqNum 1", now);
    }
    if (!takes_terms(message, now)) return;
    if (has_answered_reset_) {  // the echo of our own answer: its number counts, nothing more is said
        has_answered_reset_ = false;
        numbers_->set_next_inbound(2);
        return;
    }
    restart_numbers(now);
    numbers_->set_next_inbound(2);
    if (state_ == State::recovering) change_state(State::active, now);
    liveness_.start(heartbeat_s_, settings_, now.monotonic_ns);
    send_logon(true, now);
}

void FixSession::refuse_logon(std::string_view text, Now now) noexcept {
    ++refusals_;
    send_logout(text, now);
    close(text, now);
}

}  // namespace tickpath::session
