// A NewOrderSingle rendered ahead of time: an order costs only its changing fields, patched in place, and a
// checksum made of the slots' sums. Hot: patch, once per order. Cold: loading and construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/diagnostics.h"
#include "decoders/fix/number.h"

namespace tickpath::fix {

/// What may stand in a slot of an order template (`slot="…"` in templates/orders/*.xml).
enum class Slot : std::uint8_t {
    none,           ///< a constant field
    cl_ord_id,      ///< 11: exactly 20 characters
    symbol,         ///< 55
    side,           ///< 54: one character
    transact_time,  ///< 60
    order_qty,      ///< 38: 16 characters, zero padded
    ord_type,       ///< 40: one character
    price,          ///< 44: 16 characters, zero padded
    time_in_force,  ///< 59: one character
};

/// One body field of the order, in wire order.
struct TemplateField {
    std::uint32_t tag = 0;
    Slot slot = Slot::none;
    std::string constant;  ///< the value when `slot` is none
};

/// An order template as its file states it.
struct OrderTemplate {
    std::string msg_type = "D";
    std::vector<TemplateField> fields;
};

/// Reads templates/orders/*.xml. nullopt with every problem in `diagnostics`, each with its line. Cold.
[[nodiscard]] std::optional<OrderTemplate> load_order_template(std::string_view xml,
                                                               std::string_view file_name,
                                                               Diagnostics& diagnostics);
[[nodiscard]] std::optional<OrderTemplate> load_order_template_file(const std::string& path,
                                                                    Diagnostics& diagnostics);
/// The same fields as templates/orders/new_order_single.xml: 11 55 54 60 38 40 44 59.
[[nodiscard]] OrderTemplate default_order_template();

/// What is constant for the session: the header of every order.
struct TemplateIdentity {
    std::string begin_string = "FIX.4.4";
    std::string sender;
    std::string target;
    TimePrecision time_precision = TimePrecision::micro;  ///< of 52 and 60
};

inline constexpr std::size_t symbol_chars_max = 32;
inline constexpr std::size_t template_price_digits_max =
    14;  ///< of |price| and |quantity| as scaled integers
inline constexpr unsigned template_places_max = 14;

/// What is constant for one instrument; make one per instrument at start.
struct TemplateInstrument {
    std::array<char, symbol_chars_max> symbol{};
    std::uint16_t symbol_chars = 0;
    std::uint16_t symbol_sum = 0;  ///< sum of the symbol's bytes
    std::uint8_t price_places = 0;
    std::uint8_t quantity_places = 0;

    /// nullopt when the symbol is empty, longer than symbol_chars_max or holds SOH, or places exceed
    /// template_places_max.
    [[nodiscard]] static std::optional<TemplateInstrument> make(std::string_view symbol, int price_places,
                                                                int quantity_places) noexcept;
};

/// The changing values of one order.
struct OrderPatch {
    std::uint64_t sequence_number = 0;   ///< 34, from FixSession::claim_outbound_number
    std::uint64_t sending_time_ns = 0;   ///< 52, UTC since 1970
    std::uint64_t transact_time_ns = 0;  ///< 60; costs nothing when equal to sending_time_ns
    std::array<char, 20> cl_ord_id{};    ///< 11
    std::int64_t price = 0;              ///< 44, at the instrument's price_places; may be negative
    std::int64_t quantity = 0;           ///< 38, at the instrument's quantity_places; > 0
    char side = '1';                     ///< 54: '1' buy, '2' sell
    char ord_type = '2';                 ///< 40: '2' limit
    char time_in_force = '3';            ///< 59: '0' day, '3' immediate or cancel
};

/// The prepared bytes of one kind of order on one session; owned and used by one core.
///
/// The layout holds for one number of MsgSeqNum digits and one symbol length. When either changes the message
/// is laid out anew (about 100 ns, no allocation): MsgSeqNum and BodyLength therefore never need zero
/// padding, which some peers refuse. A trader of many instruments keeps one MessageTemplate per symbol length
/// to avoid the change.
class MessageTemplate {
public:
    MessageTemplate(const OrderTemplate& order, const TemplateIdentity& identity);
    ~MessageTemplate();
    MessageTemplate(MessageTemplate&&) noexcept;
    MessageTemplate& operator=(MessageTemplate&&) noexcept;

    /// Whether `price` and `quantity` fit their slots: ask before a sequence number is claimed, for a claimed
    /// number must be sent.
    [[nodiscard]] static bool fits(std::int64_t price, std::int64_t quantity) noexcept;

    /// The complete message, 8= to the SOH after 10=, valid until the next call. Requires fits().
    [[nodiscard]] std::span<const std::byte> patch(const TemplateInstrument& instrument,
                                                   const OrderPatch& values) noexcept;

private:
    struct Layout;
    std::unique_ptr<Layout> layout_;
};

}  // namespace tickpath::fix
