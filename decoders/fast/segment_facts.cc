#include "decoders/fast/segment_facts.h"

namespace tickpath::fast {
namespace {

using Fields = std::vector<FieldDefinition>;
using Kind = FieldDefinition::Kind;

unsigned scalar_map_bits(const FieldDefinition& field) noexcept {
    if (!field.individual_operators) return takes_bit(field.op.op, field.optional) ? 1 : 0;
    return (takes_bit(field.exponent.op, field.optional) ? 1u : 0u) +
           (takes_bit(field.mantissa.op, false) ? 1u : 0u);
}

// A field is on the wire for certain when it has no operator, or delta: even NULL takes a byte.
unsigned operator_bytes_min(Operator op, unsigned value_bytes) noexcept {
    return op == Operator::none || op == Operator::delta ? value_bytes : 0;
}

unsigned scalar_bytes_min(const FieldDefinition& field) noexcept {
    if (field.individual_operators)
        return operator_bytes_min(field.exponent.op, 1) +
               (field.optional ? 0 : operator_bytes_min(field.mantissa.op, 1));
    const bool has_two_parts =
        field.type == FieldType::decimal || (is_text(field.type) && field.op.op == Operator::delta);
    return operator_bytes_min(field.op.op, has_two_parts && !field.optional ? 2 : 1);
}

}  // namespace

bool takes_bit(Operator op, bool optional) noexcept {
    switch (op) {
        case Operator::none:
        case Operator::delta:
            return false;
        case Operator::constant:
            return optional;
        case Operator::default_:
        case Operator::copy:
        case Operator::increment:
        case Operator::tail:
            return true;
    }
    return false;
}

unsigned map_bits(const Fields& fields, const TemplateNames& names) {
    unsigned bits = 0;
    for (const FieldDefinition& field : fields) {
        switch (field.kind) {
            case Kind::scalar:
                bits += scalar_map_bits(field);
                break;
            case Kind::group:
                bits += field.optional ? 1 : 0;
                break;
            case Kind::sequence:
                bits += takes_bit(field.op.op, field.optional) ? 1 : 0;
                break;
            case Kind::static_reference:
                bits += map_bits(names.find(field.name)->fields, names);
                break;
            case Kind::dynamic_reference:
                break;
        }
    }
    return bits;
}

unsigned presence_bits(const Fields& fields, const TemplateNames& names) {
    unsigned bits = 0;
    for (const FieldDefinition& field : fields) {
        bits += field.optional ? 1 : 0;
        if (field.kind == Kind::group) bits += presence_bits(field.fields, names);
        if (field.kind == Kind::static_reference)
            bits += presence_bits(names.find(field.name)->fields, names);
    }
    return bits;
}

unsigned bytes_min(const Fields& fields, const TemplateNames& names) {
    unsigned bytes = 0;
    for (const FieldDefinition& field : fields) {
        switch (field.kind) {
            case Kind::scalar:
                bytes += scalar_bytes_min(field);
                break;
            case Kind::group:
                if (!field.optional)
                    bytes += bytes_min(field.fields, names) + (map_bits(field.fields, names) != 0 ? 1 : 0);
                break;
            case Kind::sequence:
                bytes += operator_bytes_min(field.op.op, 1);
                break;
            case Kind::static_reference:
                bytes += bytes_min(names.find(field.name)->fields, names);
                break;
            case Kind::dynamic_reference:
                bytes += 1;
                break;
        }
    }
    return bytes;
}

}  // namespace tickpath::fast
