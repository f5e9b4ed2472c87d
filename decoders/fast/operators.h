// The field operators of FAST 1.1 §6.3, each once for all types and presences: an operator is a template over
// a kernel (how a type is read, kept and stored) and over `optional`. Hot: the interpreter inlines one
// instance per fused opcode. Every function returns whether decoding may go on.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "decoders/fast/machine.h"
#include "decoders/fast/text_operators.h"

namespace tickpath::fast {

inline constexpr std::int64_t exponent_min = -63;
inline constexpr std::int64_t exponent_max = 63;

[[nodiscard]] constexpr bool is_exponent(std::uint64_t value) noexcept {
    return value + std::uint64_t{exponent_max} <= std::uint64_t{exponent_max - exponent_min};
}

// ---- kernels
// -------------------------------------------------------------------------------------------------

template <class T>
struct Integer {
    using Value = std::uint64_t;

    template <class M>
    [[gnu::always_inline]] static bool read(M& m, Value& value) noexcept {
        return m.in.template read<T>(value);
    }
    template <class M>
    [[gnu::always_inline]] static Got read_nullable(M& m, Value& value) noexcept {
        return m.in.template read_nullable<T>(value);
    }
    template <class M>
    [[gnu::always_inline]] static void put(M& m, Value value) noexcept {
        m.row[m.op->slot] = value;
    }
    template <class M>
    [[gnu::always_inline]] static Value kept(const M& m) noexcept {
        return m.values[m.op->entry];
    }
    template <class M>
    [[gnu::always_inline]] static void keep(M& m, Value value) noexcept {
        m.note_overwrite();
        m.values[m.op->entry] = value;
    }
    template <class M>
    [[gnu::always_inline]] static Value initial(const M& m) noexcept {
        return m.op->imm;
    }
    /// §6.3.6: the type's maximum is followed by its minimum.
    [[nodiscard, gnu::always_inline]] static Value successor(Value value) noexcept {
        const auto next = static_cast<T>(static_cast<std::make_unsigned_t<T>>(value + 1));
        return static_cast<Value>(
            static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, Value>>(next));
    }
};

struct DecimalPair {
    std::uint64_t mantissa = 0;
    std::uint64_t exponent = 0;
};

/// Exponent and mantissa as received: (10, 1) and (100, 0) are different previous values (§6.3.7.2).
struct ScaledNumber {
    using Value = DecimalPair;

