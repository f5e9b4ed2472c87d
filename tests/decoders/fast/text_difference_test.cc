#include "decoders/fast/text_difference.h"

#include <gtest/gtest.h>

namespace tickpath::fast {
namespace {

Text text(std::string_view characters) {
    return {characters.data(), static_cast<std::uint32_t>(characters.size()), 0xFF};
}

std::string difference(std::string_view value, std::string_view base) {
    const TextDifference found = text_difference(text(value), text(base));
    return std::to_string(found.subtraction) + ' ' + found.addition.to_string();
}

// The specification's examples, FAST 1.1 §3.2.5.4.
TEST(FastTextDifference, TakesTheShorterOfBothForms) {
    EXPECT_EQ(difference("GEH6", ""), "0 GEH6");
    EXPECT_EQ(difference("GEM6", "GEH6"), "2 M6");
    EXPECT_EQ(difference("ESM6", "GEM6"), "-3 ES");
    EXPECT_EQ(difference("RSESM6", "ESM6"), "-1 RS");
}

TEST(FastTextDifference, ComesToNothingWhereNothingChanged) {
    EXPECT_EQ(difference("", ""), "0 ");
    EXPECT_EQ(difference("ABC", "ABC"), "0 ");
    EXPECT_EQ(difference("", "ABC"), "3 ");
    EXPECT_EQ(difference("AAA", "AA"), "0 A");
}

// Two characters are kept at the back and one at the front, but the front one saves a byte of subtraction
// length.
TEST(FastTextDifference, CountsTheBytesOfTheSubtractionLength) {
    const std::string middle(62, 'a');
    EXPECT_EQ(difference("PxSS", "P" + middle + "SS"), "-64 Px") << "two kept, and 63 taken";
    EXPECT_EQ(difference("PxS", "P" + middle + "bS"), "64 xS")
        << "as many bytes both ways: the one at the back";
}

TEST(FastTextDifference, IgnoresTheStopBitOfAnAsciiValue) {
    const char stopped[] = {'A', static_cast<char>('B' | 0x80)};
    const Text value(stopped, 2, 0x7F);
    EXPECT_EQ(common_front(value, text("AB")), 2u);
    EXPECT_EQ(common_back(value, text("XB")), 1u);
}

TEST(FastTextDifference, TailIsTheChangedEndOrTheWholeOfALongerText) {
    EXPECT_EQ(text_tail(text("20260115"), text("20260101")).to_string(), "15");
    EXPECT_EQ(text_tail(text("ABC"), text("ABC")).to_string(), "");
    EXPECT_EQ(text_tail(text("ABZY"), text("ABC")).to_string(), "ABZY");
    EXPECT_EQ(text_tail(text("XBC"), text("ABC")).to_string(), "XBC");
}

}  // namespace
}  // namespace tickpath::fast
