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

[[nodiscard]] inline std::uint64_t low_half(__m128i block) noexcept {
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(block));
}
[[nodiscard]] inline std::uint64_t high_half(__m128i block) noexcept {
    return low_half(_mm_unpackhi_epi64(block, block));
}
/// The sums that psadbw leaves: of the low and of the high eight bytes.
[[nodiscard]] inline std::uint32_t low_sum(__m128i sums) noexcept {
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(sums));
}
[[nodiscard]] inline std::uint32_t high_sum(__m128i sums) noexcept {
    return static_cast<std::uint32_t>(_mm_extract_epi16(sums, 4));
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

/// A magnitude as the digits it has beyond eight, and its last eight as a number. Beyond eight is rare for
/// prices and quantities, both ways seldom mix, so it is worth its branch.
struct Magnitude {
    std::uint64_t high_digits = 0;
    std::uint32_t low = 0;
};
[[nodiscard]] inline Magnitude split(std::uint64_t value) noexcept {
    if (value < eight_digit_limit) [[likely]]
        return {.high_digits = 0, .low = static_cast<std::uint32_t>(value)};
    return {.high_digits = detail::eight_digits(static_cast<std::uint32_t>(value / eight_digit_limit)),
            .low = static_cast<std::uint32_t>(value % eight_digit_limit)};
}

[[nodiscard]] constexpr std::uint64_t magnitude_of(std::int64_t value) noexcept {
    return static_cast<std::uint64_t>(value < 0 ? -value : value);
}

/// Shapes sixteen digits and stores them. What the slot adds to the checksum comes from registers everywhere
/// here: reading back bytes just stored in pieces costs five times the whole patch (store forwarding fails).
inline void put_decimal(char* to, __m128i digits, const DecimalShape& shape, bool is_negative) noexcept {
    const __m128i moved =
        _mm_shuffle_epi8(digits, _mm_loadu_si128(reinterpret_cast<const __m128i*>(shape.shuffle.data())));
    const __m128i text =
        _mm_or_si128(moved, _mm_loadu_si128(reinterpret_cast<const __m128i*>(shape.characters.data())));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), text);
    if (is_negative) [[unlikely]]
        *to = '-';
}

[[nodiscard]] inline __m128i sixteen(std::uint64_t high_digits, __m128i low_digits) noexcept {
    return _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<long long>(high_digits)), low_digits);
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

