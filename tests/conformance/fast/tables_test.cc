// Published tables of values: a row a message, a column a field, state carries over the rows. OpenFAST's have
// the encoded bytes last, libtrading's none.
#include <array>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
#include "decoders/fast/encoder.h"
#include "decoders/fast/message_builder.h"
#include "decoders/fast/template_loader.h"
#include "tests/support/fast_values.h"
#include "tests/support/hex.h"
#include "tests/support/shared_data.h"

namespace tickpath::fast {
namespace {

using test::Json;

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');)
        cells.push_back(cell.substr(0, cell.find('\r')));
    return cells;
}

std::vector<std::vector<std::string>> read_table(const std::string& name) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream in(test::read_file(test::shared_data() / "fast" / name));
    for (std::string line; std::getline(in, line);)
        if (line.find_first_not_of("\r\n ") != std::string::npos) rows.push_back(cells_of(line));
    return rows;
}

// How a value of the table is written there.
std::string cell_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

// The file's name is its template's; returns the number of rows.
std::size_t compare_table(const std::shared_ptr<const Templates>& templates, const std::string& name) {
    const std::vector<std::vector<std::string>> rows = read_table("openfast-acceptance/" + name + ".csv");
    const std::vector<std::string>& columns = rows.front();
    Decoder decoder(templates, {.reset = ResetRule::never, .strict = true});
    for (std::size_t row = 1; row < rows.size(); ++row) {
        const std::vector<std::byte> bytes = test::from_hex(rows[row].back());
        decoder.begin(bytes, 0);
        EXPECT_TRUE(decoder.next()) << name << " row " << row << ": " << code(decoder.error());
        if (decoder.error() != Errc::ok) return 0;
        EXPECT_EQ(decoder.message().end(), bytes.size());
        const Json decoded = test::fast_message(decoder.message());
        EXPECT_EQ(decoded["template"], name);
        EXPECT_EQ(decoded["fields"].size(), columns.size() - 1);
        for (std::size_t column = 0; column + 1 < columns.size(); ++column)
            EXPECT_EQ(cell_of(decoded["fields"][columns[column]]), rows[row][column])
                << name << " row " << row << ", " << columns[column];
    }
    return rows.size() - 1;
}

TEST(FastTables, OpenfastAcceptance) {
    TICKPATH_NEEDS_SHARED_DATA();
    Diagnostics diagnostics;
    const auto templates =
        load_template_file(test::shared_data() / "fast/openfast-acceptance/templates.xml", diagnostics);
    ASSERT_TRUE(templates) << diagnostics.format();
    const std::size_t right = compare_table(templates, "MandatorySignedInteger32Fields") +
                              compare_table(templates, "MandatoryUnsignedInteger32Fields") +
                              compare_table(templates, "MandatoryAsciiString");  // that has a head and no row
    EXPECT_EQ(right, 6u);
    std::cout << "openfast-acceptance: " << right << " of 6\n";
}

// ---- libtrading: values without bytes, so they are encoded first

constexpr const char* absent = "none";

// The fields have no names: which column is which follows from their order. A decimal has two columns, or
// one when it is absent.
void set_fields(RowBuilder row, const Template& tmpl, const std::vector<std::string>& cells) {
    auto cell = cells.begin();
    for (const Field& field : tmpl.fields()) {
        const std::string& value = *cell++;
        if (value == absent) continue;
        if (field.ref.type == FieldType::decimal) {
            EXPECT_TRUE(row.set_decimal(field.ref, {std::stoll(*cell++), std::stoi(value)}));
        } else if (is_text(field.ref.type)) {
            EXPECT_TRUE(row.set_text(field.ref, value));
        } else {
            EXPECT_TRUE(row.set_i64(field.ref, std::stoll(value)));
        }
    }
    EXPECT_EQ(cell, cells.end());
}

std::vector<std::string> cells_of(const Template& tmpl, Row row) {
    std::vector<std::string> cells;
    for (const Field& field : tmpl.fields()) {
        if (!row.has(field.ref)) {
            cells.emplace_back(absent);
        } else if (field.ref.type == FieldType::decimal) {
            cells.push_back(std::to_string(row.decimal(field.ref).exponent));
            cells.push_back(std::to_string(row.decimal(field.ref).mantissa));
        } else {
            cells.push_back(cell_of(test::fast_value(field, row)));
        }
    }
    return cells;
}

std::shared_ptr<const Templates> load_operator_table(const std::string& name) {
    std::string xml = test::read_file(test::shared_data() / "fast/libtrading-operators" / (name + ".xml"));
    const std::string unnamed = "<template>";  // the file's one template has no identifier, and is sent alone
    xml.replace(xml.find(unnamed), unnamed.size(), "<template id=\"1\">");
    Diagnostics diagnostics;
    auto templates = load_templates(xml, name, diagnostics);
    EXPECT_TRUE(templates) << diagnostics.format();
    return templates;
}

// Returns how many rows come back as they went in.
std::size_t send_and_receive(const std::string& name, EncodeMode mode) {
    const auto templates = load_operator_table(name);
    const Template& tmpl = templates->all().front();
    MessageBuilder builder(templates);
    Encoder encoder(templates, {.reset = ResetRule::never, .mode = mode});
    Decoder decoder(templates, {.reset = ResetRule::never, .strict = true});
    std::array<std::byte, 256> bytes{};
    std::size_t right = 0;
    for (const std::vector<std::string>& cells : read_table("libtrading-operators/" + name)) {
        set_fields(builder.begin(tmpl), tmpl, cells);
        EXPECT_TRUE(builder.finish()) << code(builder.error());
        const EncodeResult encoded = encoder.encode(builder, bytes);
        EXPECT_TRUE(encoded) << name << ": " << code(encoded.error);
        decoder.begin({bytes.data(), encoded.size_bytes}, 0);
        EXPECT_TRUE(decoder.next()) << name << ": " << code(decoder.error());
        if (!encoded || decoder.error() != Errc::ok) return right;
        EXPECT_EQ(decoder.message().end(), encoded.size_bytes);
        EXPECT_EQ(cells_of(tmpl, decoder.message().root()), cells) << name;
        ++right;
    }
    return right;
}

TEST(FastTables, LibtradingOperators) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::size_t right = 0;
    for (const EncodeMode mode : {EncodeMode::compact, EncodeMode::explicit_}) {
        right = 0;
        for (const char* name : {"ConstantOperator", "CopyOperator", "DefaultOperator", "DeltaOperator",
                                 "IncrementOperator", "NoneOperator"})
            right += send_and_receive(name, mode);
        EXPECT_EQ(right, 33u);
    }
    std::cout << "libtrading-operators: " << right << " of 33\n";
}

}  // namespace
}  // namespace tickpath::fast
