// The files that come with the program: they load, and the reference says what the loader knows.
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/config/loader.h"
#include "control/config/schema.h"
#include "tests/support/shared_data.h"

namespace tickpath::config {
namespace {

const std::filesystem::path folder = std::filesystem::path(TICKPATH_SOURCE_ROOT) / "templates" / "config";

/// The rows of the reference by section; a section is an element, its heading "## feed/line".
std::map<std::string, std::vector<std::string>> reference_rows() {
    std::map<std::string, std::vector<std::string>> rows;
    std::istringstream in(test::read_file(folder / "README.md"));
    std::string section;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("## ")) section = line.substr(3);
        if (line.starts_with("| `")) rows[section].push_back(line);
    }
    return rows;
}

/// The cells that must be right; the meaning behind them is prose.
std::string row_start(const KnownAttribute& attribute) {
    const std::string default_value =
        attribute.default_value.empty() ? "–" : '`' + attribute.default_value + '`';
    return "| `" + attribute.name + "` | " + attribute.type + " | " +
           (attribute.is_required ? "required" : default_value) + " | ";
}

TEST(ConfigReference, DescribesEveryAttributeWithRangeAndDefault) {
    const auto rows = reference_rows();
    for (const KnownAttribute& attribute : known_attributes()) {
        const auto section = rows.find(attribute.element);
        ASSERT_NE(section, rows.end()) << "no section \"## " << attribute.element << '"';
        const bool is_described = std::ranges::any_of(section->second, [&](const std::string& row) {
            return row.starts_with(row_start(attribute)) && row.size() > row_start(attribute).size() + 5;
        });
        EXPECT_TRUE(is_described) << attribute.element << " has no row that starts: " << row_start(attribute);
    }
}

TEST(ConfigReference, DescribesNothingElse) {
    std::size_t rows = 0;
    for (const auto& [element, described] : reference_rows())
        rows += described.size();
    EXPECT_EQ(rows, known_attributes().size());
}

TEST(ConfigExamples, LoadWithoutAFinding) {
    for (const std::string_view name : {"replay.xml", "laptop.xml", "hugepages.xml", "nic.xml"}) {
        Diagnostics diagnostics;
        EXPECT_TRUE(load_run(folder / name, diagnostics));
        EXPECT_EQ(diagnostics.format(), "");
    }
    Diagnostics diagnostics;
    EXPECT_TRUE(load_exchange(folder / "exchange.xml", diagnostics));
    EXPECT_EQ(diagnostics.format(), "");
}

TEST(ConfigExamples, StartDisarmedWhereOrdersCouldLeave) {
    for (const std::string_view name : {"replay.xml", "laptop.xml", "hugepages.xml", "nic.xml"}) {
        Diagnostics diagnostics;
        const auto config = load_run(folder / name, diagnostics);
        ASSERT_TRUE(config) << diagnostics.format();
        EXPECT_TRUE(config->trade.order_link != OrderLinkKind::kernel ||
                    !config->trade.settings.may_trade.armed)
            << name;
    }
}

TEST(ConfigExamples, CoverEveryModeAndTheCounterpartyTheyName) {
    Diagnostics diagnostics;
    const auto laptop = load_run(folder / "laptop.xml", diagnostics);
    const auto exchange = load_exchange(folder / "exchange.xml", diagnostics);
    ASSERT_TRUE(laptop && exchange) << diagnostics.format();
    EXPECT_EQ(laptop->trade.session->settings.sender, exchange->sessions.at(0).target);
    EXPECT_EQ(laptop->trade.session->settings.target, exchange->sessions.at(0).sender);
    EXPECT_EQ(laptop->trade.session->port, exchange->port);
    EXPECT_EQ(laptop->ports.at(0).mode, "laptop");
    EXPECT_EQ(load_run(folder / "hugepages.xml", diagnostics)->ports.at(0).mode, "hugepages");
    EXPECT_EQ(load_run(folder / "nic.xml", diagnostics)->ports.at(0).mode, "nic");
}

}  // namespace
}  // namespace tickpath::config
