#include "decoders/fast/encode_segments.h"

#include <cstring>
#include <type_traits>

#include "decoders/fast/encode_operators.h"
#include "decoders/fast/templates.h"
#include "decoders/fast/utf8.h"

namespace tickpath::fast {
namespace {

[[nodiscard]] bool run(EncodeMachine& m, const TemplateRules& rules) noexcept;

[[nodiscard]] bool encode_template(EncodeMachine& m, const TemplateRules& rules,
                                   std::uint32_t index) noexcept;

/// The map of the surrounding segment, while another one is under construction.
struct OuterMap {
    explicit OuterMap(const EncodeMachine& m) noexcept : map(m.map), bit(m.map_bit) {}
    void resume(EncodeMachine& m) const noexcept {
        m.map = map;
        m.map_bit = bit;
    }
    std::uint8_t* map;
    std::uint8_t bit;
};

/// Keeps room for a map; false when there is none. `begin` is where it will begin.
[[nodiscard]] bool open_map(EncodeMachine& m, std::size_t bytes, std::uint8_t*& begin) noexcept {
    if (!m.out.has_room(bytes)) [[unlikely]]
        return m.fail(Errc::limit);
    begin = m.map = m.out.skip_map(bytes);
    m.map_bit = EncodeMachine::first_map_bit;
    return true;
}

/// Ends a map behind its last set bit; returns how many of its bytes are left (§10.5: at least one).
[[nodiscard]] std::size_t end_map(std::uint8_t* begin, std::size_t bytes) noexcept {
    while (bytes > 1 && begin[bytes - 1] == 0)
        --bytes;
    begin[bytes - 1] |= stop_bit;
    return bytes;
}

/// The map of a group or an element: what follows moves up to it.
void close_map(EncodeMachine& m, std::uint8_t* begin, std::size_t bytes) noexcept {
    const std::size_t left = end_map(begin, bytes);
    if (left != bytes) m.out.close_gap(begin + left, begin + bytes);
}

// The decimal that an exponent's instruction begins: how its value is split where a part is constant. The
// number is kept exactly, not the pair (D3 where that cannot be).
[[nodiscard]] bool split_decimal(EncodeMachine& m) noexcept {
    const EncodeInstruction& mantissa = m.program->code[m.op->partner];
    const bool has_constant_exponent =
        m.op->opcode == Opcode::store_constant_ || m.op->opcode == Opcode::store_optional_;
    m.parts = m.row.decimal(m.op->ref);
    if (!is_exponent(static_cast<std::uint64_t>(std::int64_t{m.parts.exponent}))) [[unlikely]]
        return m.fail(Errc::r1);
    if (mantissa.opcode == Opcode::store_constant_) {
        const auto wanted = static_cast<std::int64_t>(mantissa.imm);
        if (m.parts.mantissa != wanted) {
            const Decimal value = normalised(m.parts);
            const Decimal constant = normalised({wanted, 0});
            if (value.mantissa != constant.mantissa) return m.fail(Errc::d3);
            m.parts = {wanted, wanted == 0 ? m.parts.exponent : value.exponent - constant.exponent};
        }
        const bool is_in_range = is_exponent(static_cast<std::uint64_t>(std::int64_t{m.parts.exponent}));
        const bool is_right =
            !has_constant_exponent || wanted == 0 || m.parts.exponent == static_cast<std::int32_t>(m.op->imm);
        if (!is_in_range || !is_right) return m.fail(Errc::d3);
        return true;
    }
    if (!has_constant_exponent) return true;
    const auto wanted = static_cast<std::int32_t>(m.op->imm);
    const auto rescaled = at_places(m.parts, -wanted);
    if (!rescaled) return m.fail(Errc::d3);
    m.parts = {*rescaled, wanted};
    return true;
}

[[nodiscard]] bool is_present(const EncodeMachine& m) noexcept {
    return m.has();
}

// A constant length has to be the length; the parts of a decimal were made to fit.
[[nodiscard]] bool check_length(EncodeMachine& m) noexcept {
    return m.op->source != EncodeInstruction::Source::length || m.row.rows(m.op->ref).size() == m.op->imm ||
           m.fail(Errc::unrepresentable);
}

[[nodiscard]] bool encode_store_optional(EncodeMachine& m) noexcept {
    m.put_bit(is_present(m));
    return !is_present(m) || check_length(m);
}

// D4: the previous value belongs to a field of another type. What only overwrites it may do so where decoders
// are lenient, and has to be sent then.
[[nodiscard]] bool check_type(EncodeMachine& m) noexcept {
    const auto wanted = static_cast<std::uint8_t>(m.op->operand());
    const unsigned entry = m.op->entry;
    if (m.dictionary->type(entry) == wanted) return true;
    if (m.dictionary->is_assigned(entry)) {
        if (m.is_strict || (m.op->flags & Instruction::overwrites) == 0) return m.fail(Errc::d4);
        m.must_send = true;
    }
    m.dictionary->set_type(entry, wanted);
    return true;
}

// R2: strict decoders refuse what lenient ones count.
[[nodiscard]] bool check_utf8(EncodeMachine& m) noexcept {
    return !m.is_strict || !is_present(m) || is_utf8(m.row.text(m.op->ref).raw()) || m.fail(Errc::r2);
}

// Bounds of the integers of FAST 1.2 that are narrower than their wire form.
[[nodiscard]] std::int64_t narrow_max(const EncodeInstruction& op) noexcept {
    const bool is_signed = (op.flags & Instruction::is_signed) != 0;
    return (std::int64_t{1} << (op.operand() - (is_signed ? 1 : 0))) - 1;
}
[[nodiscard]] std::int64_t narrow_min(const EncodeInstruction& op) noexcept {
    return (op.flags & Instruction::is_signed) != 0 ? -narrow_max(op) - 1 : 0;
}

// As the decoder does before an increment: its maximum becomes what lies before the minimum. What a wider
// field left in a shared entry has no successor that all decoders agree on, so there the value is sent.
void wrap_narrow(EncodeMachine& m) noexcept {
    const unsigned entry = m.op->entry;
    if (!m.dictionary->is_assigned(entry)) return;
    const auto kept = static_cast<std::int64_t>(m.dictionary->integer(entry));
    if (kept == narrow_max(*m.op)) {
        m.dictionary->keep_integer(entry, static_cast<std::uint64_t>(narrow_min(*m.op) - 1));
    } else if (kept < narrow_min(*m.op) || kept > narrow_max(*m.op)) {
        m.must_send = true;
    }
}

[[nodiscard]] bool check_narrow(EncodeMachine& m) noexcept {
    if (!is_present(m)) return true;
    const std::int64_t value = m.row.i64(m.op->ref);
    return (value >= narrow_min(*m.op) && value <= narrow_max(*m.op)) || m.fail(Errc::r4);
}

[[nodiscard]] bool encode_group(EncodeMachine& m, const TemplateRules& rules) noexcept {
    const std::size_t map_bytes = m.op->map_bytes;
    const OuterMap outer(m);
    std::uint8_t* map = nullptr;
    if (!open_map(m, map_bytes, map)) return false;
    ++m.op;
    if (!run(m, rules)) return false;
    close_map(m, map, map_bytes);
    outer.resume(m);
    return true;
}

[[nodiscard]] bool encode_element(EncodeMachine& m, const TemplateRules& rules,
                                  std::size_t map_bytes) noexcept {
    if (map_bytes == 0) return run(m, rules);
    std::uint8_t* map = nullptr;
    if (!open_map(m, map_bytes, map) || !run(m, rules)) return false;
    close_map(m, map, map_bytes);
    return true;
}

// The length has been written. Leaves the instruction at the last one of the elements.
[[nodiscard]] bool encode_elements(EncodeMachine& m, const TemplateRules& rules, Rows rows) noexcept {
    const EncodeInstruction* const first = m.op + 1;
    const std::size_t map_bytes = m.op->map_bytes;
    const OuterMap outer(m);
    const Row row = m.row;
    for (const Row element : rows) {
        m.row = element;
        m.op = first;
        if (!encode_element(m, rules, map_bytes)) return false;
    }
    m.row = row;
    outer.resume(m);
    return true;
}

[[nodiscard]] bool encode_sequence(EncodeMachine& m, const TemplateRules& rules) noexcept {
    const Rows rows = m.row.rows(m.op->ref);
    if (rows.size() > m.sequence_length_max) [[unlikely]]
        return m.fail(Errc::limit);
    if (rows.empty()) {
        m.op = m.program->code.data() + m.op->jump();
        return true;
    }
    if (!encode_elements(m, rules, rows)) return false;
    ++m.op;
    return true;
}

// §6.4: a segment of its own; the identifier's entry is the one that messages use.
[[nodiscard]] bool encode_dynamic(EncodeMachine& m, const TemplateRules& rules) noexcept {
    const DynamicRow inner = m.row.dynamic(m.op->ref);
    const std::uint32_t index =
        inner.tmpl == nullptr ? Message::no_template : m.program->program->index_of(inner.tmpl->id());
    if (index == Message::no_template) return m.fail(Errc::d9);
    if (m.dynamic_depth == m.dynamic_depth_max) return m.fail(Errc::limit);
    ++m.dynamic_depth;
    const OuterMap outer(m);
    const EncodeInstruction* const reference = m.op;
    const Row row = m.row;
    m.row = inner.row;
    if (!encode_template(m, rules, index)) return false;
    m.op = reference;
    m.row = row;
    outer.resume(m);
    --m.dynamic_depth;
    return true;
}

// An exponent, or its constant, is the first that is met of a decimal.
[[nodiscard]] bool begin_part(EncodeMachine& m) noexcept {
    return m.op->source != EncodeInstruction::Source::exponent || !is_present(m) || split_decimal(m);
}

template <class K>
[[nodiscard]] bool begin_field(EncodeMachine& m) noexcept {
    return !std::is_same_v<K, encoded::i32> || begin_part(m);
}

// Runs to the end of the segment and leaves the instruction there.
bool run(EncodeMachine& m, const TemplateRules& rules) noexcept {
    for (;;) {
        if (m.out.overran()) [[unlikely]]
            return m.fail(Errc::limit);
        switch (m.op->opcode) {
#define TICKPATH_FAST_CASE(name, type)                             \
    case Opcode::name##_##type##_m:                                \
        if (!begin_field<encoded::type>(m)) return false;          \
        if (!encode_##name<encoded::type, false>(m)) return false; \
        m.must_send = m.sends_all;                                 \
        break;                                                     \
    case Opcode::name##_##type##_o:                                \
        if (!begin_field<encoded::type>(m)) return false;          \
        if (!encode_##name<encoded::type, true>(m)) return false;  \
        m.must_send = m.sends_all;                                 \
        break;
            TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_CASE)
#undef TICKPATH_FAST_CASE
            case Opcode::constant_:
                m.put_bit(is_present(m));
                break;
            case Opcode::store_constant_:
                if (!begin_part(m) || !check_length(m)) return false;
                break;
            case Opcode::store_optional_:
                if (!begin_part(m) || !encode_store_optional(m)) return false;
                break;
            case Opcode::exponent_:
            case Opcode::map_refill_:
                break;
            case Opcode::exponent_optional_:
                if (is_present(m)) break;
                m.op = m.program->code.data() + m.op->jump();
                continue;
            case Opcode::check_utf8_:
                if (!check_utf8(m)) return false;
                break;
            case Opcode::wrap_narrow_:
                wrap_narrow(m);
                break;
            case Opcode::check_narrow_:
                if (!check_narrow(m)) return false;
                break;
            case Opcode::check_type_:
                if (!check_type(m)) return false;
                break;
            case Opcode::group_optional_:
                m.put_bit(is_present(m));
                if (is_present(m)) break;
                m.op = m.program->code.data() + m.op->jump();
                continue;
            case Opcode::group_begin_:
                if (!encode_group(m, rules)) return false;
                break;
            case Opcode::sequence_begin_:
                if (!encode_sequence(m, rules)) return false;
                continue;
            case Opcode::dynamic_reference_:
                if (!encode_dynamic(m, rules)) return false;
                break;
            case Opcode::group_end_:
            case Opcode::element_end_:
            case Opcode::element_end_map_:
            case Opcode::element_end_sink_:
            case Opcode::element_end_map_sink_:
            case Opcode::message_end_:
                return true;
            case Opcode::stop_:  // of Templates that were cut for SequencePeek
                return m.fail(Errc::unrepresentable);
        }
        ++m.op;
    }
}

// Map and identifier (§10): a uInt32 with a copy operator. A message that resets always names its template,
// since a receiver that lost the thread waits for just that.
[[nodiscard]] bool begin_template(EncodeMachine& m, const TemplateRules& rules, std::uint32_t index,
                                  std::uint8_t*& map) noexcept {
    const TemplateCode& code = m.program->program->templates[index];
    const std::uint32_t id = m.program->template_ids[index];
    const bool resets = rules.resets[index] != 0;
    m.op = m.program->code.data() + code.first;
    if (!open_map(m, m.program->template_map_bytes[index], map)) return false;
    const bool is_sent = !m.has_template_id || m.template_id != id || resets || rules.identifies_always;
    m.put_bit(is_sent);
    if (is_sent) m.out.write_unsigned(id);
    if (resets) m.dictionary->forget();
    m.has_template_id = true;
    m.template_id = id;
    m.must_send = m.sends_all;
    return true;
}

// What a dynamic reference leads to.
bool encode_template(EncodeMachine& m, const TemplateRules& rules, std::uint32_t index) noexcept {
    std::uint8_t* map = nullptr;
    if (!begin_template(m, rules, index, map) || !run(m, rules)) return false;
    close_map(m, map, m.program->template_map_bytes[index]);
    return true;
}

}  // namespace

bool encode_message(EncodeMachine& m, const TemplateRules& rules, std::uint32_t template_index,
                    const std::uint8_t*& begin) noexcept {
    std::uint8_t* map = nullptr;
    if (!begin_template(m, rules, template_index, map) || !run(m, rules)) return false;
    const std::size_t bytes = m.program->template_map_bytes[template_index];
    const std::size_t left = end_map(map, bytes);
    std::uint8_t* const moved = map + (bytes - left);
    if (left != bytes) std::memmove(moved, map, left);
    begin = moved;
    return true;
}

}  // namespace tickpath::fast
