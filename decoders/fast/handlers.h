// Instructions beside the field operators that neither jump nor change the segment: constants, checks, and
// the refill of wide maps. Hot: the interpreter and generated decoders inline them.
#pragma once

#include <cstdint>

#include "decoders/fast/machine.h"
#include "decoders/fast/operators.h"
#include "decoders/fast/segments.h"
#include "decoders/fast/text_operators.h"
#include "decoders/fast/utf8.h"

namespace tickpath::fast {

// Handlers advance m.op and return whether decoding may go on; generated code sets m.op before each.

template <class M>
[[gnu::always_inline]] inline bool handle_constant(M& m) noexcept {
    if (m.take_bit()) m.set_present();
    ++m.op;
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_store_constant(M& m) noexcept {
    m.row[m.op->slot] = m.op->imm;
    ++m.op;
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_store_optional(M& m) noexcept {
    if (m.take_bit()) {
        m.row[m.op->slot] = m.op->imm;
        m.set_present();
    }
    ++m.op;
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_exponent(M& m) noexcept {
    if (!is_exponent(m.row[m.op->slot])) [[unlikely]]
        return m.in.fail(Errc::r1);
    ++m.op;
    return true;
}

// R2: parts that were valid UTF-8 each may not be so together.
template <class M>
[[gnu::always_inline]] inline bool handle_check_utf8(M& m) noexcept {
    if (m.state.is_present(m.row, m.op->presence) && !is_utf8(raw_text(m.runtime(), m.row[m.op->slot])))
        if (!m.in.input().report(Report::r2, m.in.at())) return false;
    ++m.op;
    return true;
}

// Bounds of the integers of FAST 1.2 that are narrower than their wire form.
template <class M>
[[gnu::always_inline]] inline std::int64_t narrow_max(const M& m) noexcept {
    const bool is_signed = (m.op->flags & Instruction::is_signed) != 0;
    return (std::int64_t{1} << (m.op->operand() - (is_signed ? 1 : 0))) - 1;
}
template <class M>
[[gnu::always_inline]] inline std::int64_t narrow_min(const M& m) noexcept {
    return (m.op->flags & Instruction::is_signed) != 0 ? -narrow_max(m) - 1 : 0;
}

// The increment that follows adds one to whatever the entry holds, so the maximum becomes what lies before
// the minimum. Above it a wider field left something whose successor this type does not have, and that must
// not wrap as the wire's 32 bits do. A value on the wire replaces either anyway.
template <class M>
[[gnu::always_inline]] inline bool handle_wrap_narrow(M& m) noexcept {
    const bool is_on_wire = static_cast<std::int64_t>(m.map) < 0;
    if (!is_on_wire && m.is_assigned()) {
        const auto kept = static_cast<std::int64_t>(m.values[m.op->entry]);
        if (kept > narrow_max(m)) [[unlikely]]
            return m.in.fail(Errc::d2);
        if (kept == narrow_max(m)) {
            m.note_overwrite();
            m.values[m.op->entry] = static_cast<std::uint64_t>(narrow_min(m) - 1);
        }
    }
    ++m.op;
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_check_narrow(M& m) noexcept {
    if (m.state.is_present(m.row, m.op->presence)) {
        const auto value = static_cast<std::int64_t>(m.row[m.op->slot]);
        if (value < narrow_min(m) || value > narrow_max(m)) [[unlikely]]
            return m.in.fail((m.op->flags & Instruction::delta_result) != 0 ? Errc::r4 : Errc::d2);
    }
    ++m.op;
    return true;
}

// D4: the previous value belongs to a field of another type. Comes before the operator itself.
template <class M>
[[gnu::always_inline]] inline bool handle_check_type(M& m) noexcept {
    std::uint8_t& type = m.runtime().entry_types[m.op->entry];
    const auto wanted = static_cast<std::uint8_t>(m.op->operand());
    m.note_overwrite();
    if (type != wanted && m.is_assigned()) {
        const bool is_replaced =
            (m.op->flags & Instruction::overwrites) != 0 && static_cast<std::int64_t>(m.map) < 0;
        if (!is_replaced || m.in.input().strict) return m.in.fail(Errc::d4);
        m.set_empty();  // until it is replaced: what is there must never be read as the other type
    }
    type = wanted;
    ++m.op;
    return true;
}

template <class M>
[[gnu::always_inline]] inline bool handle_map_refill(M& m) noexcept {
    refill_map(m);
    ++m.op;
    return true;
}

}  // namespace tickpath::fast