    template <class M>
    [[gnu::always_inline]] static bool read(M& m, Value& value) noexcept {
        return m.in.template read<std::int32_t>(value.exponent) && rest(m, value);
    }
    template <class M>
    [[gnu::always_inline]] static Got read_nullable(M& m, Value& value) noexcept {
        const Got got = m.in.template read_nullable<std::int32_t>(value.exponent);
        if (got != Got::value) return got;
        return rest(m, value) ? Got::value : Got::failed;
    }
    template <class M>
    [[gnu::always_inline]] static void put(M& m, Value value) noexcept {
        m.row[m.op->slot] = value.mantissa;
        m.row[m.op->slot + 1] = value.exponent;
    }
    template <class M>
    [[gnu::always_inline]] static Value kept(const M& m) noexcept {
        return {m.values[m.op->entry], m.runtime().exponents[m.op->entry]};
    }
    template <class M>
    [[gnu::always_inline]] static void keep(M& m, Value value) noexcept {
        m.note_overwrite();
        m.values[m.op->entry] = value.mantissa;
        m.runtime().exponents[m.op->entry] = value.exponent;
    }
    template <class M>
    [[gnu::always_inline]] static Value initial(const M& m) noexcept {
        const Decimal decimal = m.runtime().program->decimals[m.op->imm];
        return {static_cast<std::uint64_t>(decimal.mantissa),
                static_cast<std::uint64_t>(std::int64_t{decimal.exponent})};
    }

private:
    template <class M>
    [[gnu::always_inline]] static bool rest(M& m, Value& value) noexcept {
        if (!is_exponent(value.exponent)) [[unlikely]]
            return m.in.fail(Errc::r1);
        return m.in.template read<std::int64_t>(value.mantissa);
    }
};

/// Texts are kept as slots: where the characters are, not the characters.
template <Alphabet alphabet>
struct Characters : Integer<std::uint64_t> {
    template <class M>
    [[gnu::always_inline]] static bool read(M& m, Value& value) noexcept {
        if constexpr (alphabet == Alphabet::ascii)
            return m.in.template read_ascii<false>(value) == Got::value;
        return m.in.template read_bytes<false>(value) == Got::value;
    }
    template <class M>
    [[gnu::always_inline]] static Got read_nullable(M& m, Value& value) noexcept {
        if constexpr (alphabet == Alphabet::ascii) return m.in.template read_ascii<true>(value);
        return m.in.template read_bytes<true>(value);
    }
};

/// Names that the opcode list uses.
namespace kernel {
using u32 = Integer<std::uint32_t>;
using i32 = Integer<std::int32_t>;
using u64 = Integer<std::uint64_t>;
using i64 = Integer<std::int64_t>;
using decimal = ScaledNumber;
using ascii = Characters<Alphabet::ascii>;
using bytes = Characters<Alphabet::bytes>;
}  // namespace kernel

// ---- operators
// -----------------------------------------------------------------------------------------------

template <class K, bool optional, class M>
[[gnu::always_inline]] inline void deliver(M& m, typename K::Value value) noexcept {
    K::put(m, value);
    if constexpr (optional) m.set_present();
}

/// No operator: the value, or NULL where it is optional.
template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool apply_none(M& m) noexcept {
    typename K::Value value{};
    if constexpr (optional) {
        const Got got = K::read_nullable(m, value);
        if (got != Got::value) return got == Got::null;
    } else if (!K::read(m, value)) {
        return false;
    }
    deliver<K, optional>(m, value);
    return true;
}

/// §6.3.4: the dictionary is never touched.
template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool apply_default(M& m) noexcept {
    if (m.take_bit()) return apply_none<K, optional>(m);
    if (!m.has_initial()) return optional || m.in.fail(Errc::d5);  // D5 only where S5 was mended
    deliver<K, optional>(m, K::initial(m));
    return true;
}

/// A value on the wire that becomes the previous one; NULL makes the entry empty.
template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool read_and_keep(M& m) noexcept {
    typename K::Value value{};
    if constexpr (optional) {
        const Got got = K::read_nullable(m, value);
        if (got == Got::null) m.set_empty();
        if (got != Got::value) return got == Got::null;
    } else if (!K::read(m, value)) {
        return false;
    }
    K::keep(m, value);
    m.set_assigned();
    deliver<K, optional>(m, value);
    return true;
}

/// The bit is clear and there is no previous value: undefined or empty (table in spec/fast.md §5).
template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool use_initial(M& m) noexcept {
    if (m.is_empty()) return optional || m.in.fail(Errc::d6);
    if (m.has_initial()) {
        const typename K::Value value = K::initial(m);
        K::keep(m, value);
        m.set_assigned();
        deliver<K, optional>(m, value);
        return true;
    }
    if constexpr (!optional) return m.in.fail(Errc::d5);
    m.set_empty();
    return true;
}

/// §6.3.5.
template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool apply_copy(M& m) noexcept {
    if (m.take_bit()) return read_and_keep<K, optional>(m);
    if (!m.is_assigned()) return use_initial<K, optional>(m);
    deliver<K, optional>(m, K::kept(m));
    return true;
}

/// §6.3.6.
template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool apply_increment(M& m) noexcept {
    if (m.take_bit()) return read_and_keep<K, optional>(m);
    if (!m.is_assigned()) return use_initial<K, optional>(m);
    const typename K::Value value = K::successor(K::kept(m));
    K::keep(m, value);
    deliver<K, optional>(m, value);
    return true;
}

/// §6.3.7: what a delta is added to. D6 when the entry is empty.
template <class K, class M>
[[gnu::always_inline]] inline bool delta_base(M& m, typename K::Value& base,
                                              typename K::Value none) noexcept {
    if (m.is_assigned()) {
        base = K::kept(m);
        return true;
    }
    if (m.is_empty()) [[unlikely]]
        return m.in.fail(Errc::d6);
    base = m.has_initial() ? K::initial(m) : none;
    return true;
}

template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool keep_and_deliver(M& m, typename K::Value value) noexcept {
    K::keep(m, value);
    m.set_assigned();
    deliver<K, optional>(m, value);
    return true;
}

/// A signed integer of any size up to 70 bits.
template <bool nullable, class M>
[[gnu::always_inline]] inline Got read_delta(M& m, Int128& delta) noexcept {
    std::uint64_t raw = 0;
    const Got got = m.in.template read_delta<nullable>(raw);
    delta = static_cast<std::int64_t>(raw);
    if (got != Got::failed) [[likely]]
        return got;
    if (m.in.input().error != Errc::ok) return Got::failed;
    const SlowDelta slow = read_slow_delta<nullable>(m.in.at(), m.in.input());
    if (slow.got == Got::failed) return Got::failed;
    m.in.move_to(slow.next);
    delta = slow.value;
    return slow.got;
}

template <class T>
[[nodiscard, gnu::always_inline]] inline bool add_in_range(std::uint64_t base, Int128 delta,
                                                           std::uint64_t& sum) noexcept {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const Int128 exact = Int128{static_cast<Wide>(base)} + delta;
    sum = static_cast<std::uint64_t>(exact);
    return exact >= Int128{std::numeric_limits<T>::min()} && exact <= Int128{std::numeric_limits<T>::max()};
}

template <bool optional, class T, class M>
[[gnu::always_inline]] inline bool delta_of(Integer<T>, M& m) noexcept {
    Int128 delta = 0;
    const Got got = read_delta<optional>(m, delta);
    if (got != Got::value) return got == Got::null;  // NULL leaves the entry as it is (§6.3.7)
    std::uint64_t base = 0;
    std::uint64_t sum = 0;
    if (!delta_base<Integer<T>>(m, base, 0)) return false;
    if (!add_in_range<T>(base, delta, sum)) [[unlikely]]
        return m.in.fail((m.op->flags & Instruction::decimal_part) != 0 ? Errc::r1 : Errc::r4);
    return keep_and_deliver<Integer<T>, optional>(m, sum);
}

template <bool optional, class M>
[[gnu::always_inline]] inline bool delta_of(ScaledNumber, M& m) noexcept {
    Int128 exponent_delta = 0;
    Int128 mantissa_delta = 0;
    const Got got = read_delta<optional>(m, exponent_delta);
    if (got != Got::value) return got == Got::null;
    if (read_delta<false>(m, mantissa_delta) != Got::value) return false;
    DecimalPair base = {0, 0};
    DecimalPair sum = {0, 0};
    if (!delta_base<ScaledNumber>(m, base, {0, 0})) return false;
    if (!add_in_range<std::int32_t>(base.exponent, exponent_delta, sum.exponent) ||
        !is_exponent(sum.exponent) ||
        !add_in_range<std::int64_t>(base.mantissa, mantissa_delta, sum.mantissa)) [[unlikely]]
        return m.in.fail(Errc::r1);
    return keep_and_deliver<ScaledNumber, optional>(m, sum);
}

/// The subtraction length is an int32; outside it D7, not D2.
template <bool optional, class M>
[[gnu::always_inline]] inline Got read_subtraction(M& m, std::uint64_t& subtraction) noexcept {
    Got got = Got::value;
    if constexpr (optional) {
        got = m.in.template read_nullable<std::int32_t>(subtraction);
    } else if (!m.in.template read<std::int32_t>(subtraction)) {
        got = Got::failed;
    }
    if (got == Got::failed && m.in.input().error == Errc::d2) m.in.input().error = Errc::d7;
    return got;
}

template <bool optional, Alphabet alphabet, class M>
[[gnu::always_inline]] inline bool delta_of(Characters<alphabet>, M& m) noexcept {
    using K = Characters<alphabet>;
    std::uint64_t subtraction = 0;
    std::uint64_t addition = 0;
    std::uint64_t base = 0;
    const Got got = read_subtraction<optional>(m, subtraction);
    if (got != Got::value) return got == Got::null;
    if (!K::read(m, addition)) return false;
    if (!delta_base<K>(m, base, text_slot(TextSpace::datagram, 0, 0))) return false;
    const TextResult joined =
        apply_text_delta(m.runtime(), alphabet, base, static_cast<std::int64_t>(subtraction), addition);
    if (joined.error != Errc::ok) [[unlikely]]
        return m.in.fail(joined.error);
    return keep_and_deliver<K, optional>(m, joined.slot);
}

template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool apply_delta(M& m) noexcept {
    return delta_of<optional>(K{}, m);
}

template <bool optional, Alphabet alphabet, class M>
[[gnu::always_inline]] inline bool tail_of(Characters<alphabet>, M& m) noexcept {
    using K = Characters<alphabet>;
    if (!m.take_bit()) {
        if (!m.is_assigned()) return use_initial<K, optional>(m);
        deliver<K, optional>(m, K::kept(m));
        return true;
    }
    std::uint64_t tail = 0;
    if constexpr (optional) {
        const Got got = K::read_nullable(m, tail);
        if (got == Got::null) m.set_empty();
        if (got != Got::value) return got == Got::null;
    } else if (!K::read(m, tail)) {
        return false;
    }
    // §6.3.8: other than for delta, an empty entry counts like an undefined one.
    std::uint64_t base = text_slot(TextSpace::datagram, 0, 0);
    if (m.is_assigned()) {
        base = K::kept(m);
    } else if (m.has_initial()) {
        base = K::initial(m);
    }
    const TextResult joined = apply_text_tail(m.runtime(), alphabet, base, tail);
    if (joined.error != Errc::ok) [[unlikely]]
        return m.in.fail(joined.error);
    return keep_and_deliver<K, optional>(m, joined.slot);
}

/// §6.3.8.
template <class K, bool optional, class M>
[[gnu::always_inline]] inline bool apply_tail(M& m) noexcept {
    return tail_of<optional>(K{}, m);
}

}  // namespace tickpath::fast
