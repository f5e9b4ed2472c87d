#include "decoders/fix/message_template.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <tmmintrin.h>

#include "decoders/base/bytes.h"
#include "decoders/fix/checksum.h"
#include "decoders/fix/digits.h"
#include "decoders/fix/tags.h"

namespace tickpath::fix {
namespace {

constexpr std::uint64_t ns_per_second = 1'000'000'000;
constexpr std::uint64_t eight_digit_limit = 100'000'000;
constexpr std::int64_t slot_magnitude_end = 100'000'000'000'000;  // 10^template_price_digits_max
constexpr std::size_t decimal_slot_chars = 16;
constexpr std::size_t cl_ord_id_chars = 20;
constexpr std::size_t second_chars = 17;  // YYYYMMDD-HH:MM:SS

[[nodiscard]] std::uint32_t sum_of(std::string_view bytes) noexcept {
    std::uint32_t sum = 0;
    for (const char byte : bytes)
        sum += static_cast<std::uint8_t>(byte);
    return sum;
}

/// Sum of the sixteen bytes of `block`.
[[nodiscard]] std::uint32_t sum_of(__m128i block) noexcept {
    const __m128i sums = _mm_sad_epu8(block, _mm_setzero_si128());
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4));
}

[[nodiscard]] bool is_same_symbol(const std::array<char, symbol_chars_max>& a,
                                  const std::array<char, symbol_chars_max>& b) noexcept {
    const auto equal = [&](std::size_t at) {
        return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a.data() + at)),
                              _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.data() + at)));
    };
    return _mm_movemask_epi8(_mm_and_si128(equal(0), equal(16))) == 0xFFFF;
}

/// Stores the low `count` (at most 8) bytes of `word` and nothing behind them. `count` is the same for every
/// order of a layout, so the branches are free.
void store_low_bytes(char* to, std::uint64_t word, std::size_t count) noexcept {
    if ((count & 8) != 0) return store_little(to, word);
    if ((count & 4) != 0) {
        store_little(to, static_cast<std::uint32_t>(word));
        to += 4;
        word >>= 32;
    }
    if ((count & 2) != 0) {
        store_little(to, static_cast<std::uint16_t>(word));
        to += 2;
        word >>= 16;
    }
    if ((count & 1) != 0) *to = static_cast<char>(word);
}

/// Writes `value` as exactly `width` (at most 16) digits and returns the sum of the characters.
[[gnu::always_inline]] inline std::uint32_t put_digits(char* to, std::uint64_t value,
                                                       std::size_t width) noexcept {
    std::uint32_t sum = static_cast<std::uint32_t>('0' * width);
    if (width > 8) [[unlikely]] {
        const std::uint64_t high =
            detail::eight_digits(static_cast<std::uint32_t>(value / eight_digit_limit));
        sum += detail::digit_sum(high);
        store_low_bytes(to, (high | detail::eight_ascii_zeros) >> (8 * (16 - width)), width - 8);
        to += width - 8;
        width = 8;
        value %= eight_digit_limit;
    }
    const std::uint64_t digits = detail::eight_digits(static_cast<std::uint32_t>(value));
    store_low_bytes(to, (digits | detail::eight_ascii_zeros) >> (8 * (8 - width)), width);
    return sum + detail::digit_sum(digits);
}

// How sixteen digits become a decimal slot: at p places the point goes before the last p digits and the first
// digit, zero by fits(), makes room for it.
struct DecimalShape {
    std::array<std::uint8_t, decimal_slot_chars> shuffle{};
    std::array<char, decimal_slot_chars> characters{};
    std::uint32_t sum = 0;
};

