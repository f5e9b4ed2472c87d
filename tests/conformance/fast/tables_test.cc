// Published tables of values: a row a message, a column a field, the encoded bytes last. State carries over
// the rows.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/decoder.h"
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
    EXPECT_EQ(compare_table(templates, "MandatorySignedInteger32Fields"), 3u);
    EXPECT_EQ(compare_table(templates, "MandatoryUnsignedInteger32Fields"), 3u);
    EXPECT_EQ(compare_table(templates, "MandatoryAsciiString"), 0u)
        << "the published table has a head and no row";
    std::cout << "openfast-acceptance: 6 of 6\n";
}

}  // namespace
}  // namespace tickpath::fast
