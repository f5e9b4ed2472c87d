#include "control/doctor/leaves.h"

#include <functional>
#include <string_view>

#include "decoders/base/decimal.h"

namespace tickpath::doctor {
namespace {

constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) noexcept {
    return (seed ^ value) * 0x9E37'79B9'7F4A'7C15u + (seed >> 29);
}

Leaf value_of(const fast::Field& field, fast::Row row) {
    using fast::FieldType;
    Leaf leaf;
    leaf.field = &field;
    leaf.present = row.has(field.ref);
    leaf.is_number = !is_text(field.ref.type);
    if (!leaf.present) return leaf;
    if (field.ref.type == FieldType::decimal) {
        leaf.number = row.decimal(field.ref).mantissa;
        leaf.exponent = row.decimal(field.ref).exponent;
    } else if (is_text(field.ref.type)) {
        leaf.text = row.text(field.ref).to_string();
    } else if (field.ref.type == FieldType::sequence) {
        leaf.number = static_cast<std::int64_t>(row.rows(field.ref).size());
    } else {
        leaf.number = row.i64(field.ref);
    }
    return leaf;
}

}  // namespace

void append_leaves(const std::vector<fast::Field>& fields, fast::Row row, std::vector<Leaf>& out) {
    using fast::FieldType;
    for (const fast::Field& field : fields) {
        if (field.ref.type == FieldType::group) {
            if (row.has(field.ref)) append_leaves(field.fields, row, out);
        } else if (field.ref.type == FieldType::dynamic) {
            if (const fast::DynamicRow inner = row.dynamic(field.ref); inner.tmpl != nullptr)
                append_leaves(inner.tmpl->fields(), inner.row, out);
        } else {
            out.push_back(value_of(field, row));
            if (field.ref.type != FieldType::sequence) continue;
            for (const fast::Row element : row.rows(field.ref))
                append_leaves(field.fields, element, out);
        }
    }
}

std::string to_text(const Leaf& leaf) {
    if (!leaf.present) return "nothing";
    if (!leaf.is_number) return leaf.text;
    const bool is_unsigned =
        leaf.field->ref.type == fast::FieldType::u64 || leaf.field->ref.type == fast::FieldType::u32;
    if (is_unsigned) return std::to_string(static_cast<std::uint64_t>(leaf.number));
    if (leaf.exponent != 0) return std::to_string(leaf.number) + 'e' + std::to_string(leaf.exponent);
    return std::to_string(leaf.number);
}

std::uint64_t hash_of(const std::vector<Leaf>& leaves, std::uint64_t seed) noexcept {
    for (const Leaf& leaf : leaves) {
        seed = mix(seed, leaf.present ? 1u : 0u);
        seed = mix(seed, static_cast<std::uint64_t>(leaf.number));
        seed = mix(seed, static_cast<std::uint64_t>(leaf.exponent));
        if (!leaf.text.empty()) seed = mix(seed, std::hash<std::string_view>{}(leaf.text));
    }
    return seed;
}

}  // namespace tickpath::doctor
