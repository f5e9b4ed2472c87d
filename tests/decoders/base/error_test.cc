#include "decoders/base/error.h"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace tickpath {
namespace {

TEST(Error, EachHasACodeAndAPhraseOfItsOwn) {
    std::set<std::string_view> codes, phrases;
    for (std::size_t i = 0; i < errc_count; ++i) {
        const auto error = static_cast<Errc>(i);
        EXPECT_FALSE(code(error).empty()) << i;
        EXPECT_FALSE(describe(error).empty()) << i;
        codes.insert(code(error));
        phrases.insert(describe(error));
    }
    EXPECT_EQ(codes.size(), errc_count);
    EXPECT_EQ(phrases.size(), errc_count);
}

TEST(Error, CodesAreThoseOfTheSpecification) {
    EXPECT_EQ(code(Errc::d5), "D5");
    EXPECT_EQ(code(Errc::s1), "S1");
    EXPECT_EQ(code(Errc::r9), "R9");
    EXPECT_EQ(code(Errc::truncated), "truncated");
}

TEST(Error, AValueOutsideTheListIsStillPrintable) {
    EXPECT_EQ(code(static_cast<Errc>(errc_count)), "unknown error");
    EXPECT_EQ(describe(static_cast<Errc>(250)), "unknown error");
}

TEST(Result, HoldsAValueOrAnError) {
    const Result<std::string> good = std::string("text");
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, "text");
    EXPECT_EQ(good->size(), 4u);
    EXPECT_EQ(good.error(), Errc::ok);

    const Result<std::string> bad = Errc::missing;
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.error(), Errc::missing);
}

}  // namespace
}  // namespace tickpath
