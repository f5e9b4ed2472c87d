#include "control/cli/message_text.h"

#include "control/cli/message_json.h"

namespace tickpath::cli {
namespace {

// Behind the number what FAST 1.2 says of it: "1 (Open)", "100 (nanosecond unix)".
void append_meaning(std::string& out, const fast::Field& field, fast::Row row) {
    if (field.presentation.kind == fast::PresentationKind::plain) return;
    const std::string meaning = field.presentation.text(row.u64(field.ref));
    if (!meaning.empty()) out += " (" + meaning + ')';
}

void append_value(std::string& out, const fast::Field& field, fast::Row row) {
    switch (field.ref.type) {
        case fast::FieldType::group:
            append_text_fields(out, field.fields, row);
            break;
        case fast::FieldType::sequence:
            for (const fast::Row element : row.rows(field.ref))
                append_text_fields(out, field.fields, element);
            break;
        case fast::FieldType::dynamic: {
            const fast::DynamicRow inner = row.dynamic(field.ref);
            if (inner.tmpl == nullptr) break;
            out += '<' + inner.tmpl->label() + '=';
            append_text_fields(out, inner.tmpl->fields(), inner.row);
            out += '>';
            break;
        }
        default:
            out += scalar_text(field, row);
            append_meaning(out, field, row);
    }
}

}  // namespace

void append_text_fields(std::string& out, const std::vector<fast::Field>& fields, fast::Row row) {
    out += '<';
    bool is_first = true;
    for (const fast::Field& field : fields) {
        if (!row.has(field.ref)) continue;
        if (!is_first) out += '|';
        is_first = false;
        out += field.name + '=';
        append_value(out, field, row);
    }
    out += '>';
}

std::string scalar_text(const fast::Field& field, fast::Row row) {
    switch (field.ref.type) {
        case fast::FieldType::u32:
        case fast::FieldType::u64:
            return std::to_string(row.u64(field.ref));
        case fast::FieldType::i32:
        case fast::FieldType::i64:
            return std::to_string(row.i64(field.ref));
        case fast::FieldType::decimal:
            return to_text(row.decimal(field.ref));
        default:
            return printable_text(row.text(field.ref), field.ref.type);
    }
}

}  // namespace tickpath::cli
