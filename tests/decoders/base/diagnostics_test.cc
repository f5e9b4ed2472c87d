#include "decoders/base/diagnostics.h"

#include <gtest/gtest.h>

namespace tickpath {
namespace {

TEST(Diagnostics, PrintsPlaceThenTextOneALine) {
    Diagnostics found;
    found.error("lab.xml", 12, "group is wrong");
    found.warning("lab.xml", 0, "nothing to trade");
    found.add({Severity::error, Errc::s1, "t.xml", 3, 7, "tag is not closed"});
    EXPECT_EQ(found.format(),
              "lab.xml:12: group is wrong\n"
              "lab.xml: warning: nothing to trade\n"
              "t.xml:3:7: tag is not closed\n");
}

TEST(Diagnostics, WarningsAloneAreNoErrors) {
    Diagnostics found;
    found.warning("lab.xml", 1, "odd");
    EXPECT_FALSE(found.has_errors());
    found.error("lab.xml", 1, "wrong");
    EXPECT_TRUE(found.has_errors());
    EXPECT_EQ(found.all().size(), 2u);
}

TEST(TextPosition, CountsLinesAndColumnsFromOne) {
    constexpr std::string_view text = "ab\ncd\n";
    const auto place = [&](std::size_t offset) {
        const TextPosition at = position_of(text, offset);
        return std::pair(at.line, at.column);
    };
    EXPECT_EQ(place(0), (std::pair(1u, 1u)));
    EXPECT_EQ(place(1), (std::pair(1u, 2u)));
    EXPECT_EQ(place(3), (std::pair(2u, 1u)));
    EXPECT_EQ(place(6), (std::pair(3u, 1u)));
    EXPECT_EQ(place(99), (std::pair(3u, 1u))) << "beyond the end is the end";
}

TEST(NearestSpelling, FindsASlipAndNothingElse) {
    const std::vector<std::string_view> known = {"device", "descriptors", "pace"};
    EXPECT_EQ(nearest_spelling("devise", known), "device");
    EXPECT_EQ(nearest_spelling("desriptors", known), "descriptors");
    EXPECT_EQ(nearest_spelling("colour", known), "");
    EXPECT_EQ(nearest_spelling("x", {}), "");
}

}  // namespace
}  // namespace tickpath
