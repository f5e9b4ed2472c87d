// The wire forms that are too long or too odd for the inlined reads of cursor.h, with every check of §10.6.
#include "decoders/fast/cursor.h"

namespace tickpath::fast {
namespace {

constexpr unsigned groups_max = 10;  // 70 bits hold every legal integer, the 65-bit ones included

struct Entity {
    Int128 value = 0;
    const std::uint8_t* next = nullptr;
    bool ok = false;
};

[[nodiscard]] bool stops_at(const std::uint8_t* p) noexcept {
    return (*p & stop_bit) != 0;
}

// Groups up to the stop bit, at most `most`; 0 when there are more. Sentinels bound the search.
[[nodiscard]] std::uint32_t group_count(const std::uint8_t* at, std::uint32_t most) noexcept {
    for (std::uint32_t count = 1; count <= most; ++count)
        if (stops_at(at + count - 1)) return count;
    return 0;
}

// §10.6.1 overlong: dropping the first group would not change the value.
[[nodiscard]] bool is_padding_group(std::uint8_t group, std::uint8_t following, bool is_signed) noexcept {
    if (!is_signed) return (group & 0x7F) == 0;
    const bool negative = (following & 0x40) != 0;
    return (group & 0x7F) == (negative ? 0x7F : 0);
}

// Value of at most ten significant groups; longer entities only when what is longer is padding (R6).
[[nodiscard]] Entity read_entity(const std::uint8_t* at, bool is_signed, Input& input) noexcept {
    const std::uint32_t count = group_count(at, input.entity_bytes_max);
    if (count == 0) return input.fail(Errc::limit, at), Entity{};
    const std::uint8_t* const next = at + count;
    const std::uint32_t surplus = count > groups_max ? count - groups_max : 0;
    for (std::uint32_t i = 0; i < surplus; ++i)
        if (input.strict || !is_padding_group(at[i], at[i + 1], is_signed))
            return input.fail(Errc::d2, next), Entity{};
    if (count > 1 && is_padding_group(at[0], at[1], is_signed) && !input.report(Report::r6, next)) return {};

    const std::uint8_t* group = at + surplus;
    Int128 value = is_signed && (*group & 0x40) != 0 ? -1 : 0;
    for (; group != next; ++group)
        value = value * 128 + (*group & 0x7F);
    return {value, next, true};
}

// Takes the bias off; true when the value is NULL.
[[nodiscard]] bool remove_bias(Int128& value) noexcept {
    if (value == 0) return true;
    if (value > 0) --value;
    return false;
}

template <class T>
[[nodiscard]] bool fits(Int128 value) noexcept {
    return value >= std::numeric_limits<T>::min() && value <= Int128{std::numeric_limits<T>::max()};
}

}  // namespace

bool Input::fail(Errc what, const std::uint8_t* consumed_to) noexcept {
    if (error == Errc::ok) error = consumed_to > end ? Errc::truncated : what;
    return false;
}

bool Input::report(Report what, const std::uint8_t* consumed_to) noexcept {
    if (strict || consumed_to > end) return fail(errc_of(what), consumed_to);
    reports = static_cast<std::uint8_t>(reports | 1u << static_cast<unsigned>(what));
    return true;
}

template <class T, bool nullable>
SlowInteger read_slow_integer(const std::uint8_t* at, Input& input) noexcept {
    Entity entity = read_entity(at, std::is_signed_v<T>, input);
    if (!entity.ok) return {};
    if (nullable && remove_bias(entity.value)) return {0, entity.next, Got::null};
    if (!fits<T>(entity.value)) return input.fail(Errc::d2, entity.next), SlowInteger{};
    return {static_cast<std::uint64_t>(entity.value), entity.next, Got::value};
}

template <bool nullable>
SlowDelta read_slow_delta(const std::uint8_t* at, Input& input) noexcept {
    Entity entity = read_entity(at, true, input);
    if (!entity.ok) return {};
    if (nullable && remove_bias(entity.value)) return {0, entity.next, Got::null};
    return {entity.value, entity.next, Got::value};
}

// §10.6.3 with its zero preambles, and strings of more than eight characters.
template <bool nullable>
SlowText read_slow_ascii(const std::uint8_t* at, Input& input) noexcept {
    const std::uint32_t count = group_count(at, input.string_bytes_max);
    if (count == 0) return input.fail(Errc::limit, at), SlowText{};
    const std::uint8_t* const next = at + count;
    const auto slot_from = [&](const std::uint8_t* first) {
        return text_slot(TextSpace::datagram, static_cast<std::uint64_t>(first - input.begin),
                         static_cast<std::uint64_t>(next - first));
    };
    if (at[0] != 0) return {slot_from(at), next, Got::value};

    const std::uint8_t* first = at + 1;  // one preamble dropped; there is at least one more group
    bool overlong = (*first & 0x7F) != 0;
    if (nullable && !overlong) {  // the first one only says "not NULL", the rule starts again behind it
        ++first;
        if (first == next) return {text_slot(TextSpace::datagram, 0, 0), next, Got::value};
        overlong = (*first & 0x7F) != 0;
    }
    if (overlong && !input.report(Report::r9, next)) return {};
    return {slot_from(first), next, Got::value};
}

template SlowInteger read_slow_integer<std::uint32_t, false>(const std::uint8_t*, Input&) noexcept;
template SlowInteger read_slow_integer<std::uint32_t, true>(const std::uint8_t*, Input&) noexcept;
template SlowInteger read_slow_integer<std::int32_t, false>(const std::uint8_t*, Input&) noexcept;
template SlowInteger read_slow_integer<std::int32_t, true>(const std::uint8_t*, Input&) noexcept;
template SlowInteger read_slow_integer<std::uint64_t, false>(const std::uint8_t*, Input&) noexcept;
template SlowInteger read_slow_integer<std::uint64_t, true>(const std::uint8_t*, Input&) noexcept;
template SlowInteger read_slow_integer<std::int64_t, false>(const std::uint8_t*, Input&) noexcept;
template SlowInteger read_slow_integer<std::int64_t, true>(const std::uint8_t*, Input&) noexcept;
template SlowDelta read_slow_delta<false>(const std::uint8_t*, Input&) noexcept;
template SlowDelta read_slow_delta<true>(const std::uint8_t*, Input&) noexcept;
template SlowText read_slow_ascii<false>(const std::uint8_t*, Input&) noexcept;
template SlowText read_slow_ascii<true>(const std::uint8_t*, Input&) noexcept;

}  // namespace tickpath::fast