/// What stands behind the point of a second: at most eight digits, and the ninth of a nanosecond time.
struct Fraction {
    std::uint32_t value = 0;
    std::uint32_t ninth = 0;
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
    std::size_t fraction_digits = 0;  ///< of a time, those within eight
    std::size_t symbol_chars = 0;
    std::array<char, symbol_chars_max> symbol{};  ///< the one in the message
    std::uint32_t constant_sum =
        0;  ///< of all bytes outside of slots; digits of numbers and times count from '0'
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
    void keep_second(TimeSlot& slot, std::uint64_t utc_ns) noexcept;
    [[nodiscard]] Fraction fraction_of(const TimeSlot& slot, std::uint64_t utc_ns) const noexcept;
    void put_fraction(TimeSlot& slot, std::uint64_t digits, std::uint32_t ninth) noexcept;
    void put_sequence(std::uint64_t high_digits, std::uint64_t low_digits) noexcept;
    void prepare(const TemplateInstrument& instrument, const OrderPatch& values) noexcept;
    [[nodiscard]] std::uint32_t put_numbers(const TemplateInstrument& instrument,
                                            const OrderPatch& values) noexcept;
    [[nodiscard]] std::uint32_t put_characters(const OrderPatch& values) noexcept;
    [[nodiscard]] std::uint32_t put_id(const OrderPatch& values) noexcept;
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
    layout.fraction_digits = std::min<std::size_t>(static_cast<std::size_t>(identity.time_precision), 8);
    layout.begin = "8=" + identity.begin_string + soh + "9=";
    const auto add_text = [&](const std::string& text) {
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

inline void MessageTemplate::Layout::keep_second(TimeSlot& slot, std::uint64_t utc_ns) noexcept {
    if (utc_ns - slot.second_start_ns >= ns_per_second)
        [[unlikely]]  // a time before it wraps, and starts one too
        start_second(slot, utc_ns);
}

inline Fraction MessageTemplate::Layout::fraction_of(const TimeSlot& slot,
                                                     std::uint64_t utc_ns) const noexcept {
    const auto fraction_ns = static_cast<std::uint32_t>(utc_ns - slot.second_start_ns);
    switch (precision) {
        case TimePrecision::seconds:
            break;
        case TimePrecision::milli:
            return {.value = fraction_ns / 1'000'000};
        case TimePrecision::micro:
            return {.value = fraction_ns / 1'000};
        case TimePrecision::nano:
            return {.value = fraction_ns / 10, .ninth = fraction_ns % 10};
    }
    return {};
}

inline void MessageTemplate::Layout::put_fraction(TimeSlot& slot, std::uint64_t digits,
                                                  std::uint32_t ninth) noexcept {
    char* const to = slot.at + second_chars + 1;
    if (precision == TimePrecision::nano) to[8] = static_cast<char>('0' + ninth);
    store_low_bytes(to, (digits | detail::eight_ascii_zeros) >> (8 * (8 - fraction_digits) % 64),
                    fraction_digits);
}

inline void MessageTemplate::Layout::put_sequence(std::uint64_t high_digits,
                                                  std::uint64_t low_digits) noexcept {
    std::size_t width = number_digits;
    char* to = number;
    if (width > 8) [[unlikely]] {
        store_low_bytes(to, (high_digits | detail::eight_ascii_zeros) >> (8 * (16 - width)), width - 8);
        to += width - 8;
        width = 8;
    }
    store_low_bytes(to, (low_digits | detail::eight_ascii_zeros) >> (8 * (8 - width)), width);
}

std::span<const std::byte> MessageTemplate::patch(const TemplateInstrument& instrument,
                                                  const OrderPatch& values) noexcept {
    assert(fits(values.price, values.quantity));
    Layout& layout = *layout_;
    layout.prepare(instrument, values);
    std::uint32_t sum = layout.constant_sum + instrument.symbol_sum;
    sum += layout.put_numbers(instrument, values);
    sum += layout.put_characters(values);
    sum += layout.put_id(
        values);  // last: the caller has just written it in pieces, and by now those stores are done
    write_checksum(layout.checksum, sum);
    return std::as_bytes(std::span(layout.bytes).first(layout.size_bytes));
}

/// What changes seldom: the layout, the symbol, the second.
inline void MessageTemplate::Layout::prepare(const TemplateInstrument& instrument,
                                             const OrderPatch& values) noexcept {
    if (values.sequence_number < number_begin || values.sequence_number >= number_end ||
        instrument.symbol_chars != symbol_chars) [[unlikely]]
        lay_out(values.sequence_number, instrument.symbol_chars);
    if (!is_same_symbol(symbol, instrument.symbol)) put_symbol(instrument);
    keep_second(sending_time, values.sending_time_ns);
    keep_second(transact_time, values.transact_time_ns);
}

/// MsgSeqNum, both times, OrderQty and Price, their digits made together. Returns what they add to the
/// checksum.
inline std::uint32_t MessageTemplate::Layout::put_numbers(const TemplateInstrument& instrument,
                                                          const OrderPatch& values) noexcept {
    const Magnitude sequence = split(values.sequence_number);
    const Magnitude quantity = split(magnitude_of(values.quantity));
    const Magnitude price_value = split(magnitude_of(values.price));
    const Fraction sending = fraction_of(sending_time, values.sending_time_ns);
    const detail::FourByEight digits =
        detail::four_by_eight_digits(sequence.low, sending.value, quantity.low, price_value.low);
    const __m128i first_sums = _mm_sad_epu8(digits.first, _mm_setzero_si128());
    const __m128i second_sums = _mm_sad_epu8(digits.second, _mm_setzero_si128());
    std::uint32_t sum = low_sum(first_sums) + low_sum(second_sums) + high_sum(second_sums);

    put_sequence(sequence.high_digits, low_half(digits.first));
    put_fraction(sending_time, high_half(digits.first), sending.ninth);
    sum += sending_time.second_sum + transact_time.second_sum + high_sum(first_sums) + sending.ninth;
    if (values.transact_time_ns == values.sending_time_ns) [[likely]] {
        put_fraction(transact_time, high_half(digits.first), sending.ninth);
        sum += high_sum(first_sums) + sending.ninth;
    } else {
        const Fraction transact = fraction_of(transact_time, values.transact_time_ns);
        const std::uint64_t transact_digits = detail::eight_digits(transact.value);
        put_fraction(transact_time, transact_digits, transact.ninth);
        sum += detail::digit_sum(transact_digits) + transact.ninth;
    }

    const DecimalShape& quantity_shape = decimal_shapes[instrument.quantity_places];
    const DecimalShape& price_shape = decimal_shapes[instrument.price_places];
    put_decimal(order_qty, sixteen(quantity.high_digits, digits.second), quantity_shape, false);
    put_decimal(price, sixteen(price_value.high_digits, _mm_unpackhi_epi64(digits.second, digits.second)),
                price_shape, values.price < 0);
    sum += quantity_shape.sum + price_shape.sum;
    if ((sequence.high_digits | quantity.high_digits | price_value.high_digits) != 0) [[unlikely]]
        sum += detail::digit_sum(sequence.high_digits) + detail::digit_sum(quantity.high_digits) +
               detail::digit_sum(price_value.high_digits);
    if (values.price < 0) [[unlikely]]
        sum -= '0' - '-';
    return sum;
}

inline std::uint32_t MessageTemplate::Layout::put_characters(const OrderPatch& values) noexcept {
    // Read before the first is stored: a char may lie anywhere, so the compiler would read the others again.
    const char side_char = values.side, type_char = values.ord_type, time_char = values.time_in_force;
    *side = side_char;
    *ord_type = type_char;
    *time_in_force = time_char;
    return static_cast<std::uint8_t>(side_char) + (static_cast<std::uint8_t>(type_char) & ord_type_mask) +
           (static_cast<std::uint8_t>(time_char) & time_in_force_mask);
}

inline std::uint32_t MessageTemplate::Layout::put_id(const OrderPatch& values) noexcept {
    const __m128i start = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values.cl_ord_id.data()));
    const auto end = load_little<std::uint32_t>(values.cl_ord_id.data() + 16);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(cl_ord_id), start);
    store_little(cl_ord_id + 16, end);
    const __m128i sums =
        _mm_add_epi64(_mm_sad_epu8(start, _mm_setzero_si128()),
                      _mm_sad_epu8(_mm_cvtsi32_si128(static_cast<int>(end)), _mm_setzero_si128()));
    return low_sum(sums) + high_sum(sums);
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
        constant_sum += '.' + static_cast<std::uint32_t>('0' * static_cast<std::size_t>(precision));
    };
    switch (piece.part) {
        case Part::text:
            std::copy(piece.text.begin(), piece.text.end(), at);
            constant_sum += sum_of(piece.text);
            return;
        case Part::sequence_number:
            number = at;
            constant_sum += static_cast<std::uint32_t>('0' * number_digits);
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
