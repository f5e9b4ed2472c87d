// Decoded FAST messages as a table: one row per innermost sequence element, the values around it repeated.
// Cold.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/fast/templates.h"

namespace tickpath::cli {

/// The columns are the fields of the templates that occur in the input, so it is read once for them and once
/// for the rows.
class CsvTable {
public:
    /// Adds the columns of a template that occurs; again is harmless.
    void add_template(const fast::Template& tmpl);

    /// "template,MsgSeqNum,MDEntries/MDEntryPx,…", preceded by `first_columns`.
    [[nodiscard]] std::string header(std::string_view first_columns) const;

    /// Appends the rows of one message, each preceded by `first_cells`. A message without elements has one.
    void append_rows(std::string& out, std::string_view first_cells, const fast::Message& message);

private:
    using Cells = std::vector<std::string>;
    void add_columns(const std::vector<fast::Field>& fields, const std::string& path);
    void fill(const std::vector<fast::Field>& fields, fast::Row row, const std::string& path, Cells& cells);
    bool append_nested(std::string& out, std::string_view first_cells, const std::vector<fast::Field>& fields,
                       fast::Row row, const std::string& path, const Cells& cells);
    void append_level(std::string& out, std::string_view first_cells, const std::vector<fast::Field>& fields,
                      fast::Row row, const std::string& path, Cells cells);

    std::vector<std::string> columns_ = {"template"};
    std::map<std::string, std::size_t> column_by_path_;
};

}  // namespace tickpath::cli