constexpr auto decimal_shapes = [] {
    std::array<DecimalShape, template_places_max + 1> shapes{};
    for (std::size_t places = 0; places < shapes.size(); ++places) {
        DecimalShape& shape = shapes[places];
        const std::size_t point = places == 0 ? decimal_slot_chars : decimal_slot_chars - 1 - places;
        for (std::size_t i = 0; i < decimal_slot_chars; ++i) {
            const std::size_t digit = i + (places != 0 && i < point ? 1 : 0);
            shape.shuffle[i] =
                static_cast<std::uint8_t>(i == point ? 0x80 : digit);  // 0x80: the shuffle puts zero
            shape.characters[i] = i == point ? '.' : '0';
            shape.sum += static_cast<std::uint8_t>(shape.characters[i]);
        }
    }
    return shapes;
}();

/// Writes a decimal slot and returns the sum of its characters. The sum comes from the registers: reading
/// back bytes just stored in pieces costs five times the whole patch (store forwarding fails).
[[gnu::always_inline]] inline std::uint32_t put_decimal(char* to, std::int64_t value,
                                                        std::size_t places) noexcept {
    const std::uint64_t magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    const std::uint64_t high =
        detail::eight_digits(static_cast<std::uint32_t>(magnitude / eight_digit_limit));
    const std::uint64_t low = detail::eight_digits(static_cast<std::uint32_t>(magnitude % eight_digit_limit));
    const DecimalShape& shape = decimal_shapes[places];
    const __m128i digits = _mm_set_epi64x(static_cast<long long>(low), static_cast<long long>(high));
    const __m128i moved =
        _mm_shuffle_epi8(digits, _mm_loadu_si128(reinterpret_cast<const __m128i*>(shape.shuffle.data())));
    const __m128i text =
        _mm_or_si128(moved, _mm_loadu_si128(reinterpret_cast<const __m128i*>(shape.characters.data())));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), text);
    std::uint32_t sum = shape.sum + detail::digit_sum(high) + detail::digit_sum(low);
    if (value < 0) [[unlikely]] {
        *to = '-';
        sum -= '0' - '-';
    }
    return sum;
}

[[nodiscard]] std::size_t digits_of(std::uint64_t value) noexcept {
    std::size_t digits = 1;
    for (; value >= 10; value /= 10)
        ++digits;
    return digits;
}

/// What the recipe holds besides the slots of the file.
enum class Part : std::uint8_t { text, sequence_number, sending_time, slot };

struct Piece {
    Part part = Part::text;
    Slot slot = Slot::none;
    std::string text;
};

/// The digits behind the point of a second: at most eight in one word, and the ninth of a nanosecond time.
struct Fraction {
    std::uint64_t word = 0;
    char last = 0;
    std::uint32_t sum = 0;  ///< of the characters
};

/// A time in the message; the text of its second stays until the second is over.
struct TimeSlot {
    char* at = nullptr;
    std::uint64_t second_start_ns = ~std::uint64_t{0};
    std::uint32_t second_sum = 0;
};

}  // namespace

// Hot members first. Everything points into `bytes`, whose memory is taken once.
struct MessageTemplate::Layout {
    std::uint64_t number_begin = 1;  ///< sequence numbers of this layout: as many digits as it has room for
    std::uint64_t number_end = 0;    ///< begin > end: nothing is laid out yet
    std::size_t number_digits = 0;
    std::size_t symbol_chars = 0;
    std::array<char, symbol_chars_max> symbol{};  ///< the one in the message
    std::uint32_t constant_sum = 0;               ///< of all bytes outside of slots
    TimePrecision precision = TimePrecision::micro;
    char* number = nullptr;
    char* cl_ord_id = nullptr;
    char* symbol_at = nullptr;
    char* side = nullptr;
    char* order_qty = nullptr;
    char* price = nullptr;
    char* ord_type = nullptr;       ///< `unused` when the template has a constant there
    char* time_in_force = nullptr;  ///< likewise
    char* checksum = nullptr;
    TimeSlot sending_time;
    TimeSlot transact_time;
    std::uint32_t ord_type_mask =
        0;  ///< what counts of the character: all bits, or none when it is a constant
    std::uint32_t time_in_force_mask = 0;
    char unused = 0;
    std::size_t size_bytes = 0;
    std::vector<char> bytes;

    std::string begin;  ///< "8=FIX.4.4|9="
    std::vector<Piece> pieces;

