// The field operators of FAST 1.1 §6.3 from the sender's side (spec/fast.md §14a): each once for all types
// and presences, over the same kinds of values as operators.h. Hot. Every function returns whether encoding
// may go on.
//
// Compact mode asks one question of an operator: would a clear bit make the decoder arrive at just this
// value, or at its absence? Then nothing is sent, and the entry changes as the decoder's will.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "decoders/fast/encode_machine.h"
#include "decoders/fast/operators.h"
#include "decoders/fast/text_difference.h"

namespace tickpath::fast {

// ---- kinds of values
// -----------------------------------------------------------------------------------------

template <class T>
struct EncodedInteger {
    using Value = std::uint64_t;
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

    [[gnu::always_inline]] static Value value(const EncodeMachine& m) noexcept {
        using Source = EncodeInstruction::Source;
        if (m.op->source == Source::field) [[likely]]
            return m.row.words()[m.op->ref.slot];
        if (m.op->source == Source::length) return m.row.rows(m.op->ref).size();
        return m.op->source == Source::mantissa ? static_cast<Value>(m.parts.mantissa)
                                                : static_cast<Value>(std::int64_t{m.parts.exponent});
    }
    static Value initial(const EncodeMachine& m) noexcept { return m.op->imm; }
    static Value kept(const EncodeMachine& m) noexcept { return m.dictionary->integer(m.op->entry); }
    [[nodiscard, gnu::always_inline]] static bool keep(EncodeMachine& m, Value value) noexcept {
        m.dictionary->keep_integer(m.op->entry, value);
        return true;
    }
    static void keep_initial(EncodeMachine& m) noexcept {
        m.dictionary->keep_integer(m.op->entry, initial(m));
    }
    static bool equal(Value a, Value b) noexcept { return a == b; }
    static Value successor(Value value) noexcept { return Integer<T>::successor(value); }

    template <bool nullable>
    [[nodiscard, gnu::always_inline]] static bool write(EncodeMachine& m, Value value) noexcept {
        if (static_cast<Value>(Wide{static_cast<T>(value)}) != value) [[unlikely]]
            return m.fail(Errc::r4);
        if constexpr (std::is_signed_v<T>) {
            const auto wide = static_cast<std::int64_t>(value);
            nullable ? m.out.write_nullable_signed(wide) : m.out.write_signed(wide);
        } else {
            nullable ? m.out.write_nullable_unsigned(value) : m.out.write_unsigned(value);
        }
        return true;
    }

    static Value zero() noexcept { return 0; }
    template <bool nullable>
    [[nodiscard]] static bool write_difference(EncodeMachine& m, Value value, Value base) noexcept {
        m.out.write_delta<nullable>(Int128{static_cast<Wide>(value)} - Int128{static_cast<Wide>(base)});
        return true;
    }
};

struct EncodedDecimal {
    using Value = DecimalPair;

    [[gnu::always_inline]] static Value value(const EncodeMachine& m) noexcept {
        const std::uint64_t* const at = m.row.words() + m.op->ref.slot;
        return {at[0], at[1]};
    }
    static Value initial(const EncodeMachine& m) noexcept {
        return pair(m.program->program->decimals[m.op->imm]);
    }
    static Value kept(const EncodeMachine& m) noexcept { return m.dictionary->decimal(m.op->entry); }
    [[nodiscard, gnu::always_inline]] static bool keep(EncodeMachine& m, Value value) noexcept {
        m.dictionary->keep_decimal(m.op->entry, value);
        return true;
    }
    static void keep_initial(EncodeMachine& m) noexcept {
        m.dictionary->keep_decimal(m.op->entry, initial(m));
    }
    // The pair, not the number: (10, 1) and (100, 0) are different previous values (§6.3.7.2).
    static bool equal(Value a, Value b) noexcept {
        return a.mantissa == b.mantissa && a.exponent == b.exponent;
    }

    template <bool nullable>
    [[nodiscard, gnu::always_inline]] static bool write(EncodeMachine& m, Value value) noexcept {
        if (!is_exponent(value.exponent)) [[unlikely]]
            return m.fail(Errc::r1);
        const auto exponent = static_cast<std::int64_t>(value.exponent);
        nullable ? m.out.write_nullable_signed(exponent) : m.out.write_signed(exponent);
        m.out.write_signed(static_cast<std::int64_t>(value.mantissa));
        return true;
    }

