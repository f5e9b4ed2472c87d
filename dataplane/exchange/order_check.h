// Judges a NewOrderSingle before anything is done with it: every way it can be wrong, and how that is said.
#pragma once

#include <cstdint>
#include <string_view>

#include "decoders/base/decimal.h"
#include "decoders/fix/message.h"

namespace tickpath::exchange {

/// What the exchange needs of an order; texts are views on the message.
struct Order {
    std::string_view cl_ord_id;
    std::string_view symbol;
    char side = '1';
    char time_in_force = '0';
    Decimal quantity;
    Decimal price;
};

/// How a refusal is answered.
enum class Answer : std::uint8_t {
    accept,
    reject,           ///< Reject (3): a field is missing or not of its type
    business_reject,  ///< BusinessMessageReject (j): a field is missing because of another one
    refuse,           ///< ExecutionReport Rejected: well-formed, but no order we take
};

struct Verdict {
    Answer answer = Answer::accept;
    std::uint32_t reason = 0;  ///< 373, 380 or 103
    std::uint32_t tag = 0;     ///< the field to blame, 0 for none
    std::string_view text;     ///< 58 of a refusal
};

/// Fills `order` as far as the message allows. spec/fix-session.md §3: a missing field is 373=1, a wrong type
/// 6, an unknown value 5; the first in the order of the message definition is named.
[[nodiscard]] Verdict check_order(const fix::Message& message, Order& order) noexcept;

}  // namespace tickpath::exchange