    [[nodiscard]] std::size_t chars_of(const Piece& piece) const noexcept;
    void place(const Piece& piece, char* at) noexcept;
    [[gnu::cold, gnu::noinline]] void lay_out(std::uint64_t sequence_number,
                                              std::size_t new_symbol_chars) noexcept;
    [[gnu::cold, gnu::noinline]] void put_symbol(const TemplateInstrument& instrument) noexcept;
    [[nodiscard]] std::uint32_t put_times(std::uint64_t sending_ns, std::uint64_t transact_ns) noexcept;
    [[nodiscard]] Fraction fraction_of(std::uint32_t fraction_ns) const noexcept;
    void put_fraction(TimeSlot& slot, const Fraction& fraction) noexcept;
    [[gnu::cold, gnu::noinline]] void start_second(TimeSlot& slot, std::uint64_t utc_ns) noexcept;
};

std::optional<TemplateInstrument> TemplateInstrument::make(std::string_view symbol, int price_places,
                                                           int quantity_places) noexcept {
    const auto has_shape = [](int places) { return places >= 0 && places <= int{template_places_max}; };
    if (symbol.empty() || symbol.size() > symbol_chars_max || symbol.find(soh) != std::string_view::npos ||
        !has_shape(price_places) || !has_shape(quantity_places))
        return std::nullopt;
    TemplateInstrument instrument;
    std::copy(symbol.begin(), symbol.end(), instrument.symbol.begin());
    instrument.symbol_chars = static_cast<std::uint16_t>(symbol.size());
    instrument.symbol_sum = static_cast<std::uint16_t>(sum_of(symbol));
    instrument.price_places = static_cast<std::uint8_t>(price_places);
    instrument.quantity_places = static_cast<std::uint8_t>(quantity_places);
    return instrument;
}

MessageTemplate::MessageTemplate(const OrderTemplate& order, const TemplateIdentity& identity)
    : layout_(std::make_unique<Layout>()) {
    Layout& layout = *layout_;
    layout.precision = identity.time_precision;
    layout.begin = "8=" + identity.begin_string + soh + "9=";
    const auto add_text = [&](std::string text) {
        if (layout.pieces.empty() || layout.pieces.back().part != Part::text) layout.pieces.emplace_back();
        layout.pieces.back().text += text;
    };
    const auto add_slot = [&](std::uint32_t tag, Part part, Slot slot) {
        add_text(std::to_string(tag) + '=');
        layout.pieces.push_back({part, slot, {}});
        add_text(std::string(1, soh));
    };
    add_text("35=" + order.msg_type + soh);
    add_slot(tag::msg_seq_num, Part::sequence_number, Slot::none);
    add_text("49=" + identity.sender + soh);
    add_slot(tag::sending_time, Part::sending_time, Slot::none);
    add_text("56=" + identity.target + soh);
    for (const TemplateField& field : order.fields) {
        if (field.slot == Slot::none)
            add_text(std::to_string(field.tag) + '=' + field.constant + soh);
        else
            add_slot(field.tag, Part::slot, field.slot);
    }

    layout.ord_type = layout.time_in_force = &layout.unused;
    layout.number_digits = number_chars_max;
    layout.symbol_chars = symbol_chars_max;
    std::size_t bytes_max = layout.begin.size() + number_chars_max + 1 + 3 + checksum_chars;
    for (const Piece& piece : layout.pieces)
        bytes_max += layout.chars_of(piece);
    layout.bytes.resize(bytes_max);
}

MessageTemplate::~MessageTemplate() = default;
MessageTemplate::MessageTemplate(MessageTemplate&&) noexcept = default;
MessageTemplate& MessageTemplate::operator=(MessageTemplate&&) noexcept = default;

bool MessageTemplate::fits(std::int64_t price, std::int64_t quantity) noexcept {
    return price < slot_magnitude_end && price > -slot_magnitude_end && quantity > 0 &&
           quantity < slot_magnitude_end;
}