    static Value zero() noexcept { return {0, 0}; }
    template <bool nullable>
    [[nodiscard]] static bool write_difference(EncodeMachine& m, Value value, Value base) noexcept {
        if (!is_exponent(value.exponent)) [[unlikely]]
            return m.fail(Errc::r1);
        m.out.write_delta<nullable>(difference(value.exponent, base.exponent));
        m.out.write_delta<false>(difference(value.mantissa, base.mantissa));
        return true;
    }

private:
    static Value pair(Decimal decimal) noexcept {
        return {static_cast<std::uint64_t>(decimal.mantissa),
                static_cast<std::uint64_t>(std::int64_t{decimal.exponent})};
    }
    static Int128 difference(std::uint64_t a, std::uint64_t b) noexcept {
        return Int128{static_cast<std::int64_t>(a)} - Int128{static_cast<std::int64_t>(b)};
    }
};

template <Alphabet alphabet>
struct EncodedText {
    using Value = Text;

    [[gnu::always_inline]] static Value value(const EncodeMachine& m) noexcept {
        return m.row.text(m.op->ref);
    }
    static Value initial(const EncodeMachine& m) noexcept {
        return {m.program->program->text.data() + text_offset(m.op->imm), text_length(m.op->imm), 0xFF};
    }
    static Value kept(const EncodeMachine& m) noexcept { return m.dictionary->text(m.op->entry); }
    [[nodiscard, gnu::always_inline]] static bool keep(EncodeMachine& m, Value value) noexcept {
        return m.dictionary->keep_text(m.op->entry, value) || m.fail(Errc::limit);
    }
    static void keep_initial(EncodeMachine& m) noexcept {
        m.dictionary->keep_constant(m.op->entry, initial(m));
    }
    static bool equal(const Value& a, const Value& b) noexcept {
        return a.size() == b.size() && common_front(a, b) == a.size();
    }

    template <bool nullable>
    [[nodiscard, gnu::always_inline]] static bool write(EncodeMachine& m, const Value& value) noexcept {
        if (value.size() > m.string_bytes_max || !m.out.has_room(value.size())) [[unlikely]]
            return m.fail(Errc::limit);
        if constexpr (alphabet == Alphabet::ascii) {
            m.out.write_ascii<nullable>(value);
        } else {
            m.out.write_bytes<nullable>(value);
        }
        return true;
    }

