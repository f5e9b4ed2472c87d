// ClOrdID: names the frame, message and entry that caused an order, and counts orders over restarts. Hot:
// encode, once per order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/model/order.h"

namespace tickpath::trade {

inline constexpr std::uint32_t order_counter_bits = 30;  ///< six base-32 digits
inline constexpr std::uint32_t order_counter_max = (1u << order_counter_bits) - 1;

/// What a ClOrdID says. Indices above 255 appear as 255: the entry is then one of the last.
struct OrderId {
    std::uint8_t line = 0;
    std::uint32_t packet_sequence = 0;
    std::uint8_t message_index = 0;
    std::uint8_t entry_index = 0;
    std::uint32_t counter = 0;  ///< unique over all runs of a session; at most order_counter_max

    friend constexpr bool operator==(const OrderId&, const OrderId&) noexcept = default;
};

namespace detail {

inline constexpr std::string_view order_id_digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";  // RFC 4648 base32hex

template <unsigned bits>
constexpr char* write_digits(char* to, std::uint32_t value, unsigned count) noexcept {
    constexpr std::uint32_t mask = (1u << bits) - 1;
    for (unsigned i = count; i-- > 0; value >>= bits)
        to[i] = order_id_digits[value & mask];
    return to + count;
}

template <unsigned bits>
constexpr std::optional<std::uint32_t> read_digits(std::string_view text) noexcept {
    std::uint32_t value = 0;
    for (const char c : text) {
        const std::size_t digit = order_id_digits.find(c);
        if (digit >= (std::size_t{1} << bits)) return std::nullopt;  // npos among them
        value = (value << bits) | static_cast<std::uint32_t>(digit);
    }
    return value;
}

}  // namespace detail

/// 2 hex line, 8 hex packet sequence, 2 hex message index, 2 hex entry index, 6 base-32 counter.
[[nodiscard]] constexpr model::ClOrdId encode(const OrderId& id) noexcept {
    model::ClOrdId text{};
    char* to = text.data();
    to = detail::write_digits<4>(to, id.line, 2);
    to = detail::write_digits<4>(to, id.packet_sequence, 8);
    to = detail::write_digits<4>(to, id.message_index, 2);
    to = detail::write_digits<4>(to, id.entry_index, 2);
    detail::write_digits<5>(to, id.counter, 6);
    return text;
}

/// nullopt for anything that encode does not write: another length, small letters, other digits.
[[nodiscard]] constexpr std::optional<OrderId> decode_order_id(std::string_view text) noexcept {
    if (text.size() != model::cl_ord_id_chars) return std::nullopt;
    const auto line = detail::read_digits<4>(text.substr(0, 2));
    const auto sequence = detail::read_digits<4>(text.substr(2, 8));
    const auto message = detail::read_digits<4>(text.substr(10, 2));
    const auto entry = detail::read_digits<4>(text.substr(12, 2));
    const auto counter = detail::read_digits<5>(text.substr(14, 6));
    if (!line || !sequence || !message || !entry || !counter) return std::nullopt;
    return OrderId{static_cast<std::uint8_t>(*line), *sequence, static_cast<std::uint8_t>(*message),
                   static_cast<std::uint8_t>(*entry), *counter};
}

static_assert(decode_order_id("01000756070203000001") == OrderId{1, 0x75607, 2, 3, 1});

}  // namespace tickpath::trade
