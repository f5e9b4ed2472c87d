#include "decoders/fast/encode_program.h"

#include <string_view>

namespace tickpath::fast {
namespace {

using Source = EncodeInstruction::Source;

constexpr unsigned bits_per_map_byte = 7;

constexpr bool operator_takes_bit(std::string_view op) {
    return op != "none" && op != "delta";
}

constexpr FieldType type_spelled(std::string_view kernel) {
    if (kernel == "u32") return FieldType::u32;
    if (kernel == "i32") return FieldType::i32;
    if (kernel == "u64") return FieldType::u64;
    if (kernel == "i64") return FieldType::i64;
    if (kernel == "decimal") return FieldType::decimal;
    return kernel == "ascii" ? FieldType::ascii : FieldType::bytes;
}

// The type decides how a row's slot is read.
FieldType type_of(Opcode opcode) {
    switch (opcode) {
#define TICKPATH_FAST_CASE(op, type) \
    case Opcode::op##_##type##_m:    \
    case Opcode::op##_##type##_o:    \
        return type_spelled(#type);
        TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_CASE)
#undef TICKPATH_FAST_CASE
        case Opcode::sequence_begin_:
            return FieldType::sequence;
        case Opcode::dynamic_reference_:
            return FieldType::dynamic;
        default:
            return FieldType::u32;
    }
}

std::uint16_t map_bytes_for(unsigned bits) {
    return static_cast<std::uint16_t>((bits + bits_per_map_byte - 1) / bits_per_map_byte);
}

bool is_before_operator(Opcode opcode) {
    return opcode == Opcode::map_refill_ || opcode == Opcode::check_type_;
}

// Where the values of lengths and of a decimal's parts come from. Both are told by the instruction behind.
void name_sources(std::vector<EncodeInstruction>& code) {
    for (std::uint32_t i = 1; i < code.size(); ++i) {
        if (code[i].opcode == Opcode::sequence_begin_) {
            code[i - 1].source = Source::length;
            code[i - 1].ref = code[i].ref;
        }
        if (code[i].opcode != Opcode::exponent_ && code[i].opcode != Opcode::exponent_optional_) continue;
        std::uint32_t mantissa = i + 1;
        while (is_before_operator(code[mantissa].opcode))
            ++mantissa;
        FieldRef decimal = code[mantissa].ref;
        decimal.type = FieldType::decimal;
        code[i - 1].source = Source::exponent;
        code[i - 1].partner = mantissa;
        code[i - 1].ref = code[i].ref = code[mantissa].ref = decimal;
        code[mantissa].source = Source::mantissa;
    }
}

// Counts the presence bits of one segment, and of all that begin in it. Returns the index of what ends it.
std::uint32_t count_bits(std::vector<EncodeInstruction>& code, std::uint32_t at, unsigned& bits) {
    for (;; ++at) {
        unsigned inner = 0;
        switch (code[at].opcode) {
            case Opcode::group_begin_:
            case Opcode::sequence_begin_: {
                const std::uint32_t end = count_bits(code, at + 1, inner);
                code[at].map_bytes = map_bytes_for(inner);
                at = end;
                break;
            }
            case Opcode::group_end_:
            case Opcode::element_end_:
            case Opcode::element_end_map_:
            case Opcode::element_end_sink_:
            case Opcode::element_end_map_sink_:
            case Opcode::message_end_:
                return at;
            default:
                bits += takes_map_bit(code[at].opcode) ? 1 : 0;
        }
    }
}

}  // namespace

bool takes_map_bit(Opcode opcode) noexcept {
    switch (opcode) {
#define TICKPATH_FAST_CASE(op, type) \
    case Opcode::op##_##type##_m:    \
    case Opcode::op##_##type##_o:    \
        return operator_takes_bit(#op);
        // NOLINTNEXTLINE(bugprone-branch-clone): a case for each line of the list, equal where operators are
        TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_CASE)
#undef TICKPATH_FAST_CASE
        case Opcode::constant_:
        case Opcode::store_optional_:
        case Opcode::group_optional_:
            return true;
        default:
            return false;
    }
}

EncodeProgram::EncodeProgram(const Templates& templates) : program(&templates.program()) {
    const Program& decoding = templates.program();
    code.reserve(decoding.code.size());
    for (const Instruction& instruction : decoding.code) {
        EncodeInstruction& twin = code.emplace_back();
        twin.opcode = instruction.opcode;
        twin.flags = instruction.flags;
        twin.entry = instruction.entry;
        twin.imm = instruction.imm;
        twin.ref = {
            .slot = instruction.slot, .presence = instruction.presence, .type = type_of(instruction.opcode)};
        if (instruction.opcode == Opcode::sequence_begin_)
            twin.ref.row_words = decoding.segments[instruction.operand()].row_words;
    }
    name_sources(code);
    for (const Template& tmpl : templates.all())
        template_ids.push_back(tmpl.id());
    for (const TemplateCode& tmpl : decoding.templates) {
        unsigned bits = 1;  // the identifier's
        count_bits(code, tmpl.first, bits);
        template_map_bytes.push_back(map_bytes_for(bits));
    }
}

}  // namespace tickpath::fast