/// Writes both times; the digits of the fraction are made once when they are the same instant, the usual
/// case.
inline std::uint32_t MessageTemplate::Layout::put_times(std::uint64_t sending_ns,
                                                        std::uint64_t transact_ns) noexcept {
    // A time before the second wraps the difference, so it starts a second too.
    if (sending_ns - sending_time.second_start_ns >= ns_per_second) [[unlikely]]
        start_second(sending_time, sending_ns);
    if (transact_ns - transact_time.second_start_ns >= ns_per_second) [[unlikely]]
        start_second(transact_time, transact_ns);
    const std::uint32_t sum = sending_time.second_sum + transact_time.second_sum;
    if (precision == TimePrecision::seconds) return sum;

    const Fraction sending =
        fraction_of(static_cast<std::uint32_t>(sending_ns - sending_time.second_start_ns));
    Fraction transact = sending;
    if (transact_ns != sending_ns)
        transact = fraction_of(static_cast<std::uint32_t>(transact_ns - transact_time.second_start_ns));
    put_fraction(sending_time, sending);
    put_fraction(transact_time, transact);
    return sum + sending.sum + transact.sum;
}

inline Fraction MessageTemplate::Layout::fraction_of(std::uint32_t fraction_ns) const noexcept {
    std::uint32_t value = fraction_ns / 1'000;
    std::uint32_t last = 0;
    std::size_t width = 6;
    if (precision == TimePrecision::milli) {
        value = fraction_ns / 1'000'000;
        width = 3;
    } else if (precision == TimePrecision::nano) {
        value = fraction_ns / 10;
        last = '0' + fraction_ns % 10;
        width = 8;
    }
    const std::uint64_t digits = detail::eight_digits(value);
    return {.word = (digits | detail::eight_ascii_zeros) >> (8 * (8 - width)),
            .last = static_cast<char>(last),
            .sum = detail::digit_sum(digits) + static_cast<std::uint32_t>('0' * width) + last};
}

inline void MessageTemplate::Layout::put_fraction(TimeSlot& slot, const Fraction& fraction) noexcept {
    char* const to = slot.at + second_chars + 1;
    if (precision == TimePrecision::nano) to[8] = fraction.last;
    store_low_bytes(to, fraction.word,
                    precision == TimePrecision::nano ? 8 : static_cast<std::size_t>(precision));
}

std::span<const std::byte> MessageTemplate::patch(const TemplateInstrument& instrument,
                                                  const OrderPatch& values) noexcept {
    assert(fits(values.price, values.quantity));
    Layout& layout = *layout_;
    const std::uint64_t number = values.sequence_number;
    if (number < layout.number_begin || number >= layout.number_end ||
        instrument.symbol_chars != layout.symbol_chars) [[unlikely]]
        layout.lay_out(number, instrument.symbol_chars);
    if (!is_same_symbol(layout.symbol, instrument.symbol)) layout.put_symbol(instrument);

    std::uint32_t sum = layout.constant_sum + instrument.symbol_sum;
    sum += put_digits(layout.number, number, layout.number_digits);
    sum += layout.put_times(values.sending_time_ns, values.transact_time_ns);
    sum += put_decimal(layout.order_qty, values.quantity, instrument.quantity_places);
    sum += put_decimal(layout.price, values.price, instrument.price_places);

    *layout.side = values.side;
    *layout.ord_type = values.ord_type;
    *layout.time_in_force = values.time_in_force;
    sum += static_cast<std::uint8_t>(values.side) +
           (static_cast<std::uint8_t>(values.ord_type) & layout.ord_type_mask) +
           (static_cast<std::uint8_t>(values.time_in_force) & layout.time_in_force_mask);

    // Last: the caller has just written it in pieces, and by now those stores are done.
    const __m128i id = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values.cl_ord_id.data()));
    const auto id_end = load_little<std::uint32_t>(values.cl_ord_id.data() + 16);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(layout.cl_ord_id), id);
    store_little(layout.cl_ord_id + 16, id_end);
    sum += sum_of(id) + sum_of(_mm_cvtsi32_si128(static_cast<int>(id_end)));

    write_checksum(layout.checksum, sum);
    return std::as_bytes(std::span(layout.bytes).first(layout.size_bytes));
}