    static Value zero() noexcept { return {}; }
    template <bool nullable>
    [[nodiscard]] static bool write_difference(EncodeMachine& m, const Value& value,
                                               const Value& base) noexcept {
        if (value.size() > m.string_bytes_max)
            return m.fail(Errc::limit);  // the decoder's bound on the whole
        const TextDifference difference = text_difference(value, base);
        nullable ? m.out.write_nullable_signed(difference.subtraction)
                 : m.out.write_signed(difference.subtraction);
        return write<false>(m, difference.addition);
    }
};

/// Names that the opcode list uses.
namespace encoded {
using u32 = EncodedInteger<std::uint32_t>;
using i32 = EncodedInteger<std::int32_t>;
using u64 = EncodedInteger<std::uint64_t>;
using i64 = EncodedInteger<std::int64_t>;
using decimal = EncodedDecimal;
using ascii = EncodedText<Alphabet::ascii>;
using bytes = EncodedText<Alphabet::bytes>;
}  // namespace encoded

// ---- operators
// -----------------------------------------------------------------------------------------------

/// No operator: the value, or NULL where it is optional and absent.
template <class K, bool optional>
[[nodiscard, gnu::always_inline]] inline bool encode_none(EncodeMachine& m) noexcept {
    if (optional && !m.has()) {
        m.out.write_null();
        return true;
    }
    return K::template write<optional>(m, K::value(m));
}

/// §6.3.4: the dictionary is never touched.
template <class K, bool optional>
[[nodiscard, gnu::always_inline]] inline bool encode_default(EncodeMachine& m) noexcept {
    const bool is_implied = optional && !m.has()
                                ? !m.op->has_initial()
                                : m.op->has_initial() && K::equal(K::value(m), K::initial(m));
    if (is_implied && !m.sends_all) {
        m.put_bit(false);
        return true;
    }
    m.put_bit(true);
    return encode_none<K, optional>(m);
}

/// Absent, for the operators that keep a previous value. A clear bit says so where there is none and no
/// initial value steps in; NULL always. Both leave the entry empty.
template <class K>
[[nodiscard, gnu::always_inline]] inline bool encode_absent(EncodeMachine& m) noexcept {
    const unsigned entry = m.op->entry;
    const bool is_implied =
        !m.dictionary->is_assigned(entry) && (m.dictionary->is_empty(entry) || !m.op->has_initial());
    const bool is_sent = !is_implied || m.must_send;
    m.put_bit(is_sent);
    if (is_sent) m.out.write_null();
    m.dictionary->set_empty(entry);
    return true;
}

/// There is no previous value, and the initial one is the value: a clear bit, and the entry is assigned.
template <class K>
[[nodiscard, gnu::always_inline]] inline bool implies_initial(EncodeMachine& m,
                                                              const typename K::Value& value) noexcept {
    if (m.dictionary->is_empty(m.op->entry) || !m.op->has_initial() || !K::equal(value, K::initial(m)))
        return false;
    K::keep_initial(m);
    m.put_bit(false);
    return true;
}

template <class K, bool optional>
[[nodiscard, gnu::always_inline]] inline bool write_and_keep(EncodeMachine& m,
                                                             const typename K::Value& value) noexcept {
    m.put_bit(true);
    return K::template write<optional>(m, value) && K::keep(m, value);
}

/// §6.3.5.
template <class K, bool optional>
[[nodiscard, gnu::always_inline]] inline bool encode_copy(EncodeMachine& m) noexcept {
    if (optional && !m.has()) return encode_absent<K>(m);
    const typename K::Value value = K::value(m);
    if (!m.must_send) {
        if (!m.dictionary->is_assigned(m.op->entry)) {
            if (implies_initial<K>(m, value)) return true;
        } else if (K::equal(value, K::kept(m))) {
            m.put_bit(false);
            return true;
        }
    }
    return write_and_keep<K, optional>(m, value);
}

/// §6.3.6.
template <class K, bool optional>
[[nodiscard, gnu::always_inline]] inline bool encode_increment(EncodeMachine& m) noexcept {
    if (optional && !m.has()) return encode_absent<K>(m);
    const typename K::Value value = K::value(m);
    if (!m.must_send) {
        if (!m.dictionary->is_assigned(m.op->entry)) {
            if (implies_initial<K>(m, value)) return true;
        } else if (K::equal(value, K::successor(K::kept(m)))) {
            m.put_bit(false);
            return K::keep(m, value);
        }
    }
    return write_and_keep<K, optional>(m, value);
}

/// §6.3.7: NULL leaves the entry as it is; a value has to have something to be added to.
template <class K, bool optional>
[[nodiscard, gnu::always_inline]] inline bool encode_delta(EncodeMachine& m) noexcept {
    if (optional && !m.has()) {
        m.out.write_null();
        return true;
    }
    const unsigned entry = m.op->entry;
    const bool is_assigned = m.dictionary->is_assigned(entry);
    if (!is_assigned && m.dictionary->is_empty(entry)) [[unlikely]]
        return m.fail(Errc::d6);
    const typename K::Value base = is_assigned ? K::kept(m) : m.op->has_initial() ? K::initial(m) : K::zero();
    const typename K::Value value = K::value(m);
    return K::template write_difference<optional>(m, value, base) && K::keep(m, value);
}

/// §6.3.8. Other than for delta, an empty entry counts like an undefined one. Explicit mode sends the whole
/// value as its own tail.
template <class K, bool optional>
[[nodiscard, gnu::always_inline]] inline bool encode_tail(EncodeMachine& m) noexcept {
    if (optional && !m.has()) return encode_absent<K>(m);
    const unsigned entry = m.op->entry;
    const Text value = K::value(m);
    Text base = m.op->has_initial() ? K::initial(m) : Text();
    if (m.dictionary->is_assigned(entry)) {
        base = K::kept(m);
        if (!m.must_send && K::equal(value, base)) {
            m.put_bit(false);
            return true;
        }
    } else if (!m.must_send && implies_initial<K>(m, value)) {
        return true;
    }
    if (value.size() < base.size()) [[unlikely]]
        return m.fail(Errc::unrepresentable);
    if (value.size() > m.string_bytes_max) return m.fail(Errc::limit);
    m.put_bit(true);
    const Text tail = m.sends_all ? value : text_tail(value, base);
    return K::template write<optional>(m, tail) && K::keep(m, value);
}

}  // namespace tickpath::fast
