#include "control/cli/message_text.h"

#include "control/cli/message_json.h"
#include "decoders/base/printable.h"

namespace tickpath::cli {
namespace {

// Behind the number what FAST 1.2 says of it: "1 (Open)", "100 (nanosecond unix)".
void append_meaning(std::string& out, const fast::Field& field, const fast::Row& row) {
    if (field.presentation.kind == fast::PresentationKind::plain) return;
    const std::string meaning = field.presentation.text(row.u64(field.ref));
    if (!meaning.empty()) out += " (" + meaning + ')';
}

// Writes the value of one field.
class TextValue {
public:
    explicit TextValue(std::string& out) : out_(out) {}

    void operator()(const fast::Field&, std::uint64_t value) const { out_ += std::to_string(value); }
    void operator()(const fast::Field&, std::int64_t value) const { out_ += std::to_string(value); }
    void operator()(const fast::Field&, Decimal value) const { out_ += to_text(value); }
    void operator()(const fast::Field& field, const fast::Text& value) const {
        out_ += printable_in_line(printable_text(value, field.ref.type));
    }
    void operator()(const fast::Field&, const fast::NamedRow& group) const {
        append_text_fields(out_, group);
    }
    void operator()(const fast::Field&, const fast::NamedRows& rows) const {
        for (const fast::NamedRow row : rows)
            append_text_fields(out_, row);
    }
    void operator()(const fast::Field&, const fast::NamedMessage& inner) const {
        out_ += '<' + inner.tmpl.label() + '=';
        append_text_fields(out_, inner.fields);
        out_ += '>';
    }

private:
    std::string& out_;
};

}  // namespace

void append_text_fields(std::string& out, const fast::NamedRow& row) {
    out += '<';
    const TextValue print_value(out);
    bool is_first = true;
    for_each_field(row, [&](const fast::Field& field, const auto& value) {
        if (!is_first) out += '|';
        is_first = false;
        out += field.name + '=';
        print_value(field, value);
        append_meaning(out, field, row.row());
    });
    out += '>';
}

std::string scalar_text(const fast::Field& field, const fast::Row& row) {
    if (fast::is_text(field.ref.type)) return printable_text(row.text(field.ref), field.ref.type);
    std::string out;
    visit_field(field, row, TextValue(out));
    return out;
}

}  // namespace tickpath::cli