/// Once a second.
void MessageTemplate::Layout::start_second(TimeSlot& slot, std::uint64_t utc_ns) noexcept {
    slot.second_start_ns = utc_ns - utc_ns % ns_per_second;
    TimestampWriter(TimePrecision::seconds).write(slot.at, utc_ns);
    slot.second_sum = sum_of({slot.at, second_chars});
}

void MessageTemplate::Layout::put_symbol(const TemplateInstrument& instrument) noexcept {
    symbol = instrument.symbol;
    std::memcpy(symbol_at, symbol.data(), symbol_chars);
}

std::size_t MessageTemplate::Layout::chars_of(const Piece& piece) const noexcept {
    switch (piece.part) {
        case Part::text:
            return piece.text.size();
        case Part::sequence_number:
            return number_digits;
        case Part::sending_time:
            return timestamp_chars(precision);
        case Part::slot:
            break;
    }
    switch (piece.slot) {
        case Slot::none:
            return 0;
        case Slot::cl_ord_id:
            return cl_ord_id_chars;
        case Slot::symbol:
            return symbol_chars;
        case Slot::transact_time:
            return timestamp_chars(precision);
        case Slot::order_qty:
        case Slot::price:
            return decimal_slot_chars;
        case Slot::side:
        case Slot::ord_type:
        case Slot::time_in_force:
            return 1;
    }
    return 0;
}

/// Renders the message anew for this many sequence digits and symbol characters; slots stay to be patched.
void MessageTemplate::Layout::lay_out(std::uint64_t sequence_number, std::size_t new_symbol_chars) noexcept {
    number_digits = digits_of(sequence_number);
    number_begin = 1;
    for (std::size_t i = 1; i < number_digits; ++i)
        number_begin *= 10;
    number_end = number_begin * 10;
    symbol_chars = new_symbol_chars;
    symbol = {};

    std::size_t body_chars = 0;
    for (const Piece& piece : pieces)
        body_chars += chars_of(piece);
    char* at = std::copy(begin.begin(), begin.end(), bytes.data());
    at = write_padded(at, body_chars, digits_of(body_chars));
    *at++ = soh;
    constant_sum = sum_of({bytes.data(), static_cast<std::size_t>(at - bytes.data())});
    for (const Piece& piece : pieces) {
        place(piece, at);
        at += chars_of(piece);
    }
    at = std::copy_n("10=", 3, at);
    checksum = at;
    size_bytes = static_cast<std::size_t>(at + checksum_chars - bytes.data());
}

void MessageTemplate::Layout::place(const Piece& piece, char* at) noexcept {
    const auto place_time = [&](TimeSlot& slot) {
        slot = {.at = at};
        if (precision == TimePrecision::seconds) return;
        at[second_chars] = '.';
        constant_sum += '.';
    };
    switch (piece.part) {
        case Part::text:
            std::copy(piece.text.begin(), piece.text.end(), at);
            constant_sum += sum_of(piece.text);
            return;
        case Part::sequence_number:
            number = at;
            return;
        case Part::sending_time:
            return place_time(sending_time);
        case Part::slot:
            break;
    }
    switch (piece.slot) {
        case Slot::none:
            return;
        case Slot::cl_ord_id:
            cl_ord_id = at;
            return;
        case Slot::symbol:
            symbol_at = at;
            return;
        case Slot::side:
            side = at;
            return;
        case Slot::transact_time:
            return place_time(transact_time);
        case Slot::order_qty:
            order_qty = at;
            return;
        case Slot::price:
            price = at;
            return;
        case Slot::ord_type:
            ord_type = at;
            ord_type_mask = 0xFF;
            return;
        case Slot::time_in_force:
            time_in_force = at;
            time_in_force_mask = 0xFF;
            return;
    }
}

}  // namespace tickpath::fix
