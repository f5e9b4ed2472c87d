#include "control/cli/message_json.h"

#include "decoders/fast/utf8.h"

namespace tickpath::cli {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

void append_value(std::string& out, const fast::Field& field, fast::Row row);

void append_rows(std::string& out, const fast::Field& field, fast::Row row) {
    out += '[';
    bool is_first = true;
    for (const fast::Row element : row.rows(field.ref)) {
        if (!is_first) out += ',';
        is_first = false;
        append_json_fields(out, field.fields, element);
    }
    out += ']';
}

void append_dynamic(std::string& out, const fast::Field& field, fast::Row row) {
    const fast::DynamicRow inner = row.dynamic(field.ref);
    if (inner.tmpl == nullptr) {
        out += "null";
        return;
    }
    out += "{\"template\":";
    append_json_string(out, inner.tmpl->label());
    out += ",\"fields\":";
    append_json_fields(out, inner.tmpl->fields(), inner.row);
    out += '}';
}

void append_value(std::string& out, const fast::Field& field, fast::Row row) {
    switch (field.ref.type) {
        case fast::FieldType::u32:
        case fast::FieldType::u64:
            out += std::to_string(row.u64(field.ref));
            break;
        case fast::FieldType::i32:
        case fast::FieldType::i64:
            out += std::to_string(row.i64(field.ref));
            break;
        case fast::FieldType::decimal: {
            const Decimal value = row.decimal(field.ref);
            out +=
                "{\"m\":" + std::to_string(value.mantissa) + ",\"e\":" + std::to_string(value.exponent) + '}';
            break;
        }
        case fast::FieldType::ascii:
        case fast::FieldType::unicode:
        case fast::FieldType::bytes:
            append_json_string(out, printable_text(row.text(field.ref), field.ref.type));
            break;
        case fast::FieldType::group:
            append_json_fields(out, field.fields, row);
            break;
        case fast::FieldType::sequence:
            append_rows(out, field, row);
            break;
        case fast::FieldType::dynamic:
            append_dynamic(out, field, row);
            break;
    }
}

}  // namespace

void append_json_fields(std::string& out, const std::vector<fast::Field>& fields, fast::Row row) {
    out += '{';
    bool is_first = true;
    for (const fast::Field& field : fields) {
        if (!row.has(field.ref)) continue;
        if (!is_first) out += ',';
        is_first = false;
        append_json_string(out, field.name);
        out += ':';
        append_value(out, field, row);
    }
    out += '}';
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\u00";
            out += hex_digits[byte >> 4];
            out += hex_digits[byte & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

std::string hex_text(std::string_view bytes) {
    std::string out = "hex:";
    for (const char c : bytes) {
        out += hex_digits[static_cast<unsigned char>(c) >> 4];
        out += hex_digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

std::string printable_text(const fast::Text& text, fast::FieldType type) {
    std::string bytes = text.to_string();
    return type == fast::FieldType::bytes || !fast::is_utf8(bytes) ? hex_text(bytes) : bytes;
}

}  // namespace tickpath::cli
