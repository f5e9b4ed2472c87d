// Configurations of `tickpath exchange`: the other root that loader.h reads.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "control/config/loader.h"

namespace tickpath::config {
namespace {

std::optional<ExchangeConfig> parsed(std::string_view xml, Diagnostics& diagnostics) {
    return parse_exchange(xml, "/lab/exchange.xml", diagnostics);
}

TEST(ExchangeConfigLoader, FillsEveryMember) {
    Diagnostics diagnostics;
    const auto config = parsed(R"(<exchange host="0.0.0.0" port="0" fill="every:3" store="store">
  <session sender="EXCH" target="TICKPATH"/>
  <session sender="EXCH" target="OTHER"/>
</exchange>)",
                               diagnostics);
    ASSERT_TRUE(config) << diagnostics.format();
    EXPECT_EQ(config->host, "0.0.0.0");
    EXPECT_EQ(config->port, 0);
    EXPECT_EQ(config->fill_every, 3u);
    EXPECT_EQ(config->store, "/lab/store");
    ASSERT_EQ(config->sessions.size(), 2u);
    EXPECT_EQ(config->sessions[0].sender, "EXCH");
    EXPECT_EQ(config->sessions[1].target, "OTHER");
    EXPECT_EQ(config->sessions[1].line, 3u);
}

TEST(ExchangeConfigLoader, ReadsTheFillRule) {
    const auto fill_of = [](std::string_view fill) -> std::optional<std::uint32_t> {
        Diagnostics diagnostics;
        const auto config = parsed("<exchange store=\"s\" fill=\"" + std::string(fill) +
                                       "\"><session sender=\"A\" target=\"B\"/></exchange>",
                                   diagnostics);
        return diagnostics.has_errors() ? std::nullopt : std::optional(config.value().fill_every);
    };
    EXPECT_EQ(fill_of("always"), 1u);
    EXPECT_EQ(fill_of("never"), 0u);
    EXPECT_EQ(fill_of("every:1"), 1u);
    EXPECT_EQ(fill_of("every:10"), 10u);
    for (const std::string_view bad : {"", "sometimes", "every", "every:", "every:0", "every:-1", "every:x",
                                       "every:3x", "every:99999999999", "Always"})
        EXPECT_EQ(fill_of(bad), std::nullopt) << bad;
}

TEST(ExchangeConfigLoader, SaysEverythingThatIsWrongAtOnce) {
    Diagnostics diagnostics;
    (void)parsed(R"(<exchange prot="1">
  <session sender="EXCH"/>
  <session sender="A" target="B"/>
  <session sender="A" target="B"/>
  <client/>
</exchange>)",
                 diagnostics);
    EXPECT_EQ(diagnostics.format(),
              "/lab/exchange.xml:1: <exchange> needs the attribute store\n"
              "/lab/exchange.xml:1: unknown attribute prot of <exchange>, did you mean port?\n"
              "/lab/exchange.xml:2: <session> needs the attribute target\n"
              "/lab/exchange.xml:4: session A to B stands twice, first in line 3\n"
              "/lab/exchange.xml:5: unknown element <client> in <exchange>\n");
}

TEST(ExchangeConfigLoader, NeedsASession) {
    Diagnostics diagnostics;
    (void)parsed("<exchange store=\"s\"/>", diagnostics);
    EXPECT_EQ(diagnostics.format(), "/lab/exchange.xml:1: no <session>: nobody could log on\n");
}

}  // namespace
}  // namespace tickpath::config
