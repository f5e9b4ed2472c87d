#include "dataplane/exchange/order_check.h"

#include <array>
#include <optional>

#include "decoders/fix/tags.h"

namespace tickpath::exchange {
namespace tag = fix::tag;

namespace {

constexpr std::uint32_t required_tag_missing = 1;  // 373
constexpr std::uint32_t value_out_of_range = 5;    // 373
constexpr std::uint32_t incorrect_format = 6;      // 373
constexpr std::uint32_t conditional_missing = 5;   // 380
constexpr std::uint32_t unsupported_order = 11;    // 103
constexpr std::uint32_t incorrect_quantity = 13;   // 103
constexpr std::int32_t places_max = 18;

// Required by the NewOrderSingle of FIX 4.4, and OrderQty, without which nothing can be traded.
constexpr std::array<std::uint32_t, 6> required_tags = {tag::cl_ord_id,     tag::symbol,    tag::side,
                                                        tag::transact_time, tag::order_qty, tag::ord_type};

[[nodiscard]] constexpr Verdict reject(std::uint32_t reason, std::uint32_t of) noexcept {
    return {.answer = Answer::reject, .reason = reason, .tag = of, .text = {}};
}
[[nodiscard]] constexpr Verdict refuse(std::uint32_t reason, std::string_view text) noexcept {
    return {.answer = Answer::refuse, .reason = reason, .tag = 0, .text = text};
}

[[nodiscard]] bool is_known(std::optional<char> value, std::string_view known) noexcept {
    return value && known.find(*value) != std::string_view::npos;
}

[[nodiscard]] bool is_amount(const std::optional<Decimal>& value) noexcept {
    return value && value->exponent >= -places_max;
}

}  // namespace

Verdict check_order(const fix::Message& message, Order& order) noexcept {
    for (const std::uint32_t required : required_tags)
        if (!message.has(required)) return reject(required_tag_missing, required);
    order.cl_ord_id = *message.text(tag::cl_ord_id);
    order.symbol = *message.text(tag::symbol);
    if (!is_known(message.character(tag::side), "123456789ABCDEFG"))
        return reject(value_out_of_range, tag::side);
    order.side = *message.character(tag::side);
    if (!message.timestamp(tag::transact_time)) return reject(incorrect_format, tag::transact_time);
    const auto quantity = message.decimal(tag::order_qty);
    if (!is_amount(quantity)) return reject(incorrect_format, tag::order_qty);
    order.quantity = *quantity;
    const auto type = message.character(tag::ord_type);
    if (!is_known(type, "123456789DEGIJKLMP")) return reject(value_out_of_range, tag::ord_type);
    const bool has_price = message.has(tag::price);
    if (*type == '2' && !has_price)
        return {
            .answer = Answer::business_reject, .reason = conditional_missing, .tag = tag::price, .text = {}};
    const auto price = message.decimal(tag::price);
    if (has_price && !is_amount(price)) return reject(incorrect_format, tag::price);
    order.price = price.value_or(Decimal{});
    if (message.has(tag::time_in_force)) {
        if (!is_known(message.character(tag::time_in_force), "01234567"))
            return reject(value_out_of_range, tag::time_in_force);
        order.time_in_force = *message.character(tag::time_in_force);
    }

    if (order.side != '1' && order.side != '2')
        return refuse(unsupported_order, "Side must be 1 (buy) or 2 (sell)");
    if (*type != '2') return refuse(unsupported_order, "OrdType must be 2 (limit)");
    if (order.time_in_force != '0' && order.time_in_force != '3')
        return refuse(unsupported_order, "TimeInForce must be 0 (day) or 3 (immediate or cancel)");
    if (order.quantity.mantissa <= 0) return refuse(incorrect_quantity, "OrderQty must be above 0");
    return {};
}

}  // namespace tickpath::exchange
