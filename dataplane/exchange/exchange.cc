#include "dataplane/exchange/exchange.h"

#include <array>
#include <utility>

#include "decoders/fix/tags.h"

namespace tickpath::exchange {
namespace tag = fix::tag;
namespace msg_type = fix::msg_type;

namespace {

constexpr std::uint32_t unsupported_message_type = 3;  // 380
constexpr std::uint32_t duplicate_order = 6;           // 103
constexpr std::string_view conditional_text = "Conditionally Required Field Missing (";
constexpr std::uint32_t output_bytes = 512 * 1024;  // a full receive buffer of orders and all their reports

/// An amount as the order wrote it, without the zeros that pad a slot.
void write_amount(fix::Writer& writer, std::uint32_t field, Decimal amount) noexcept {
    writer.decimal(field, amount.mantissa, static_cast<unsigned>(-amount.exponent));
}

/// A letter and a number: identifiers that a person can read back. The number goes on over restarts.
struct Identifier {
    Identifier(char kind, std::uint64_t number) noexcept {
        text[0] = kind;
        end = fix::write_unsigned(text.data() + 1, number);
    }
    [[nodiscard]] std::string_view view() const noexcept {
        return {text.data(), static_cast<std::size_t>(end - text.data())};
    }
    std::array<char, 1 + fix::number_chars_max> text{};
    char* end;
};

}  // namespace

ClientCounts& ClientCounts::operator+=(const ClientCounts& other) noexcept {
    logons += other.logons;
    orders += other.orders;
    fills += other.fills;
    cancels += other.cancels;
    refused += other.refused;
    rejects += other.rejects;
    reports_lost += other.reports_lost;
    return *this;
}

std::unique_ptr<Exchange> Exchange::open(const ExchangeSettings& settings, core::CounterPage& counters,
                                         Talk talk, std::vector<std::string>& error_texts) {
    std::unique_ptr<Exchange> exchange(new Exchange(settings, std::move(talk)));
    fix_engine::EngineSettings engine;
    engine.listen = settings.listen;
    engine.store_directory = settings.store_directory;
    for (const ExchangeClient& client : settings.clients) {
        session::SessionSettings session;
        session.role = session::Role::acceptor;
        session.sender = client.sender;
        session.target = client.target;
        session.output_bytes = output_bytes;
        engine.sessions.push_back(std::move(session));
    }
    exchange->engine_ = fix_engine::FixEngine::open(engine, *exchange, counters, error_texts);
    return exchange->engine_ ? std::move(exchange) : nullptr;
}

Exchange::Exchange(const ExchangeSettings& settings, Talk talk)
    : fill_every_(settings.fill_every), talk_(std::move(talk)) {
    clients_.reserve(settings.clients.size());
    for (const ExchangeClient& client : settings.clients)
        clients_.push_back({.name = client.target, .counts = {}, .ids = RecentIds(settings.remembered_ids)});
}

ClientCounts Exchange::total() const noexcept {
    ClientCounts sum;
    for (const Client& client : clients_)
        sum += client.counts;
    return sum;
}

void Exchange::on_logon(std::size_t session) noexcept {
    ++clients_[session].counts.logons;
    talk_(clients_[session].name + " logged on");
}

void Exchange::on_logout(std::size_t session, std::string_view reason) noexcept {
    talk_(clients_[session].name + " is down: " + std::string(reason));
}

void Exchange::on_message(std::size_t session, const fix::Message& message, bool poss_dup) noexcept {
    const std::string_view type = message.msg_type();
    if (type == msg_type::new_order_single) return on_order(session, message, poss_dup);
    if (type == msg_type::reject || type == msg_type::business_message_reject)
        return talk_(clients_[session].name +
                     " rejects: " + std::string(message.text(tag::text).value_or("")));
    business_reject(session, message, unsupported_message_type, "Unsupported Message Type");
}

void Exchange::on_order(std::size_t session, const fix::Message& message, bool poss_dup) noexcept {
    Client& client = clients_[session];
    Order order;
    Verdict verdict = check_order(message, order);
    if (verdict.answer == Answer::accept && !client.ids.add(order.cl_ord_id)) {
        if (poss_dup) return;  // sent again by the session: it has been answered
        verdict = {
            .answer = Answer::refuse, .reason = duplicate_order, .tag = 0, .text = "ClOrdID was used before"};
    }
    if (verdict.answer != Answer::accept) return answer(session, message, order, verdict);

    ++client.counts.orders;
    ++accepted_;
    const std::uint64_t order_number = engine_->numbers(session).claim_order_counter();
    report(session, order, {.exec_type = '0', .ord_status = '0', .order_number = order_number});
    if (fill_every_ != 0 && accepted_ % fill_every_ == 0) {
        ++client.counts.fills;
        report(session, order,
               {.exec_type = 'F',
                .ord_status = '2',
                .order_number = order_number,
                .is_fill = true,
                .is_over = true});
    } else if (order.time_in_force == '3') {
        ++client.counts.cancels;
        report(session, order,
               {.exec_type = '4', .ord_status = '4', .order_number = order_number, .is_over = true});
    }
}

void Exchange::answer(std::size_t session, const fix::Message& message, const Order& order,
                      const Verdict& verdict) noexcept {
    std::array<char, fix::number_chars_max> digits{};
    const std::string_view tag_text(
        digits.data(),
        static_cast<std::size_t>(fix::write_unsigned(digits.data(), verdict.tag) - digits.data()));
    switch (verdict.answer) {
        case Answer::accept:
            return;
        case Answer::reject:
            ++clients_[session].counts.rejects;
            return engine_->session(session).reject(message, verdict.reason, tag_text, engine_->now());
        case Answer::business_reject: {
            std::array<char, 64> text{};
            char* at = text.data() + conditional_text.copy(text.data(), conditional_text.size());
            at += tag_text.copy(at, tag_text.size());
            *at++ = ')';
            return business_reject(session, message, verdict.reason,
                                   {text.data(), static_cast<std::size_t>(at - text.data())});
        }
        case Answer::refuse:
            ++clients_[session].counts.refused;
            return report(session, order,
                          {.exec_type = '8', .ord_status = '8', .is_over = true, .refusal = verdict});
    }
}

void Exchange::business_reject(std::size_t session, const fix::Message& message, std::uint32_t reason,
                               std::string_view text) noexcept {
    ++clients_[session].counts.rejects;
    fix::Writer& writer =
        engine_->session(session).begin_message(msg_type::business_message_reject, engine_->now(), &message);
    writer.text(tag::ref_seq_num, message.text(tag::msg_seq_num).value_or("0"));
    writer.text(tag::ref_msg_type, message.msg_type());
    if (const auto id = message.text(tag::cl_ord_id)) writer.text(tag::business_reject_ref_id, *id);
    writer.number(tag::business_reject_reason, reason);
    writer.text(tag::text, text);
    commit(session);
}

/// Field order of the ExecutionReport of FIX 4.4.
void Exchange::report(std::size_t session, const Order& order, const Event& event) noexcept {
    session::FixSession& to = engine_->session(session);
    const bool is_refused = event.refusal.answer == Answer::refuse;
    fix::Writer& writer = to.begin_message(msg_type::execution_report, engine_->now());
    writer.text(tag::order_id, is_refused ? "NONE" : Identifier('O', event.order_number).view());
    writer.text(tag::cl_ord_id, order.cl_ord_id);
    writer.text(tag::exec_id, Identifier('E', engine_->numbers(session).claim_order_counter()).view());
    writer.character(tag::exec_type, event.exec_type);
    writer.character(tag::ord_status, event.ord_status);
    if (is_refused) writer.number(tag::ord_rej_reason, event.refusal.reason);
    writer.text(tag::symbol, order.symbol);
    writer.character(tag::side, order.side);
    write_amount(writer, tag::order_qty, order.quantity);
    writer.character(tag::ord_type, '2');
    write_amount(writer, tag::price, order.price);
    writer.character(tag::time_in_force, order.time_in_force);
    const Decimal nothing;
    if (event.is_fill) {
        write_amount(writer, tag::last_qty, order.quantity);
        write_amount(writer, tag::last_px, order.price);
    }
    write_amount(writer, tag::leaves_qty, event.is_over ? nothing : order.quantity);
    write_amount(writer, tag::cum_qty, event.is_fill ? order.quantity : nothing);
    write_amount(writer, tag::avg_px, event.is_fill ? order.price : nothing);
    writer.timestamp(tag::transact_time, to.timestamps(), engine_->now().utc_ns);
    if (is_refused) writer.text(tag::text, event.refusal.text);
    commit(session);
}

/// A client whose reports find no room does not read; it would act on half of what happened.
void Exchange::commit(std::size_t session) noexcept {
    session::FixSession& to = engine_->session(session);
    if (to.commit_message(engine_->now())) return;
    ++clients_[session].counts.reports_lost;
    to.logout("reports are not read", engine_->now());
}

}  // namespace tickpath::exchange
