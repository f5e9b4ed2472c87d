// A decoded FAST message as JSON, in the form of the expected files: absent fields left out, decimals
// {"m","e"}, byte vectors "hex:…", a dynamic reference "<dyn>".
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "decoders/fast/templates.h"

namespace tickpath::test {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline std::string hex_text(const std::string& bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out = "hex:";
    for (const char c : bytes) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

[[nodiscard]] Json fast_fields(const std::vector<fast::Field>& fields, fast::Row row);

[[nodiscard]] inline Json fast_value(const fast::Field& field, fast::Row row) {
    using fast::FieldType;
    const fast::FieldRef f = field.ref;
    switch (f.type) {
        case FieldType::u32:
        case FieldType::u64:
            return row.u64(f);
        case FieldType::i32:
        case FieldType::i64:
            return row.i64(f);
        case FieldType::decimal:
            return Json{{"m", row.decimal(f).mantissa}, {"e", row.decimal(f).exponent}};
        case FieldType::ascii:
        case FieldType::unicode:
            return row.text(f).to_string();
        case FieldType::bytes:
            return hex_text(row.text(f).to_string());
        case FieldType::group:
            return fast_fields(field.fields, row);
        case FieldType::sequence: {
            Json rows = Json::array();
            for (const fast::Row element : row.rows(f))
                rows.push_back(fast_fields(field.fields, element));
            return rows;
        }
        case FieldType::dynamic: {
            const fast::DynamicRow inner = row.dynamic(f);
            return Json{{"template", inner.tmpl->label()},
                        {"fields", fast_fields(inner.tmpl->fields(), inner.row)}};
        }
    }
    return {};
}

inline Json fast_fields(const std::vector<fast::Field>& fields, fast::Row row) {
    Json out = Json::object();
    for (const fast::Field& field : fields)
        if (row.has(field.ref)) out[field.name] = fast_value(field, row);
    return out;
}

[[nodiscard]] inline Json fast_message(const fast::Message& message) {
    return {{"template", message.tmpl().label()},
            {"fields", fast_fields(message.tmpl().fields(), message.root())}};
}

}  // namespace tickpath::test
