#include "dataplane/session/fix_session.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "dataplane/session/reject_reason.h"
#include "decoders/fix/tags.h"

namespace tickpath::session {
namespace tag = fix::tag;
namespace msg_type = fix::msg_type;

namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t ns_per_second = 1'000'000'000;
constexpr std::size_t receive_room_bytes = 16 * 1024;  // behind the longest message

/// A sequence number we can count from: overflow and beyond what the store holds are none.
[[nodiscard]] std::optional<std::uint64_t> sequence_number(const fix::Message& message,
                                                           std::uint32_t field) noexcept {
    const auto number = message.number(field);
    if (!number || *number >= core::DurablePair::value_max) return std::nullopt;
    return number;
}

/// NewSeqNo, when there is enough room behind it.
[[nodiscard]] std::optional<std::uint64_t> new_sequence_number(const fix::Message& message) noexcept {
    const auto number = message.number(tag::new_seq_no);
    if (!number || *number > core::SessionNumbers::reset_max) return std::nullopt;
    return number;
}

/// Infinity in EndSeqNo is 0; up to FIX 4.2 also 999999 (§4.5).
[[nodiscard]] bool is_infinity(std::uint64_t end, std::string_view begin_string) noexcept {
    return end == 0 || (end == 999'999 && begin_string <= "FIX.4.2");
}

}  // namespace

std::string_view name(State state) noexcept {
    switch (state) {
        case State::disconnected:
            return "disconnected";
        case State::logon_sent:
            return "logon sent";
        case State::await_logon:
            return "awaiting logon";
        case State::active:
            return "active";
        case State::recovering:
            return "recovering";
        case State::logout_sent:
            return "logout sent";
        case State::closing:
            return "closing";
    }
    return "disconnected";
}

SessionCounters::SessionCounters(core::CounterPage& page, std::string_view owner)
    : messages_in(page.add(owner, "messages_in")),
      messages_out(page.add(owner, "messages_out")),
      garbled(page.add(owner, "garbled")),
      rejects_in(page.add(owner, "rejects_in")),
      rejects_out(page.add(owner, "rejects_out")),
      duplicates(page.add(owner, "duplicates")),
      gaps(page.add(owner, "gaps")),
      queue_overflows(page.add(owner, "queue_overflows")),
      resends_answered(page.add(owner, "resends_answered")),
      logons(page.add(owner, "logons")),
      logouts_in(page.add(owner, "logouts_in")),
      disconnects(page.add(owner, "disconnects")) {}

FixSession::FixSession(const SessionSettings& settings, core::SessionNumbers& numbers,
                       const SessionCounters& counters)
    : settings_(settings),
      numbers_(&numbers),
      counters_(counters),
      outbox_(settings_, numbers),
      reader_({.message_bytes_max = settings.message_bytes_max, .fields_max = settings.fields_max}),
      queue_reader_(reader_.limits()),
      current_(&reader_),
      input_(settings.message_bytes_max + receive_room_bytes),
      queue_(settings.queue_bytes, settings.queue_messages_max) {}

void FixSession::on_link_up(Now now) noexcept {
    forget_connection();
    reason_chars_ = 0;
    liveness_.start(0, settings_, now.monotonic_ns);
    if (settings_.role == Role::acceptor) return change_state(State::await_logon, now);
    if (settings_.reset_on_logon) numbers_->reset(now.utc_ns);
    heartbeat_s_ = settings_.heartbeat_s;
    change_state(State::logon_sent, now);
    send_logon(settings_.reset_on_logon, now);
}

void FixSession::on_link_down(Now now) noexcept {
    if (state_ == State::disconnected) return;
    counters_.disconnects.add();
    forget_connection();
    change_state(State::disconnected, now);
}

bool FixSession::must_close(Now now, bool is_flushed) const noexcept {
    if (state_ != State::closing) return false;
    return is_flushed ||
           elapsed_ns(state_since_ns_, now.monotonic_ns) >= settings_.logout_timeout_ms * ns_per_ms;
}

void FixSession::on_timer(Now now) noexcept {
    const std::uint64_t in_state_ns = elapsed_ns(state_since_ns_, now.monotonic_ns);
    switch (state_) {
        case State::disconnected:
        case State::closing:
            return;
        case State::logon_sent:
        case State::await_logon:
            if (in_state_ns >= settings_.logon_timeout_ms * ns_per_ms) close("no Logon came in time", now);
            return;
        case State::logout_sent:
            if (in_state_ns >= settings_.logout_timeout_ms * ns_per_ms) close("no answer to our Logout", now);
            return;
        case State::active:
        case State::recovering:
            break;
    }
    switch (liveness_.due(now.monotonic_ns)) {
        case Liveness::Action::none:
            break;
        case Liveness::Action::heartbeat:
            send_heartbeat({}, now);
            break;
        case Liveness::Action::test_request:
            send_test_request(now);
            break;
        case Liveness::Action::give_up:
            return close("the peer is silent", now);
    }
    const std::uint64_t patience_ns =
        std::max(liveness_.interval_ns(), settings_.resend_timeout_ms * ns_per_ms);
    if (!gap_.is_overdue(now.monotonic_ns, patience_ns)) return;
    if (gap_.attempts() >= settings_.resend_attempts_max)
        return send_logout("no answer to our ResendRequest", now);
    gap_.ask_again(numbers_->next_inbound(), now.monotonic_ns);
    send_resend_request(now);
}

std::size_t FixSession::take(std::span<const std::byte> bytes) noexcept {
    if (input_start_ != 0) {
        std::memmove(input_.data(), input_.data() + input_start_, input_end_ - input_start_);
        input_end_ -= input_start_;
        input_start_ = 0;
    }
    const std::size_t taken = std::min(bytes.size(), input_.size() - input_end_);
    std::memcpy(input_.data() + input_end_, bytes.data(), taken);
    input_end_ += taken;
    return taken;
}

/// True: a message is ready for the handler, and `delivered` must follow.
bool FixSession::next(Now now) noexcept {
    for (;;) {
        if (!is_connected()) return false;
        Step step = queue_.empty() ? Step::wait : next_queued(now);
        if (step == Step::wait) step = next_received(now);
        if (step != Step::go_on) return step == Step::deliver;
    }
}

void FixSession::delivered(Now now) noexcept {
    if (state_ == State::disconnected) return;
    expect(numbers_->next_inbound() + 1, now);
}

/// The message that a closing gap has made due, if there is one.
FixSession::Step FixSession::next_queued(Now now) noexcept {
    const std::uint64_t expected = numbers_->next_inbound();
    const OutOfOrderQueue::Entry* entry = queue_.find(expected);
    if (entry == nullptr) return Step::wait;
    if (entry->bytes == 0 || queue_reader_.read(queue_.message(*entry)).scan != fix::Scan::message) {
        expect(expected + 1, now);
        return Step::go_on;
    }
    current_ = &queue_reader_;
    return in_sequence(queue_reader_.message(), expected, now);
}

FixSession::Step FixSession::next_received(Now now) noexcept {
    const fix::ScanResult result =
        reader_.read(std::span<const char>(input_).subspan(input_start_, input_end_ - input_start_));
    input_start_ += result.bytes;
    switch (result.scan) {
        case fix::Scan::message:
            return on_frame(now);
        case fix::Scan::incomplete:
            return Step::wait;
        case fix::Scan::skipped:
            return Step::go_on;
        case fix::Scan::garbled:
            counters_.garbled.add();
            if (state_ == State::await_logon || state_ == State::logon_sent)
                close("the first message is garbled", now);
            return Step::go_on;
        case fix::Scan::overlong:
            close("a message is longer than the limit", now);
            return Step::wait;
    }
    return Step::wait;
}

/// Order of the checks: §4.3.
FixSession::Step FixSession::on_frame(Now now) noexcept {
    const fix::Message& message = reader_.message();
    current_ = &reader_;
    counters_.messages_in.add();
    liveness_.received(now.monotonic_ns);
    if (state_ == State::await_logon || state_ == State::logon_sent) {
        on_first_message(message, now);
        return Step::go_on;
    }
    const auto number = sequence_number(message, tag::msg_seq_num);
    if (!number) {
        send_logout("MsgSeqNum is missing, no number or too large", now);
        close("MsgSeqNum is missing, no number or too large", now);
        return Step::go_on;
    }
    if (message.begin_string() != settings_.begin_string) {
        consume(*number, now);
        send_logout("Incorrect BeginString", now);
        return Step::go_on;
    }
    if (message.msg_type() == msg_type::logon) {
        on_live_logon(message, now);
        return Step::go_on;
    }
    if (!passes_checks(message, *number, now)) return Step::go_on;

    const std::string_view type = message.msg_type();
    const bool is_reset = type == msg_type::sequence_reset && !message.flag(tag::gap_fill_flag);
    if (is_reset) {
        on_reset(message, now);  // whatever its number
    } else if (type == msg_type::logout) {
        on_logout(message, *number, now);  // likewise
    } else if (type == msg_type::resend_request && *number != numbers_->next_inbound()) {
        // Served at once, even ahead of a gap: two sides that both wait for the other's answer wait for ever.
        on_resend_request(message, now);
        if (*number > numbers_->next_inbound()) above_expected(message, *number, now);
    } else if (*number == numbers_->next_inbound()) {
        if (!message.flag(tag::poss_dup_flag)) gap_.answer_ended();
        return in_sequence(message, *number, now);
    } else if (*number > numbers_->next_inbound()) {
        above_expected(message, *number, now);
    } else {
        below_expected(message, *number, now);
    }
    return Step::go_on;
}

/// Structure, CompIDs, SendingTime. What fails is answered here and, when its number was due, counted.
bool FixSession::passes_checks(const fix::Message& message, std::uint64_t number, Now now) noexcept {
    const auto refuse = [&](std::uint32_t reason, std::string_view ref_tag) {
        send_reject(message, reason, ref_tag, now);
        if (message.msg_type() != msg_type::sequence_reset) consume(number, now);
        return false;
    };
    if (const fix::Fault& fault = reader_.fault(); fault.is_present) [[unlikely]]
        return refuse(fault.reason, fault.tag);
    if (settings_.check_comp_ids && !has_our_comp_ids(message)) [[unlikely]] {
        refuse(reject_reason::comp_id_problem, {});
        send_logout({}, now);
        note_reason("CompID problem");
        return false;
    }
    const auto sending_time = message.text(tag::sending_time);
    if (!sending_time) [[unlikely]]
        return refuse(reject_reason::required_tag_missing, "52");
    const auto sending_time_ns = fix::parse_utc_timestamp(*sending_time);
    if (!sending_time_ns) [[unlikely]]
        return refuse(reject_reason::incorrect_format, "52");
    if (!is_latency_fine(*sending_time_ns, now)) [[unlikely]] {
        refuse(reject_reason::sending_time_problem, {});
        send_logout({}, now);
        note_reason("SendingTime accuracy problem");
        return false;
    }
    return true;
}

bool FixSession::is_latency_fine(std::uint64_t sending_time_ns, Now now) const noexcept {
    if (!settings_.check_latency) return true;
    const std::uint64_t apart_ns =
        sending_time_ns > now.utc_ns ? sending_time_ns - now.utc_ns : now.utc_ns - sending_time_ns;
    return apart_ns <= settings_.latency_max_s * ns_per_second;
}

bool FixSession::has_our_comp_ids(const fix::Message& message) const noexcept {
    return message.text(tag::sender_comp_id) == settings_.target &&
           message.text(tag::target_comp_id) == settings_.sender;
}

/// `number` is the expected one.
FixSession::Step FixSession::in_sequence(const fix::Message& message, std::uint64_t number,
                                         Now now) noexcept {
    const std::string_view type = message.msg_type();
    is_poss_dup_ = message.flag(tag::poss_dup_flag);
    if (type == msg_type::sequence_reset) {
        on_gap_fill(message, number, now);
        return Step::go_on;
    }
    if (is_poss_dup_ && !passes_poss_dup_checks(message, now)) {
        consume(number, now);
        return Step::go_on;
    }
    if (type == msg_type::reject) counters_.rejects_in.add();
    if (type == msg_type::reject || !fix::is_admin(type)) return Step::deliver;
    if (type == msg_type::test_request)
        on_test_request(message, now);
    else if (type == msg_type::resend_request)
        on_resend_request(message, now);
    consume(number, now);
    return Step::go_on;
}

/// OrigSendingTime of a message with PossDupFlag (§4.3, 4). False: it was answered.
bool FixSession::passes_poss_dup_checks(const fix::Message& message, Now now) noexcept {
    const auto original_ns = message.timestamp(tag::orig_sending_time);
    if (!message.has(tag::orig_sending_time)) {
        send_reject(message, reject_reason::required_tag_missing, "122", now);
        return false;
    }
    if (!original_ns) {
        send_reject(message, reject_reason::incorrect_format, "122", now);
        return false;
    }
    if (*original_ns > message.timestamp(tag::sending_time).value_or(0)) {
        send_reject(message, reject_reason::sending_time_problem, {}, now);
        send_logout({}, now);
        note_reason("SendingTime accuracy problem");
        return false;
    }
    return true;
}

void FixSession::above_expected(const fix::Message& message, std::uint64_t number, Now now) noexcept {
    gap_.saw(number);
    const bool is_served = message.msg_type() == msg_type::resend_request;
    if (!(is_served ? queue_.add_served(number) : queue_.add(number, message.bytes())))
        counters_.queue_overflows.add();
    if (!gap_.is_open()) ask_for_gap(now);
}

void FixSession::below_expected(const fix::Message& message, std::uint64_t number, Now now) noexcept {
    if (!message.flag(tag::poss_dup_flag)) return send_too_low(number, now);
    if (message.msg_type() == msg_type::sequence_reset) {
        // The answer to our request may cover a number that has already been taken from the queue (§4.5).
        const auto new_number = new_sequence_number(message);
        if (gap_.is_answer(number) && new_number && *new_number > numbers_->next_inbound())
            expect(*new_number, now);
        else
            counters_.duplicates.add();
        return;
    }
    if (passes_poss_dup_checks(message, now)) counters_.duplicates.add();
}

void FixSession::on_test_request(const fix::Message& message, Now now) noexcept {
    const auto id = message.text(tag::test_req_id);
    if (id)
        send_heartbeat(*id, now);
    else
        send_reject(message, reject_reason::required_tag_missing, "112", now);
}

/// Nothing is kept to be sent again: orders must not be repeated, and the rest has no meaning later. So the
/// whole range is filled by one SequenceReset (§4.5).
void FixSession::on_resend_request(const fix::Message& message, Now now) noexcept {
    for (const auto& [field, text] : {std::pair{tag::begin_seq_no, "7"}, std::pair{tag::end_seq_no, "16"}}) {
        if (!message.has(field)) return send_reject(message, reject_reason::required_tag_missing, text, now);
        if (!message.number(field)) return send_reject(message, reject_reason::incorrect_format, text, now);
    }
    const std::uint64_t begin = *message.number(tag::begin_seq_no);
    std::uint64_t end = *message.number(tag::end_seq_no);
    const std::uint64_t last_sent = numbers_->next_outbound() - 1;
    if (is_infinity(end, settings_.begin_string)) end = last_sent;
    if (begin == 0 || begin > last_sent || begin > end)
        return send_reject(message, reject_reason::value_out_of_range, "7", now);
    end = std::min(end, last_sent);

    const bool is_same = begin == last_resend_begin_ && end == last_resend_end_;
    same_resends_ = is_same ? same_resends_ + 1 : 1;
    last_resend_begin_ = begin;
    last_resend_end_ = end;
    if (same_resends_ > settings_.resends_per_range_max)
        return send_logout("the same ResendRequest came too often", now);
    counters_.resends_answered.add();
    send_gap_fill(begin, end + 1, now);
}

/// SequenceReset without GapFillFlag: the peer's word, whatever its own number.
void FixSession::on_reset(const fix::Message& message, Now now) noexcept {
    const auto new_number = new_sequence_number(message);
    if (!message.has(tag::new_seq_no))
        return send_reject(message, reject_reason::required_tag_missing, "36", now);
    if (!new_number || *new_number < numbers_->next_inbound())
        return send_reject(message, reject_reason::value_out_of_range, {}, now);
    expect(*new_number, now);
}

void FixSession::on_gap_fill(const fix::Message& message, std::uint64_t number, Now now) noexcept {
    const auto new_number = new_sequence_number(message);
    if (!message.has(tag::new_seq_no))
        return send_reject(message, reject_reason::required_tag_missing, "36", now);
    if (!new_number || *new_number <= number)
        return send_reject(message, reject_reason::value_out_of_range, {}, now);
    expect(*new_number, now);
}

void FixSession::on_logout(const fix::Message& message, std::uint64_t number, Now now) noexcept {
    counters_.logouts_in.add();
    consume(number, now);
    const std::string_view text = message.text(tag::text).value_or("");
    if (state_ == State::logout_sent) return close(text.empty() ? "logged out" : text, now);
    send_logout({}, now);
    close(text.empty() ? "the peer logged out" : text, now);
}

void FixSession::reject(const fix::Message& message, std::uint32_t reason, std::string_view ref_tag,
                        Now now) noexcept {
    send_reject(message, reason, ref_tag, now);
}

void FixSession::logout(std::string_view text, Now now) noexcept {
    if (is_logged_on()) {
        note_reason(text.empty() ? "we logged out" : text);
        return send_logout(text, now);
    }
    if (state_ != State::disconnected && state_ != State::logout_sent) close(text, now);
}

/// Counts a number that was due; others were dealt with out of sequence.
void FixSession::consume(std::uint64_t number, Now now) noexcept {
    if (number == numbers_->next_inbound()) expect(number + 1, now);
}

void FixSession::expect(std::uint64_t number, Now now) noexcept {
    numbers_->set_next_inbound(number);
    if (!queue_.empty()) queue_.drop_below(number);
    if (gap_.moved_to(number, now.monotonic_ns) && state_ == State::recovering)
        change_state(State::active, now);
    // Behind a closed gap there may be another: messages that found no room in the queue.
    if (gap_.has_lost(number) && !gap_.is_open() && queue_.find(number) == nullptr) ask_for_gap(now);
}

void FixSession::ask_for_gap(Now now) noexcept {
    gap_.ask(numbers_->next_inbound(), now.monotonic_ns);
    if (state_ == State::active) change_state(State::recovering, now);
    send_resend_request(now);
}

/// Both sequences start again at 1 on a connection that stays up.
void FixSession::restart_numbers(Now now) noexcept {
    numbers_->reset(now.utc_ns);
    queue_.clear();
    gap_ = {};
    same_resends_ = 0;
}

void FixSession::close(std::string_view why, Now now) noexcept {
    if (state_ == State::disconnected) return;
    note_reason(why);
    if (state_ != State::closing) change_state(State::closing, now);
}

/// The first reason is the one worth reading.
void FixSession::note_reason(std::string_view text) noexcept {
    if (reason_chars_ != 0 || text.empty()) return;
    reason_chars_ = std::min(text.size(), reason_.size());
    std::memcpy(reason_.data(), text.data(), reason_chars_);
}

void FixSession::change_state(State state, Now now) noexcept {
    state_ = state;
    state_since_ns_ = now.monotonic_ns;
}

/// Nothing received or written on an old connection may reach a new one (§4).
void FixSession::forget_connection() noexcept {
    outbox_.clear();
    input_start_ = input_end_ = 0;
    reader_.reset();
    queue_.clear();
    gap_ = {};
    same_resends_ = 0;
    has_asked_reset_ = false;
    has_answered_reset_ = false;
}

}  // namespace tickpath::session
