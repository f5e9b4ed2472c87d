// What generated decoders are made of (`tickpath templates generate`, generator.h). Hot: one inlined call per
// instruction of a template.
//
// A generated decoder is the template's program unrolled: the same instructions run through the same
// operators as in the interpreter, but each is a constant to the compiler. Opcode, row slot, presence bit,
// dictionary entry and initial value are folded into the code, dispatch and jumps are gone, and elements are
// a loop. So layout, values, errors and dictionaries are the interpreter's by construction.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decoders/fast/generated.h"
#include "decoders/fast/handlers.h"
#include "decoders/fast/machine.h"
#include "decoders/fast/operators.h"
#include "decoders/fast/program.h"
#include "decoders/fast/segments.h"

namespace tickpath::fast::straight {

template <Opcode>
inline constexpr bool is_step = false;

/// What the instruction m.op does; it is one that goes on with the next.
template <Opcode opcode, class M>
[[nodiscard, gnu::always_inline]] inline bool apply(M& m) noexcept {
#define TICKPATH_FAST_APPLY(name, type)                     \
    if constexpr (opcode == Opcode::name##_##type##_m)      \
        return apply_##name<kernel::type, false>(m);        \
    else if constexpr (opcode == Opcode::name##_##type##_o) \
        return apply_##name<kernel::type, true>(m);         \
    else
    TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_APPLY)
#undef TICKPATH_FAST_APPLY
    if constexpr (opcode == Opcode::constant_)
        return handle_constant(m);
    else if constexpr (opcode == Opcode::store_constant_)
        return handle_store_constant(m);
    else if constexpr (opcode == Opcode::store_optional_)
        return handle_store_optional(m);
    else if constexpr (opcode == Opcode::exponent_ || opcode == Opcode::exponent_optional_)
        return handle_exponent(m);
    else if constexpr (opcode == Opcode::check_utf8_)
        return handle_check_utf8(m);
    else if constexpr (opcode == Opcode::wrap_narrow_)
        return handle_wrap_narrow(m);
    else if constexpr (opcode == Opcode::check_narrow_)
        return handle_check_narrow(m);
    else if constexpr (opcode == Opcode::check_type_)
        return handle_check_type(m);
    else if constexpr (opcode == Opcode::map_refill_)
        return handle_map_refill(m);
    else
        static_assert(is_step<opcode>, "generated code cannot run this instruction");
}

/// Runs instruction `index` of a template's `code`.
template <const auto& code, std::size_t index, class M>
[[nodiscard, gnu::always_inline]] inline bool step(M& m) noexcept {
    m.op = &code[index];
    return apply<code[index].opcode>(m);
}

/// Whether the exponent that instruction `index` follows is there, and so a mantissa; checks it by step().
template <const auto& code, std::size_t index, class M>
[[nodiscard, gnu::always_inline]] inline bool has_exponent(M& m) noexcept {
    return m.state.is_present(m.row, code[index].presence);
}

/// Takes the bit of an optional group; whether its fields follow.
template <const auto& code, std::size_t index, class M>
[[nodiscard, gnu::always_inline]] inline bool has_group(M& m) noexcept {
    m.op = &code[index];
    if (!m.take_bit()) return false;
    m.set_present();
    return true;
}

/// The wide map of the surrounding segment, kept where a segment with a wide map of its own is entered.
template <bool is_kept>
struct KeptMap {
    explicit KeptMap(const Runtime&) noexcept {}
    void restore(Runtime&) const noexcept {}
};
template <>
struct KeptMap<true> {
    explicit KeptMap(const Runtime& runtime) noexcept : wide(runtime.wide) {}
    void restore(Runtime& runtime) const noexcept { runtime.wide = wide; }
    WideMap wide;
};

/// A group with a presence map: instructions `begin` to `end`, the fields between them in Fields::decode.
template <const auto& code, std::size_t begin, std::size_t end, class Fields, class M>
[[nodiscard, gnu::always_inline]] inline bool group(M& m) noexcept {
    constexpr const Segment& segment = Fields::segment;
    m.op = &code[begin];
    const std::uint64_t outer_map = m.map;
    const KeptMap<segment.wide_map> kept(m.runtime());
    if (!begin_map(m, segment.wide_map) || !Fields::decode(m)) return false;
    m.op = &code[end];
    if (!end_segment(m, segment.wide_map)) return false;
    m.map = outer_map;
    kept.restore(m.runtime());
    return true;
}

/// A sequence: instructions `begin` to `end`, the fields of one element in Element::decode. Its length has
/// been decoded before.
template <const auto& code, std::size_t begin, std::size_t end, class Element, class M>
[[nodiscard, gnu::always_inline]] inline bool sequence(M& m) noexcept {
    constexpr const Segment& segment = Element::segment;
    m.op = &code[begin];
    std::uint64_t elements_left = 0;
    if (!element_count(m, elements_left)) return false;
    if (elements_left == 0) {
        m.row[m.op->slot] = 0;
        return true;
    }
    std::uint64_t* const rows = take_elements(m, segment, elements_left);
    if (rows == nullptr) [[unlikely]]
        return false;
    std::uint64_t* const outer_row = m.row;
    const std::uint64_t outer_map = m.map;
    const std::uint64_t outer_present = m.state.present();
    const KeptMap<segment.wide_map> kept(m.runtime());
    for (m.row = rows;; m.row += segment.row_words) {
        m.state.begin_row(m.row, segment.presence_words);
        m.op = &code[begin + 1];
        if (segment.has_map && !begin_map(m, segment.wide_map)) return false;
        if (!Element::decode(m)) return false;
        m.op = &code[end];
        if (!close_element<segment.has_map>(m, segment.wide_map)) return false;
        m.state.end_row(m.row);
        if (--elements_left == 0) break;
    }
    m.row = outer_row;
    m.map = outer_map;
    m.state.restore_present(outer_present);
    kept.restore(m.runtime());
    return true;
}

/// A RunFunction: one message of the template whose instructions are Message::code and fields
/// Message::decode.
template <class State, class Message>
[[nodiscard]] bool run(Runtime& runtime, const TemplateCode& code, const std::uint8_t*& at, std::uint64_t map,
                       std::uint64_t* row) noexcept {
    Machine<State> m{Cursor(at, runtime),   &Message::code[0],   row, map,
                     runtime.values.data(), State(runtime, code)};
    m.state.begin_row(row, code.presence_words);
    bool is_whole = Message::decode(m);
    if (is_whole) [[likely]] {
        m.op = std::end(Message::code) - 1;
        is_whole = end_segment(m, runtime.wide.next != runtime.wide.end);
    }
    if (is_whole) [[likely]] {
        m.state.end_row(m.row);
    } else {
        runtime.failed_at = runtime.program->code.data() + code.first + (m.op - &Message::code[0]);
    }
    m.state.store(runtime, code);
    at = m.in.at();
    return is_whole;
}

}  // namespace tickpath::fast::straight
