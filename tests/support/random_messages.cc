#include "tests/support/random_messages.h"

#include <limits>

namespace tickpath::test {
namespace {

using fast::Field;
using fast::FieldType;

constexpr unsigned dynamic_depth_max = 4;

struct Bounds {
    std::uint64_t min;  // two's complement
    std::uint64_t max;
};

template <class T>
Bounds bounds_of_type() {
    return {static_cast<std::uint64_t>(std::numeric_limits<T>::min()),
            static_cast<std::uint64_t>(std::numeric_limits<T>::max())};
}

Bounds bounds_of(const Field& field) {
    const unsigned bits = field.presentation.bits;
    if (bits != 0 && field.ref.type == FieldType::u32) return {0, (1u << bits) - 1};
    if (bits != 0) return {~std::uint64_t{0} << (bits - 1), (1u << (bits - 1)) - 1};
    switch (field.ref.type) {
        case FieldType::u32:
            return bounds_of_type<std::uint32_t>();
        case FieldType::i32:
            return bounds_of_type<std::int32_t>();
        case FieldType::u64:
            return bounds_of_type<std::uint64_t>();
        default:
            return bounds_of_type<std::int64_t>();
    }
}

bool is_within(const Field& field, std::uint64_t value) {
    const Bounds bounds = bounds_of(field);
    if (!is_signed(field.ref.type)) return value <= bounds.max;
    return static_cast<std::int64_t>(value) >= static_cast<std::int64_t>(bounds.min) &&
           static_cast<std::int64_t>(value) <= static_cast<std::int64_t>(bounds.max);
}

}  // namespace

bool RandomMessages::build(fast::MessageBuilder& builder, const fast::Template& tmpl) {
    templates_ = &builder.templates();
    fill(builder.begin(tmpl), tmpl.fields(), 0);
    return builder.finish();
}

void RandomMessages::fill(fast::RowBuilder row, const std::vector<Field>& fields, unsigned depth) {
    for (const Field& field : fields)
        if (!field.optional || chance(65)) set(row, field, depth);
}

void RandomMessages::set(fast::RowBuilder row, const Field& field, unsigned depth) {
    if (field.ref.constant) {
        row.set_present(field.ref);
        return;
    }
    switch (field.ref.type) {
        case FieldType::u32:
        case FieldType::u64:
            row.set_u64(field.ref, static_cast<std::uint64_t>(integer(field)));
            break;
        case FieldType::i32:
        case FieldType::i64:
            row.set_i64(field.ref, integer(field));
            break;
        case FieldType::decimal:
            row.set_decimal(field.ref, decimal(field));
            break;
        case FieldType::ascii:
        case FieldType::unicode:
        case FieldType::bytes:
            row.set_text(field.ref, text(field));
            break;
        case FieldType::group:
            row.set_present(field.ref);
            fill(row, field.fields, depth);
            break;
        case FieldType::sequence:
            row.set_empty(field.ref);
            for (std::uint64_t i = 0, count = below(4); i < count; ++i)
                fill(row.add_element(field.ref), field.fields, depth);
            break;
        case FieldType::dynamic:
            if (depth == dynamic_depth_max) break;  // and so the message is incomplete
            const fast::Template& inner = templates_->all()[below(templates_->all().size())];
            fill(row.set_dynamic(field.ref, inner), inner.fields(), depth + 1);
            break;
    }
}

std::int64_t RandomMessages::integer(const Field& field) {
    const Bounds bounds = bounds_of(field);
    std::int64_t& last = integers_[&field];
    auto value = static_cast<std::uint64_t>(last);
    const std::uint64_t kind = below(100);
    if (kind < 30) {
        value += 1;
    } else if (kind < 50) {
        // as it was
    } else if (kind < 60) {
        value = chance(50) ? bounds.min : bounds.max;
    } else if (kind < 85) {
        value = below(6) - (is_signed(field.ref.type) ? 3 : 0);
    } else {
        value = source_(8) >> below(64);
    }
    if (!is_within(field, value)) value = bounds.min;
    last = static_cast<std::int64_t>(value);
    return last;
}

Decimal RandomMessages::decimal(const Field& field) {
    Decimal& value = decimals_[&field];
    const std::uint64_t kind = below(100);
    if (kind < 40) {
        value.mantissa += chance(90) && value.mantissa != std::numeric_limits<std::int64_t>::max() ? 1 : 0;
    } else if (kind < 75) {
        value = {static_cast<std::int64_t>(below(40)) * 25 - 300, static_cast<std::int32_t>(below(9)) - 4};
    } else if (kind < 80) {
        value.mantissa =
            chance(50) ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    } else if (kind < 85) {
        value.exponent = chance(50) ? -63 : 63;
    } else if (kind < 95) {
        value = {-7, 3};
    } else {
        value.mantissa = static_cast<std::int64_t>(source_(8) >> below(64));
    }
    return value;
}

std::string RandomMessages::text(const Field& field) {
    std::string& last = texts_[&field];
    const std::uint64_t kind = below(100);
    if (kind < 30) return last;
    const std::string piece = fresh_text(field.ref.type);
    if (kind < 45 && last.size() < 40) {
        last += piece;
    } else if (kind < 60 && last.size() < 40) {
        last = piece + last;
    } else if (kind < 75 && !last.empty() && field.ref.type != FieldType::unicode) {
        last.back() = 'Z';  // of unicode this might be half a character
    } else if (kind < 80) {
        last.clear();
    } else {
        last = piece;
    }
    return last;
}

std::string RandomMessages::fresh_text(FieldType type) {
    static const std::string pieces[] = {"A", "AB", "ABC", "2026", "20260101", ""};
    if (chance(80)) return pieces[below(6)];
    if (type == FieldType::unicode) return chance(50) ? "\xC3\x85" : "\xE2\x82\xAC";
    std::string out;
    for (std::uint64_t i = 0, count = below(6); i < count; ++i)
        out += static_cast<char>(chance(20) ? 0 : below(type == FieldType::ascii ? 128 : 256));
    return out;
}

}  // namespace tickpath::test
