#include "control/cli/message_csv.h"

#include "control/cli/message_json.h"
#include "control/cli/message_text.h"

namespace tickpath::cli {
namespace {

// RFC 4180.
std::string quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
    std::string out = "\"";
    for (const char c : cell) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string dynamic_text(const fast::Field& field, fast::Row row) {
    const fast::DynamicRow inner = row.dynamic(field.ref);
    if (inner.tmpl == nullptr) return {};
    std::string out = inner.tmpl->label() + ' ';
    append_json_fields(out, {inner.tmpl->fields(), inner.row});
    return out;
}

}  // namespace

void CsvTable::add_template(const fast::Template& tmpl) {
    add_columns(tmpl.fields(), "");
}

void CsvTable::add_columns(const std::vector<fast::Field>& fields, const std::string& path) {
    for (const fast::Field& field : fields) {
        const std::string own_path = path + field.name;
        if (field.ref.type == fast::FieldType::group || field.ref.type == fast::FieldType::sequence) {
            add_columns(field.fields, own_path + '/');
        } else if (column_by_path_.emplace(own_path, columns_.size()).second) {
            columns_.push_back(own_path);
        }
    }
}

std::string CsvTable::header(std::string_view first_columns) const {
    std::string out(first_columns);
    for (const std::string& column : columns_)
        out += (out.empty() ? "" : ",") + quoted(column);
    return out + '\n';
}

void CsvTable::append_rows(std::string& out, std::string_view first_cells, const fast::Message& message) {
    Cells cells(columns_.size());
    cells[0] = quoted(message.tmpl().label());
    append_level(out, first_cells, message.tmpl().fields(), message.root(), "", std::move(cells));
}

// Scalars of one level, groups included: they lie in the same row.
void CsvTable::fill(const std::vector<fast::Field>& fields, fast::Row row, const std::string& path,
                    Cells& cells) {
    for (const fast::Field& field : fields) {
        if (!row.has(field.ref) || field.ref.type == fast::FieldType::sequence) continue;
        const std::string own_path = path + field.name;
        if (field.ref.type == fast::FieldType::group) {
            fill(field.fields, row, own_path + '/', cells);
        } else {
            const bool is_dynamic = field.ref.type == fast::FieldType::dynamic;
            cells[column_by_path_.at(own_path)] =
                quoted(is_dynamic ? dynamic_text(field, row) : scalar_text(field, row));
        }
    }
}

// Rows of all elements below this level; false when there are none.
bool CsvTable::append_nested(std::string& out, std::string_view first_cells,
                             const std::vector<fast::Field>& fields, fast::Row row, const std::string& path,
                             const Cells& cells) {
    bool has_elements = false;
    for (const fast::Field& field : fields) {
        if (!row.has(field.ref)) continue;
        const std::string own_path = path + field.name + '/';
        if (field.ref.type == fast::FieldType::group)
            has_elements |= append_nested(out, first_cells, field.fields, row, own_path, cells);
        if (field.ref.type != fast::FieldType::sequence) continue;
        for (const fast::Row element : row.rows(field.ref)) {
            append_level(out, first_cells, field.fields, element, own_path, cells);
            has_elements = true;
        }
    }
    return has_elements;
}

void CsvTable::append_level(std::string& out, std::string_view first_cells,
                            const std::vector<fast::Field>& fields, fast::Row row, const std::string& path,
                            Cells cells) {
    fill(fields, row, path, cells);
    if (append_nested(out, first_cells, fields, row, path, cells)) return;
    std::string line(first_cells);
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += (i == 0 && line.empty() ? "" : ",") + cells[i];
    out += line + '\n';
}

}  // namespace tickpath::cli
