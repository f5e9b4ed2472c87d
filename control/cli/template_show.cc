#include "control/cli/template_show.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "control/cli/message_json.h"
#include "decoders/base/printable.h"
#include "decoders/fast/entry_name.h"
#include "decoders/fast/explain.h"
#include "decoders/fast/segment_facts.h"

namespace tickpath::cli {
namespace {

using fast::FieldDefinition;
using fast::FieldType;
using fast::Operator;
using fast::OperatorDefinition;
using Kind = FieldDefinition::Kind;

constexpr std::size_t column_count = 5;
constexpr std::array<std::string_view, column_count> headings = {"bit", "field", "type", "operator", "entry"};

std::string value_text(const fast::InitialValue& value, FieldType type) {
    if (type == FieldType::bytes) return hex_text(value.text);
    if (is_text(type)) return '"' + value.text + '"';
    if (type == FieldType::decimal) return to_text(value.decimal);
    return is_signed(type) ? std::to_string(static_cast<std::int64_t>(value.integer))
                           : std::to_string(value.integer);
}

std::string operator_text(const OperatorDefinition& op, FieldType type) {
    if (op.op == Operator::none) return "";
    return std::string(name_of(op.op)) + (op.initial ? ' ' + value_text(*op.initial, type) : "");
}

std::string bits_text(unsigned bits) {
    return fmt::format("{} {}, {} {}", bits, bits == 1 ? "bit" : "bits", (bits + 6) / 7,
                       bits <= 7 ? "byte" : "bytes");
}

// Walks a template in wire order and counts the bits of each map.
class Table {
public:
    explicit Table(const fast::TemplateNames& names) : names_(names) {}

    void add_fields(const std::vector<FieldDefinition>& fields, const fast::DictionaryScope& scope,
                    unsigned& bit, const std::string& indent) {
        for (const FieldDefinition& field : fields) {
            switch (field.kind) {
                case Kind::scalar:
                    add_scalar(field, scope, bit, indent);
                    break;
                case Kind::group:
                    add_group(field, scope, indent, field.optional ? ++bit : 0);
                    break;
                case Kind::sequence:
                    add_sequence(field, scope, bit, indent);
                    break;
                case Kind::static_reference: {
                    const fast::TemplateDefinition& referred = *names_.find(field.name);
                    add({"", indent + "(fields of template " + referred.name.local + ')', "", "", ""});
                    fast::DictionaryScope inside = scope;
                    inside.enter(referred);
                    add_fields(referred.fields, inside, bit, indent);
                    break;
                }
                case Kind::dynamic_reference:
                    add({"", indent + "<dyn>", "any template", "", "its own presence map"});
                    break;
            }
        }
    }

    [[nodiscard]] std::string text() const {
        std::array<std::size_t, column_count> widths{};
        for (const Row& row : rows_)
            for (std::size_t i = 0; i < column_count; ++i)
                widths[i] = std::max(widths[i], row[i].size());
        std::string out;
        for (const Row& row : rows_) {
            std::string line = fmt::format("{:>{}}", row[0], widths[0] + 2);
            for (std::size_t i = 1; i < column_count; ++i)
                line += fmt::format("  {:<{}}", row[i], widths[i]);
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + '\n';
        }
        return out;
    }

private:
    using Row = std::array<std::string, column_count>;
    // Names may hold any character, and each row stays on its line.
    void add(Row row) {
        for (std::string& cell : row)
            cell = printable_in_line(cell);
        rows_.push_back(std::move(row));
    }

    static std::string type_text(const FieldDefinition& field, FieldType type) {
        std::string out = field.optional ? "optional " : "";
        out += type_name(type, field.kind == Kind::scalar ? &field.presentation : nullptr);
        if (!field.id.empty()) out += " (" + field.id + ')';
        return out;
    }

    // Takes the operator's bit, if it has one.
    Row operator_row(const OperatorDefinition& op, FieldType type, bool optional,
                     const fast::DictionaryScope& scope, unsigned& bit) const {
        Row row;
        if (fast::takes_bit(op.op, optional)) row[0] = std::to_string(++bit);
        row[3] = operator_text(op, type);
        if (!fast::uses_dictionary(op.op)) return row;
        const fast::EntryName entry = entry_name(op, scope);
        row[4] = shown_key(entry) + " in " + entry.dictionary;
        return row;
    }

    void add_scalar(const FieldDefinition& field, const fast::DictionaryScope& scope, unsigned& bit,
                    const std::string& indent) {
        if (!field.individual_operators) {
            Row row = operator_row(field.op, field.type, field.optional, scope, bit);
            row[1] = indent + field.name.local;
            row[2] = type_text(field, field.type);
            return add(std::move(row));
        }
        add({"", indent + field.name.local, type_text(field, field.type), "", ""});
        Row exponent = operator_row(field.exponent, FieldType::i32, field.optional, scope, bit);
        exponent[1] = indent + "  exponent";
        exponent[2] = "int32";
        add(std::move(exponent));
        Row mantissa = operator_row(field.mantissa, FieldType::i64, false, scope, bit);
        mantissa[1] = indent + "  mantissa";
        mantissa[2] = "int64";
        add(std::move(mantissa));
    }

    void add_sequence(const FieldDefinition& field, const fast::DictionaryScope& scope, unsigned& bit,
                      const std::string& indent) {
        Row row = operator_row(field.op, FieldType::u32, field.optional, scope, bit);
        row[1] = indent + field.name.local;
        row[2] = type_text(field, FieldType::sequence);
        row[3] = row[3].empty() ? "" : "length " + row[3];
        add(std::move(row));
        add_inside(field, scope, indent, "per element");
    }

    void add_group(const FieldDefinition& field, const fast::DictionaryScope& scope,
                   const std::string& indent, unsigned own_bit) {
        add({own_bit == 0 ? "" : std::to_string(own_bit), indent + field.name.local,
             type_text(field, FieldType::group), "", ""});
        add_inside(field, scope, indent, "of the group");
    }

    void add_inside(const FieldDefinition& field, fast::DictionaryScope scope, const std::string& indent,
                    std::string_view whose) {
        if (field.type_ref) scope.current_type = *field.type_ref;
        const unsigned bits = fast::map_bits(field.fields, names_);
        if (bits != 0)
            add({"", indent + "  (presence map " + std::string(whose) + ": " + bits_text(bits) + ')', "", "",
                 ""});
        unsigned own_bit = 0;
        add_fields(field.fields, scope, own_bit, indent + "  ");
    }

    const fast::TemplateNames& names_;
    std::vector<Row> rows_ = {{std::string(headings[0]), std::string(headings[1]), std::string(headings[2]),
                               std::string(headings[3]), std::string(headings[4])}};
};

}  // namespace

std::string show_template(const fast::TemplateDefinition& definition, const fast::TemplateNames& names) {
    std::string out = printable_in_line(label_of(definition));
    out += definition.id ? fmt::format("  id {}", *definition.id) : "  without id: only referred to";
    out += fmt::format(", {}:{}", printable_in_line(definition.file), definition.line);
    if (definition.resets) out += ", resets dictionaries";
    out += fmt::format("\npresence map: {}; bit 1 says that the template identifier is there\n",
                       bits_text(fast::map_bits(definition.fields, names) + 1));
    Table table(names);
    unsigned bit = 1;
    table.add_fields(definition.fields, fast::DictionaryScope::of(definition), bit, "");
    return out + table.text();
}

}  // namespace tickpath::cli
