#include "control/config/instruments.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::config {
namespace {

constexpr std::string_view header = "key,symbol,price_places,quantity_places\n";

std::string findings(const std::string& csv) {
    Diagnostics diagnostics;
    (void)parse_instruments(csv, "i.csv", diagnostics);
    return diagnostics.format();
}

TEST(InstrumentFile, ReadsValuesAtTheInstrumentsScale) {
    Diagnostics diagnostics;
    const std::vector<model::Instrument> all = parse_instruments(
        "key,symbol,price_places,quantity_places,tick_size,lot_size,price_min,price_max,order_quantity_max,"
        "position_max\n"
        "49664582,SiU3,0,0,1,1,30000,40000,10,50\n"
        "SBER|TQBR,SBER,2,1,0.01,10,-0.5,300.25,100,1000.5\n",
        "i.csv", diagnostics);
    ASSERT_EQ(diagnostics.format(), "");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].key(), "49664582");
    EXPECT_EQ(all[0].symbol(), "SiU3");
    EXPECT_EQ(all[0].id, 0u);
    EXPECT_TRUE(all[0].is_known);
    EXPECT_EQ(all[0].price_max, 40'000);
    EXPECT_EQ(all[1].id, 1u);
    EXPECT_EQ(all[1].tick_size, 1);
    EXPECT_EQ(all[1].lot_size, 100);
    EXPECT_EQ(all[1].price_min, -50);
    EXPECT_EQ(all[1].price_max, 30'025);
    EXPECT_EQ(all[1].order_quantity_max, 1'000);
    EXPECT_EQ(all[1].position_max, 10'005);
}

TEST(InstrumentFile, TakesColumnsInAnyOrderAndLeavesEmptyCellsUnset) {
    Diagnostics diagnostics;
    const std::vector<model::Instrument> all = parse_instruments(
        "# my list\n\nposition_max,symbol,quantity_places,key,price_places\r\n"
        ", \"A \"\"B\"\"\" , 0 ,\"K,1\",3\r\n",
        "i.csv", diagnostics);
    ASSERT_EQ(diagnostics.format(), "");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].symbol(), "A \"B\"");
    EXPECT_EQ(all[0].key(), "K,1");
    EXPECT_EQ(all[0].price_places, 3);
    EXPECT_EQ(all[0].position_max, 0);
    EXPECT_EQ(all[0].tick_size, 1);
}

TEST(InstrumentFile, ReportsEveryProblemWithItsLine) {
    EXPECT_EQ(findings("key,symbol,price_places,quantity_places,tick_size,price_min,price_max\n"
                       "A,,2,0,0.001,,\n"
                       "# note\n"
                       "A,B,19,x,1e3,5,4\n"
                       "C,D,0\n"
                       "E,F,0,0,,7,\n"),
              "i.csv:2: symbol is empty\n"
              "i.csv:2: tick_size 0.001 cannot be held exactly with 2 decimal places\n"
              "i.csv:4: price_places \"19\" is not a number of decimal places from 0 to 18\n"
              "i.csv:4: quantity_places \"x\" is not a number of decimal places from 0 to 18\n"
              "i.csv:4: tick_size \"1e3\" is not a decimal number\n"
              "i.csv:4: price_min is above price_max\n"
              "i.csv:4: key A stands in line 2 already\n"
              "i.csv:5: 3 cells, the header has 7\n"
              "i.csv:6: price_min and price_max go together\n");
}

TEST(InstrumentFile, RefusesAHeaderItCannotRead) {
    EXPECT_EQ(findings("key,symbol,price_place,quantity_places,key\nA,B,0,0,A\n"),
              "i.csv:1: column key stands twice\n"
              "i.csv:1: unknown column price_place (did you mean price_places?)\n"
              "i.csv:1: column key stands twice\n"
              "i.csv:1: column price_places is missing\n");
    EXPECT_EQ(findings(""),
              "i.csv: no header line, expected key,symbol,price_places,quantity_places,tick_size,"
              "lot_size,price_min,price_max,order_quantity_max,position_max\n");
}

TEST(InstrumentFile, RefusesTextThatDoesNotFit) {
    EXPECT_EQ(findings(std::string(header) + std::string(31, 'k') + "," + std::string(23, 's') + ",0,0\n"),
              "");
    EXPECT_EQ(findings(std::string(header) + std::string(32, 'k') + ",S,0,0\n"),
              "i.csv:2: key " + std::string(32, 'k') + " has more than 31 characters\n");
    EXPECT_EQ(findings(std::string(header) + "\"K,S,0,0\n"), "i.csv:2: a quote is not closed\n");
}

TEST(InstrumentFile, MayBeginWithAByteOrderMark) {
    Diagnostics diagnostics;
    EXPECT_EQ(
        parse_instruments("\xEF\xBB\xBF" + std::string(header) + "K,S,0,0\n", "i.csv", diagnostics).size(),
        1u);
    EXPECT_EQ(diagnostics.format(), "");
}

TEST(InstrumentFile, WarnsOfAHeaderAlone) {
    Diagnostics diagnostics;
    EXPECT_TRUE(parse_instruments(header, "i.csv", diagnostics).empty());
    EXPECT_FALSE(diagnostics.has_errors());
    EXPECT_EQ(diagnostics.format(),
              "i.csv: warning: no instrument below the header line: none may be traded\n");
}

TEST(InstrumentFile, NamesAFileThatCannotBeRead) {
    Diagnostics diagnostics;
    EXPECT_TRUE(load_instruments("no/such/file.csv", diagnostics).empty());
    EXPECT_EQ(diagnostics.format(), "no/such/file.csv: cannot be read: No such file or directory\n");
}

}  // namespace
}  // namespace tickpath::config
