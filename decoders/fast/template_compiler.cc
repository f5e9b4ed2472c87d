#include "decoders/fast/template_compiler.h"

#include <algorithm>
#include <array>
#include <limits>

#include "decoders/fast/presence_map.h"
#include "decoders/fast/segment_facts.h"

namespace tickpath::fast {
namespace {

using Kind = FieldDefinition::Kind;

// Reads may run this far into the sentinels in one entity: ten bytes of integer, or one load of eight.
constexpr std::uint32_t entity_padding_bytes = 18;

constexpr unsigned map_bits_max = map_bits_in_register;

struct FusedOpcode {
    Operator op;
    std::string_view type;
    Opcode mandatory;
};

constexpr Operator operator_spelled(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, Operator>, 6> names = {
        {{"none", Operator::none},
         {"default", Operator::default_},
         {"copy", Operator::copy},
         {"increment", Operator::increment},
         {"delta", Operator::delta},
         {"tail", Operator::tail}}};
    for (const auto& [spelling, op] : names)
        if (spelling == name) return op;
    return Operator::constant;
}

constexpr FusedOpcode fused_opcodes[] = {
#define TICKPATH_FAST_OP(op, type) {operator_spelled(#op), #type, Opcode::op##_##type##_m},
    TICKPATH_FAST_FIELD_OPS(TICKPATH_FAST_OP)
#undef TICKPATH_FAST_OP
};

std::string_view kernel_of(FieldType type) {
    switch (type) {
        case FieldType::u32:
            return "u32";
        case FieldType::i32:
            return "i32";
        case FieldType::u64:
            return "u64";
        case FieldType::i64:
            return "i64";
        case FieldType::decimal:
            return "decimal";
        case FieldType::ascii:
            return "ascii";
        default:
            return "bytes";
    }
}

Opcode fused(Operator op, FieldType type, bool optional) {
    const auto* const found =
        std::find_if(std::begin(fused_opcodes), std::end(fused_opcodes), [&](const FusedOpcode& candidate) {
            return candidate.op == op && candidate.type == kernel_of(type);
        });
    return static_cast<Opcode>(static_cast<std::uint8_t>(found->mandatory) + (optional ? 1 : 0));
}

bool uses_dictionary(Operator op) {
    return op == Operator::copy || op == Operator::increment || op == Operator::delta || op == Operator::tail;
}

// The key of an entry: the dictionary it is in, then its name. Control characters keep the parts apart.
std::string entry_key(const OperatorDefinition& op, const std::string& current_template,
                      const std::string& current_type) {
    std::string dictionary = "user\x01" + op.dictionary;
    if (op.dictionary == "global") dictionary = "global";
    if (op.dictionary == "template") dictionary = "template\x01" + current_template;
    if (op.dictionary == "type") dictionary = "type\x01" + current_type;
    return dictionary + '\x02' + op.key.ns + '\x01' + op.key.local;
}

std::string joined(const Name& name) {
    return name.ns + '\x01' + name.local;
}

// "Name", or "Name#2" for the second of that name among its siblings.
std::string unique_name(const std::string& name, std::set<std::string>& taken) {
    std::string candidate = name;
    for (unsigned count = 2; !taken.insert(candidate).second; ++count)
        candidate = name + '#' + std::to_string(count);
    return candidate;
}

unsigned slot_count(FieldType type) {
    return type == FieldType::decimal ? 2 : 1;
}

}  // namespace

std::vector<Field> TemplateCompiler::compile(const TemplateDefinition& definition) {
    file_ = definition.file;
    code_.first = static_cast<std::uint32_t>(program_.code.size());
    code_.resets = definition.resets;
    code_.wide_map = map_bits(definition.fields, names_) + 1 > map_bits_max;  // the identifier takes one
    const unsigned presence_words = presence_bits(definition.fields, names_) / 64 + 1;
    one_presence_word_ = presence_words == 1;
    code_.presence_words = narrowed(presence_words, "presence words");

    Row row{.next_slot = presence_words};
    std::set<std::string> names;
    const std::string own_name = definition.name.local.empty() && definition.id
                                     ? std::to_string(*definition.id)
                                     : joined(definition.name);
    const Place place{.row = &row,
                      .names = &names,
                      .wide_map = code_.wide_map,
                      .dictionary_template = own_name,
                      .dictionary_type = definition.type_ref ? joined(*definition.type_ref) : "any"};
    std::vector<Field> fields;
    count_reads(2);  // presence map and identifier
    compile_fields(definition.fields, place, fields);
    path_ = 0;
    emit(Opcode::message_end_, {});
    code_.row_words = narrowed(row.next_slot, "slots");
    return fields;
}

void TemplateCompiler::compile_fields(const std::vector<FieldDefinition>& fields, const Place& place,
                                      std::vector<Field>& out) {
    for (const FieldDefinition& definition : fields) {
        if (definition.kind == Kind::static_reference) {
            // The referred template is the current one while its instructions are processed (§6.4).
            const TemplateDefinition& referred = *names_.find(definition.name);
            Place inside = place;
            inside.dictionary_template = joined(referred.name);
            if (referred.type_ref) inside.dictionary_type = joined(*referred.type_ref);
            compile_fields(referred.fields, inside, out);
            continue;
        }
        Field field;
        field.name = unique_name(definition.kind == Kind::dynamic_reference ? "<dyn>" : definition.name.local,
                                 *place.names);
        field.id = definition.id;
        field.optional = definition.optional;
        field.line = definition.line;
        program_.paths.push_back(place.path + field.name);
        path_ = static_cast<std::uint32_t>(program_.paths.size() - 1);
        switch (definition.kind) {
            case Kind::scalar:
                compile_scalar(definition, place, field);
                break;
            case Kind::group:
                compile_group(definition, place, field);
                break;
            case Kind::sequence:
                compile_sequence(definition, place, field);
                break;
            case Kind::static_reference:
            case Kind::dynamic_reference:
                compile_dynamic(place, field);
                break;
        }
        out.push_back(std::move(field));
    }
}

void TemplateCompiler::compile_scalar(const FieldDefinition& field, const Place& place, Field& out) {
    out.ref.type = field.type;
    out.presentation = field.presentation;
    out.ref.presence = take_presence(field, place);
    out.op = field.op.op;
    if (field.individual_operators) {
        out.individual_operators = true;
        out.exponent_op = field.exponent.op;
        out.mantissa_op = field.mantissa.op;
        out.ref.slot = take_slots(*place.row, 2);
        return compile_individual(field, place, out);
    }
    if (field.op.op != Operator::constant) {
        out.ref.slot = take_slots(*place.row, slot_count(field.type));
        return emit_operator(field.op, field.type, field.optional, out.ref, place, field.presentation.bits);
    }
    out.ref.constant = true;
    out.ref.slot = constant_slots(*field.op.initial, field.type);
    if (!field.optional) return;
    emit_refill(place);
    emit(Opcode::constant_, out.ref);
}

void TemplateCompiler::compile_individual(const FieldDefinition& field, const Place& place,
                                          const Field& out) {
    FieldRef exponent = out.ref;
    exponent.slot = static_cast<std::uint16_t>(out.ref.slot + 1);
    compile_part(field.exponent, FieldType::i32, field.optional, exponent, place);
    const std::size_t check = program_.code.size();
    emit(field.optional ? Opcode::exponent_optional_ : Opcode::exponent_, exponent);
    compile_part(field.mantissa, FieldType::i64, false, out.ref, place);
    if (field.optional) patch_jump(check);
}

void TemplateCompiler::compile_part(const OperatorDefinition& op, FieldType type, bool optional, FieldRef ref,
                                    const Place& place) {
    if (op.op == Operator::constant) return emit_stored_constant(op.initial->integer, optional, ref, place);
    emit_operator(op, type, optional, ref, place);
    program_.code.back().flags |= Instruction::decimal_part;
}

void TemplateCompiler::compile_group(const FieldDefinition& field, const Place& place, Field& out) {
    out.ref.type = FieldType::group;
    out.ref.presence = take_presence(field, place);
    std::size_t presence_test = 0;
    if (field.optional) {
        emit_refill(place);
        presence_test = program_.code.size();
        emit(Opcode::group_optional_, out.ref);
    }
    const unsigned bits = map_bits(field.fields, names_);
    const auto segment_index = static_cast<std::uint32_t>(program_.segments.size());
    if (bits != 0) {
        program_.segments.push_back({.has_map = true, .wide_map = bits > map_bits_max});
        emit(Opcode::group_begin_, out.ref).imm = segment_index;
        count_reads(1);
        enter_segment();
    }
    std::set<std::string> names;
    Place inside = place;
    inside.names = &names;
    inside.presence = out.ref.presence;
    inside.wide_map = bits > map_bits_max;
    inside.path = place.path + out.name + '/';
    if (field.type_ref) inside.dictionary_type = joined(*field.type_ref);
    const std::uint32_t path = path_;
    compile_fields(field.fields, inside, out.fields);
    path_ = path;
    if (bits != 0) {
        emit(Opcode::group_end_, out.ref).imm = segment_index;
        --depth_;
    }
    if (field.optional) patch_jump(presence_test);
}

void TemplateCompiler::compile_sequence(const FieldDefinition& field, const Place& place, Field& out) {
    out.ref.type = FieldType::sequence;
    out.ref.presence = take_presence(field, place);
    out.ref.slot = take_slots(*place.row, 1);
    out.op = field.op.op;
    if (field.op.op == Operator::constant) {
        emit_stored_constant(field.op.initial->integer, field.optional, out.ref, place);
    } else {
        emit_operator(field.op, FieldType::u32, field.optional, out.ref, place);
    }

    const unsigned bits = map_bits(field.fields, names_);
    const unsigned presence_words = presence_bits(field.fields, names_) / 64 + 1;
    one_presence_word_ = one_presence_word_ && presence_words == 1;
    const auto segment_index = static_cast<std::uint32_t>(program_.segments.size());
    program_.segments.push_back(
        {.presence_words = narrowed(presence_words, "presence words"),
         .bytes_min = narrowed(bytes_min(field.fields, names_) + (bits != 0 ? 1 : 0), "bytes"),
         .has_map = bits != 0,
         .wide_map = bits > map_bits_max});
    const std::size_t begin = program_.code.size();
    emit(Opcode::sequence_begin_, out.ref).imm = segment_index;
    reads_ = bits != 0 ? 1 : 0;  // sequence_begin looks at the input's end
    program_.segments[segment_index].first = static_cast<std::uint32_t>(program_.code.size());
    enter_segment();

    Row row{.next_slot = presence_words};
    std::set<std::string> names;
    Place inside = place;
    inside.row = &row;
    inside.names = &names;
    inside.presence = 0;
    inside.wide_map = bits > map_bits_max;
    inside.path = place.path + out.name + '/';
    if (field.type_ref) inside.dictionary_type = joined(*field.type_ref);
    const std::uint32_t path = path_;
    compile_fields(field.fields, inside, out.fields);
    path_ = path;
    emit(bits != 0 ? Opcode::element_end_map_ : Opcode::element_end_, out.ref).flags =
        bits > map_bits_max ? Instruction::wide_map : 0;
    reads_ = 0;
    --depth_;
    out.ref.row_words = narrowed(row.next_slot, "slots");
    program_.segments[segment_index].row_words = out.ref.row_words;
    patch_jump(begin);
}

void TemplateCompiler::compile_dynamic(const Place& place, Field& out) {
    out.ref.type = FieldType::dynamic;
    out.ref.presence = narrowed(place.presence, "presence bits");
    out.ref.slot = take_slots(*place.row, 1);
    has_dynamic_reference_ = true;
    emit(Opcode::dynamic_reference_, out.ref);
    reads_ = 0;  // the referred template ends with a look at the input's end
    enter_segment();
    --depth_;
}

void TemplateCompiler::emit_operator(const OperatorDefinition& op, FieldType type, bool optional,
                                     FieldRef ref, const Place& place, unsigned bits) {
    if (takes_bit(op.op, optional)) emit_refill(place);
    EntryDefinition* entry = nullptr;
    if (uses_dictionary(op.op)) {
        entry = &entries_[entry_key(op, place.dictionary_template, place.dictionary_type)];
        if (entry->types.empty()) {
            entry->name = op.key.local;
            entry->file = file_;
            entry->line = op.line;
        }
        entry->types.insert(type);
        if (entry->types.size() > 1) {
            Instruction& check = emit(Opcode::check_type_, ref);
            check.imm = static_cast<std::uint64_t>(type);
            const bool reads_previous = op.op == Operator::delta || op.op == Operator::tail;
            check.flags = reads_previous ? 0 : Instruction::overwrites;
            entry_uses_.push_back({program_.code.size() - 1, entry});
        }
    }
    if (bits != 0 && op.op == Operator::increment) {
        emit_narrow(Opcode::wrap_narrow_, type, op.op, ref, bits);
        entry_uses_.push_back({program_.code.size() - 1, entry});
    }
    Instruction& instruction = emit(fused(op.op, type, optional), ref);
    if (op.initial) {
        instruction.flags = Instruction::has_initial;
        instruction.imm = initial_imm(*op.initial, type);
    }
    if (entry != nullptr) entry_uses_.push_back({program_.code.size() - 1, entry});
    count_reads(2);
    const bool combines = op.op == Operator::delta || op.op == Operator::tail;
    if (type == FieldType::unicode && combines) emit(Opcode::check_utf8_, ref);
    if (bits != 0) emit_narrow(Opcode::check_narrow_, type, op.op, ref, bits);
}

void TemplateCompiler::emit_narrow(Opcode opcode, FieldType type, Operator op, FieldRef ref, unsigned bits) {
    Instruction& instruction = emit(opcode, ref);
    instruction.imm = bits;
    instruction.flags = static_cast<std::uint8_t>((type == FieldType::i32 ? Instruction::is_signed : 0) |
                                                  (op == Operator::delta ? Instruction::delta_result : 0));
}

void TemplateCompiler::emit_stored_constant(std::uint64_t value, bool optional, FieldRef ref,
                                            const Place& place) {
    if (optional) emit_refill(place);
    emit(optional ? Opcode::store_optional_ : Opcode::store_constant_, ref).imm = value;
}

void TemplateCompiler::emit_refill(const Place& place) {
    if (place.wide_map) emit(Opcode::map_refill_, {});
}

Instruction& TemplateCompiler::emit(Opcode opcode, FieldRef ref) {
    program_.places.push_back({.template_index = template_index_, .path = path_});
    return program_.code.emplace_back(
        Instruction{.opcode = opcode, .slot = ref.slot, .presence = ref.presence, .entry = 0, .imm = 0});
}

void TemplateCompiler::patch_jump(std::size_t instruction) {
    program_.code[instruction].imm |= std::uint64_t{program_.code.size()} << 32;
}

void TemplateCompiler::count_reads(std::uint32_t reads) {
    reads_ += reads;
    program_.padding_bytes = std::max(program_.padding_bytes, reads_ + entity_padding_bytes);
}

void TemplateCompiler::enter_segment() {
    program_.depth_max = std::max(program_.depth_max, ++depth_);
}

std::uint16_t TemplateCompiler::take_slots(Row& row, std::uint32_t count) {
    const std::uint32_t slot = row.next_slot;
    row.next_slot += count;
    static_cast<void>(narrowed(row.next_slot, "slots"));
    return static_cast<std::uint16_t>(slot);
}

// A mandatory field is there when what surrounds it is.
std::uint16_t TemplateCompiler::take_presence(const FieldDefinition& field, const Place& place) {
    return narrowed(field.optional ? place.row->next_presence++ : place.presence, "presence bits");
}

std::uint64_t TemplateCompiler::initial_imm(const InitialValue& value, FieldType type) {
    if (is_text(type)) return text_constant(value.text);
    if (type != FieldType::decimal) return value.integer;
    program_.decimals.push_back(value.decimal);
    return program_.decimals.size() - 1;
}

std::uint16_t TemplateCompiler::constant_slots(const InitialValue& value, FieldType type) {
    const std::uint16_t slot = narrowed(program_.constants.size(), "constants");
    if (type == FieldType::decimal) {
        program_.constants.push_back(static_cast<std::uint64_t>(value.decimal.mantissa));
        program_.constants.push_back(static_cast<std::uint64_t>(std::int64_t{value.decimal.exponent}));
    } else {
        program_.constants.push_back(is_text(type) ? text_constant(value.text) : value.integer);
    }
    return slot;
}

std::uint64_t TemplateCompiler::text_constant(const std::string& text) {
    const std::size_t offset = program_.text.size();
    program_.text += text;
    return text_slot(TextSpace::constants, offset, text.size());
}

// Everything an instruction addresses has 16 bits.
std::uint16_t TemplateCompiler::narrowed(std::size_t value, const char* what) {
    if (value <= std::numeric_limits<std::uint16_t>::max()) return static_cast<std::uint16_t>(value);
    if (overflow_.empty()) overflow_ = what;
    return 0;
}

}  // namespace tickpath::fast
