// What a session itself sends: Logon, Heartbeat, TestRequest, ResendRequest, Reject, SequenceReset, Logout.
#include <array>
#include <cstdio>

#include "dataplane/session/fix_session.h"
#include "dataplane/session/reject_reason.h"
#include "decoders/fix/tags.h"

namespace tickpath::session {
namespace tag = fix::tag;
namespace msg_type = fix::msg_type;

bool FixSession::commit_message(Now now) noexcept {
    if (!outbox_.commit()) return false;
    note_sent(now);
    return true;
}

/// A session that cannot say its word has lost its peer: it does not read.
void FixSession::commit(Now now) noexcept {
    if (!commit_message(now)) close("the peer does not read what we send", now);
}

void FixSession::send_logon(bool with_reset, Now now) noexcept {
    has_asked_reset_ = with_reset;
    logon_number_ = numbers_->next_outbound();
    fix::Writer& writer = outbox_.begin(msg_type::logon, now);
    writer.number(tag::encrypt_method, 0);
    writer.number(tag::heart_bt_int, heartbeat_s_);
    if (with_reset) writer.flag(tag::reset_seq_num_flag, true);
    commit(now);
}

void FixSession::send_heartbeat(std::string_view test_req_id, Now now) noexcept {
    fix::Writer& writer = outbox_.begin(msg_type::heartbeat, now);
    if (!test_req_id.empty()) writer.text(tag::test_req_id, test_req_id);
    commit(now);
}

void FixSession::send_test_request(Now now) noexcept {
    outbox_.begin(msg_type::test_request, now).text(tag::test_req_id, settings_.test_request_id);
    commit(now);
}

void FixSession::send_resend_request(Now now) noexcept {
    counters_.gaps.add();
    fix::Writer& writer = outbox_.begin(msg_type::resend_request, now);
    writer.number(tag::begin_seq_no, numbers_->next_inbound());
    writer.number(tag::end_seq_no, 0);
    commit(now);
}

void FixSession::send_gap_fill(std::uint64_t from, std::uint64_t to, Now now) noexcept {
    fix::Writer& writer = outbox_.begin_resend(msg_type::sequence_reset, from, now);
    if (settings_.ascending_fields) writer.number(tag::new_seq_no, to);
    writer.flag(tag::gap_fill_flag, true);
    if (!settings_.ascending_fields) writer.number(tag::new_seq_no, to);
    commit(now);
}

void FixSession::send_reject(const fix::Message& message, std::uint32_t reason, std::string_view ref_tag,
                             Now now) noexcept {
    const std::string_view type = message.msg_type();
    if (type == msg_type::reject || type == msg_type::business_message_reject)
        return;  // never answered by another
    counters_.rejects_out.add();
    const std::string_view text = reject_reason::text(reason);
    fix::Writer& writer = outbox_.begin(msg_type::reject, now, &message);
    writer.text(tag::ref_seq_num, message.text(tag::msg_seq_num).value_or("0"));
    if (settings_.ascending_fields) writer.text(tag::text, text);
    if (!ref_tag.empty()) writer.text(tag::ref_tag_id, ref_tag);
    if (!type.empty()) writer.text(tag::ref_msg_type, type);
    if (settings_.begin_string != "FIX.4.2" || reason <= reject_reason::last_of_fix42)
        writer.number(tag::session_reject_reason, reason);
    if (!settings_.ascending_fields) writer.text(tag::text, text);
    commit(now);
}

/// Once per connection; a second cause finds the handshake under way.
void FixSession::send_logout(std::string_view text, Now now) noexcept {
    if (state_ == State::logout_sent || state_ == State::closing) return;
    fix::Writer& writer = outbox_.begin(msg_type::logout, now);
    if (!text.empty()) writer.text(tag::text, text);
    change_state(State::logout_sent, now);
    note_reason(text);
    commit(now);
}

void FixSession::send_too_low(std::uint64_t number, Now now) noexcept {
    std::array<char, 96> text{};
    const int chars = std::snprintf(
        text.data(), text.size(), "MsgSeqNum too low, expecting %llu but received %llu",
        static_cast<unsigned long long>(numbers_->next_inbound()), static_cast<unsigned long long>(number));
    const std::string_view why(text.data(), static_cast<std::size_t>(chars));
    send_logout(why, now);
    close(why, now);
}

}  // namespace tickpath::session
