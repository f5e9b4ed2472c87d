#include "dataplane/trade/order_ledger.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "dataplane/trade/order_id.h"
#include "decoders/fix/tags.h"

namespace tickpath::trade {
namespace {

using model::OrderSide;
using model::OrderState;
namespace tag = fix::tag;

constexpr std::int64_t quantity_limit = std::numeric_limits<std::int64_t>::max() / 4;  // sums of two fit

/// A quantity field at the instrument's scale, or `absent` when it is not there; nullopt when it is no
/// quantity.
std::optional<std::int64_t> quantity_of(const fix::Message& message, std::uint32_t field, int places,
                                        std::int64_t absent) noexcept {
    if (!message.has(field)) return absent;
    const std::optional<Decimal> value = message.decimal(field);
    if (!value) return std::nullopt;
    const std::optional<std::int64_t> scaled = at_places(*value, places);
    if (!scaled || *scaled < 0 || *scaled > quantity_limit) return std::nullopt;
    return scaled;
}

/// OrdStatus after which nothing of the order is open: filled, done for day, cancelled, rejected, expired.
bool is_final(char status) noexcept {
    return status == '2' || status == '3' || status == '4' || status == '8' || status == 'C';
}

OrderState open_state(const Order& order) noexcept {
    return order.filled != 0 ? OrderState::part_filled : OrderState::live;
}

}  // namespace

LedgerCounters::LedgerCounters(core::CounterPage& page, std::string_view owner)
    : reports(page.add(owner, "reports")),
      fills(page.add(owner, "fills")),
      orders_rejected(page.add(owner, "orders_rejected")),
      orders_expired(page.add(owner, "orders_expired")),
      reports_duplicate(page.add(owner, "reports_duplicate")),
      reports_unknown(page.add(owner, "reports_unknown")),
      reports_adopted(page.add(owner, "reports_adopted")),
      reports_bad(page.add(owner, "reports_bad")),
      reports_overfilled(page.add(owner, "reports_overfilled")),
      orders_unknown(page.add(owner, "orders_unknown")) {}

OrderLedger::OrderLedger(std::uint32_t open_orders_max, std::span<const model::Instrument> instruments,
                         std::uint32_t first_counter, std::uint32_t rejects_max, KillSwitch& kill,
                         const LedgerCounters& counters)
    : instruments_(instruments.begin(), instruments.end()),
      table_(open_orders_max),
      exposure_(instruments),
      kill_(kill),
      counters_(counters),
      first_counter_(first_counter),
      rejects_max_(rejects_max) {}

void OrderLedger::sent(const model::OrderIntent& intent, std::uint32_t counter,
                       std::uint64_t sequence_number) noexcept {
    table_.slot(counter) = {.sequence_number = sequence_number,
                            .price = intent.price,
                            .quantity = intent.quantity,
                            .open = intent.quantity,
                            .counter = counter,
                            .instrument = intent.instrument,
                            .side = intent.side,
                            .state = OrderState::pending,
                            .is_used = true};
    exposure_.change(intent.instrument, intent.side, intent.quantity, 0, intent.price);
}

void OrderLedger::assumed_filled(const model::OrderIntent& intent) noexcept {
    exposure_.change(intent.instrument, intent.side, 0, intent.quantity, intent.price);
}

void OrderLedger::on_message(const fix::Message& message, bool) noexcept {
    const std::string_view type = message.msg_type();
    if (type == fix::msg_type::execution_report)
        on_report(message);
    else if (type == fix::msg_type::reject || type == fix::msg_type::business_message_reject)
        on_refused_message(message);
}

void OrderLedger::on_report(const fix::Message& message) noexcept {
    counters_.reports.add();
    const std::optional<OrderId> id = decode_order_id(message.text(tag::cl_ord_id).value_or(""));
    if (!id) return counters_.reports_unknown.add();
    Order* order = table_.find(id->counter);
    if (order == nullptr) order = adopt(message, id->counter);
    if (order == nullptr) return counters_.reports_unknown.add();

    Report report;
    if (!is_about(message, *order) || !read(message, *order, report)) return counters_.reports_bad.add();
    const std::uint64_t exec_id = std::hash<std::string_view>{}(message.text(tag::exec_id).value_or(""));
    const bool is_repeated = exec_id == order->last_exec_id && message.has(tag::exec_id);
    const bool is_older = report.filled < order->filled && !report.lowers_fills;
    const bool is_no_news = !order->is_open() && report.filled == order->filled && !report.lowers_fills;
    if (is_repeated || is_older || is_no_news) return counters_.reports_duplicate.add();
    order->last_exec_id = exec_id;
    apply(*order, report);
}

bool OrderLedger::read(const fix::Message& message, const Order& order, Report& report) const noexcept {
    const int places = instruments_[order.instrument].quantity_places;
    const std::optional<char> status = message.character(tag::ord_status);
    const auto filled = quantity_of(message, tag::cum_qty, places, order.filled);
    if (!status || !filled) return false;
    const std::int64_t rest = std::max<std::int64_t>(order.quantity - *filled, 0);
    const auto open = quantity_of(message, tag::leaves_qty, places, rest);
    if (!open || (*filled > order.filled && !is_price_possible(message, order))) return false;
    const char exec_type = message.character(tag::exec_type).value_or(' ');
    report = {.filled = *filled,
              .open = is_final(*status) ? 0 : std::min(*open, rest),
              .status = *status,
              .lowers_fills = exec_type == 'H' || exec_type == 'G'};
    return true;
}

/// A counterparty may leave Symbol and Side out; it may not change them.
bool OrderLedger::is_about(const fix::Message& message, const Order& order) const noexcept {
    const std::string_view symbol = instruments_[order.instrument].symbol();
    const char side = order.side == OrderSide::buy ? '1' : '2';
    return message.text(tag::symbol).value_or(symbol) == symbol &&
           (!message.has(tag::side) || message.character(tag::side) == side);
}

/// LastPx of a fill: within what a price can be at all, and not worse than the order's limit. Better by any
/// amount, and with more decimals than the instrument has, it may be.
bool OrderLedger::is_price_possible(const fix::Message& message, const Order& order) const noexcept {
    if (!message.has(tag::last_px)) return true;
    const std::optional<Decimal> price = message.decimal(tag::last_px);
    if (!price) return false;
    const std::int32_t exponent = -instruments_[order.instrument].price_places;
    constexpr std::int64_t mantissa_max = std::numeric_limits<std::int64_t>::max();
    if (compare_values(*price, {mantissa_max, exponent}) > 0 ||
        compare_values(*price, {-mantissa_max, exponent}) < 0)
        return false;
    const bool is_limit_known = order.sequence_number != 0;  // not that of an adopted order
    const auto beside_limit = compare_values(*price, {order.price, exponent});
    return !is_limit_known || (order.side == OrderSide::buy ? beside_limit <= 0 : beside_limit >= 0);
}

void OrderLedger::apply(Order& order, const Report& report) noexcept {
    const bool was_open = order.is_open();
    const std::int64_t filled = report.filled - order.filled;
    const std::int64_t open =
        was_open ? report.open : 0;  // what is done stays done: a late New opens nothing
    exposure_.change(order.instrument, order.side, open - order.open, filled, order.price);
    order.filled = report.filled;
    order.open = open;
    if (filled > 0) counters_.fills.add();
    if (order.filled > order.quantity) counters_.reports_overfilled.add();
    if (!was_open) return;
    if (is_final(report.status))
        finish(order, report.status);
    else if (report.status != 'A' || order.state != OrderState::pending)  // pending new tells nothing new
        order.state = open_state(order);
}

void OrderLedger::finish(Order& order, char status) noexcept {
    order.state = OrderState::done;
    if (status == '8')
        count_reject();
    else if (status != '2')
        counters_.orders_expired.add();
}

/// Of an order that an earlier run sent and no longer can follow: from now on its reports count. What was
/// filled before this report belongs to the earlier run.
Order* OrderLedger::adopt(const fix::Message& message, std::uint32_t counter) noexcept {
    if (counter >= first_counter_ || !table_.has_room(counter)) return nullptr;
    const std::string_view symbol = message.text(tag::symbol).value_or("");
    const auto instrument = std::find_if(instruments_.begin(), instruments_.end(),
                                         [&](const model::Instrument& of) { return of.symbol() == symbol; });
    const std::optional<char> side = message.character(tag::side);
    if (instrument == instruments_.end() || (side != '1' && side != '2')) return nullptr;
    const auto filled = quantity_of(message, tag::cum_qty, instrument->quantity_places, 0);
    const auto last = quantity_of(message, tag::last_qty, instrument->quantity_places, 0);
    const auto leaves = quantity_of(message, tag::leaves_qty, instrument->quantity_places, 0);
    if (!filled || !last || !leaves || !message.has(tag::ord_status)) return nullptr;
    const Decimal price =
        message.decimal(tag::price).value_or(message.decimal(tag::last_px).value_or(Decimal{}));
    counters_.reports_adopted.add();
    Order& order = table_.slot(counter);
    order = {.price = at_places(price, instrument->price_places).value_or(0),
             .quantity = quantity_of(message, tag::order_qty, instrument->quantity_places, *filled + *leaves)
                             .value_or(*filled + *leaves),
             .filled = std::max<std::int64_t>(*filled - *last, 0),
             .counter = counter,
             .instrument = static_cast<model::InstrumentId>(instrument - instruments_.begin()),
             .side = side == '1' ? OrderSide::buy : OrderSide::sell,
             .state = OrderState::unknown,
             .is_used = true};
    return &order;
}

/// Reject (3) and BusinessMessageReject (j) name the refused message by its number.
void OrderLedger::on_refused_message(const fix::Message& message) noexcept {
    const std::optional<std::uint64_t> number = message.number(tag::ref_seq_num);
    if (!number) return counters_.reports_bad.add();
    Order* refused = nullptr;
    table_.for_each_open([&](Order& order) {
        const bool is_newer = refused == nullptr || order.counter > refused->counter;
        if (order.sequence_number == *number && is_newer)
            refused = &order;  // numbers begin anew after a reset
    });
    if (refused == nullptr) return counters_.reports_unknown.add();
    exposure_.change(refused->instrument, refused->side, -refused->open, 0, refused->price);
    refused->open = 0;
    finish(*refused, '8');
}

void OrderLedger::count_reject() noexcept {
    counters_.orders_rejected.add();
    if (++rejects_ == rejects_max_) kill_.engage(KillReason::rejects);
}

void OrderLedger::on_link_down() noexcept {
    table_.for_each_open([this](Order& order) {
        if (order.state != OrderState::unknown) counters_.orders_unknown.add();
        order.state = OrderState::unknown;
    });
}

}  // namespace tickpath::trade
