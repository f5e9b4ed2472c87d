// Operators through small templates. The specification's own examples are in tests/conformance/fast; here are
// the rules that its examples do not reach, and every defect known from other decoders by name
// (design/fast.md §4).
#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

TEST(FastOperators, DefaultNeverWritesTheDictionary) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"><default value="7"/></uInt32>
                             <uInt32 name="b"><copy key="a" value="1"/></uInt32>)",
                          "e0 81 85"),
              R"({"a":5,"b":1})");
}

TEST(FastOperators, FieldWithoutOperatorNeverTouchesTheDictionary) {
    EXPECT_EQ(
        decode_once(R"(<uInt32 name="a"/><uInt32 name="b"><copy key="a" value="1"/></uInt32>)", "c0 81 85"),
        R"({"a":5,"b":1})");
}

// fastfix keeps the previous value.
TEST(FastOperators, NullIncrementEmptiesTheEntry) {
    EXPECT_EQ(
        decode_once(R"(<uInt32 name="a" presence="optional"><increment/></uInt32>)", "e0 81 86  a0 80  80"),
        R"({"a":5} {} {})");
}

TEST(FastOperators, EmptyEntryStaysEmptyEvenForAFieldWithInitialValue) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                             <uInt32 name="b" presence="optional"><copy key="k" value="9"/></uInt32>)",
                          "c0 81"),
              "{}");
}

TEST(FastOperators, MandatoryFieldsWithoutAnyValueAreErrors) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"><copy/></uInt32>)", "c0 81"), "D5");
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"><increment/></uInt32>)", "c0 81"), "D5");
    EXPECT_EQ(decode_once(R"(<string name="a"><tail/></string>)", "c0 81"), "D5");
    EXPECT_EQ(decode_once(R"(<string name="a" presence="optional"><tail key="k"/></string>
                             <string name="b"><tail key="k"/></string>)",
                          "c0 81"),
              "D6");
}

// mFAST issue 10 crashed here.
TEST(FastOperators, TailWithoutPreviousValueHasAnEmptyBase) {
    EXPECT_EQ(decode_once(R"(<string name="a"><tail/></string>)", "e0 81 41 c2"), R"({"a":"AB"})");
}

// mFAST gives uninitialised bytes.
TEST(FastOperators, SubtractionLengthMinusOnePrependsAndRemovesNothing) {
    EXPECT_EQ(decode_once(R"(<string name="a"><delta value="ESM6"/></string>)", "c0 81 ff 52 d3"),
              R"({"a":"RSESM6"})");
}

TEST(FastOperators, SubtractionLengthBeyondTheBaseIsAnError) {
    const char* const fields = R"(<string name="a"><delta value="ABC"/></string>)";
    EXPECT_EQ(decode_once(fields, "c0 81 83 c4"), R"({"a":"D"})");
    EXPECT_EQ(decode_once(fields, "c0 81 84 c4"), "D7");
    EXPECT_EQ(decode_once(fields, "c0 81 fc c4"), R"({"a":"D"})");
    EXPECT_EQ(decode_once(fields, "c0 81 fb c4"), "D7");
    EXPECT_EQ(decode_once(fields, "c0 81 08 00 00 00 80 c4"), "D7") << "outside int32";
    EXPECT_EQ(decode_once(fields, "c0 81 01 00 00 00 00 00 00 00 00 80 c4"), "D7") << "outside int64 too";
}

// mFAST ignores the initial value; the specification's own example 3.2.5-3.
TEST(FastOperators, DecimalDeltaStartsFromTheNormalisedInitialValue) {
    EXPECT_EQ(decode_once(R"(<decimal name="a"><delta value="12000"/></decimal>)", "c0 81 fe 09 ae"),
              R"({"a":{"m":1210,"e":1}})");
}

// mFAST gives exponent 0: a price off by powers of ten.
TEST(FastOperators, MantissaFromTheDictionaryKeepsItsExponent) {
    EXPECT_EQ(
        decode_once(R"(<decimal name="a"><exponent><copy/></exponent><mantissa><copy/></mantissa></decimal>)",
                    "f0 81 fe 39 45 a3  80"),
        R"({"a":{"m":942755,"e":-2}} {"a":{"m":942755,"e":-2}})");
    EXPECT_EQ(decode_once(R"(<decimal name="a"><exponent><constant value="-4"/></exponent>
                             <mantissa><copy/></mantissa></decimal>)",
                          "e0 81 8a  80"),
              R"({"a":{"m":10,"e":-4}} {"a":{"m":10,"e":-4}})");
}

TEST(FastOperators, OptionalDecimalWithConstantExponent) {
    EXPECT_EQ(decode_once(R"(<decimal name="a" presence="optional"><exponent><constant value="-2"/></exponent>
                             <mantissa><delta/></mantissa></decimal>)",
                          "e0 81 85  80  a0 81"),
              R"({"a":{"m":5,"e":-2}} {} {"a":{"m":6,"e":-2}})");
}

TEST(FastOperators, ExponentsOutsideTheirRangeAreReportedAsSuch) {
    const char* const plain = R"(<decimal name="a"/>)";
    EXPECT_EQ(decode_once(plain, "c0 81 bf 81"), R"({"a":{"m":1,"e":63}})");
    EXPECT_EQ(decode_once(plain, "c0 81 c0 81"), "R1") << "-64";
    EXPECT_EQ(decode_once(plain, "c0 81 08 00 00 00 80 81"), "D2") << "outside int32";
    EXPECT_EQ(decode_once(R"(<decimal name="a"><exponent><increment value="63"/></exponent></decimal>)",
                          "c0 81 81  80 81"),
              R"({"a":{"m":1,"e":63}} R1)")
        << "an exponent does not wrap";
    EXPECT_EQ(decode_once(
                  R"(<decimal name="a"><mantissa><delta value="9223372036854775807"/></mantissa></decimal>)",
                  "c0 81 80 81"),
              "R1")
        << "mantissa outside int64";
    EXPECT_EQ(
        decode_once(R"(<decimal name="a"><delta value="9223372036854775807"/></decimal>)", "c0 81 80 81"),
        "R1");
}

TEST(FastOperators, IntegerDeltaOutsideTheTypeIsAnError) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"><delta value="1"/></uInt32>)", "c0 81 fe"), "R4");
    EXPECT_EQ(decode_once(R"(<int64 name="a"><delta value="9223372036854775807"/></int64>)", "c0 81 81"),
              "R4");
    EXPECT_EQ(decode_once(R"(<uInt64 name="a"><delta value="18446744073709551615"/></uInt64>)", "c0 81 81"),
              "R4");
    EXPECT_EQ(decode_once(R"(<int64 name="a"><delta value="-9223372036854775808"/></int64>)",
                          "c0 81 01 7f 7f 7f 7f 7f 7f 7f 7f ff"),
              R"({"a":9223372036854775807})")
        << "a 65-bit delta inside the type";
}

// OpenFAST throws.
TEST(FastOperators, IncrementWrapsAtTheMaximum) {
    EXPECT_EQ(decode_once(R"(<int32 name="a"><increment value="2147483647"/></int32>)", "c0 81  80"),
              R"({"a":2147483647} {"a":-2147483648})");
    EXPECT_EQ(
        decode_once(R"(<uInt64 name="a"><increment value="18446744073709551615"/></uInt64>)", "c0 81  80"),
        R"({"a":18446744073709551615} {"a":0})");
}

// mFAST issue 73: the length was read as 0.
TEST(FastOperators, ConstantSequenceLengthTakesNothingFromTheWire) {
    EXPECT_EQ(decode_once(
                  R"(<sequence name="s"><length><constant value="2"/></length><uInt32 name="a"/></sequence>)",
                  "c0 81 81 82"),
              R"({"s":[{"a":1},{"a":2}]})");
    EXPECT_EQ(decode_once(R"(<sequence name="s" presence="optional"><length><constant value="1"/></length>
                             <uInt32 name="a"/></sequence>)",
                          "e0 81 81  80"),
              R"({"s":[{"a":1}]} {})");
}

TEST(FastOperators, CombinedTextIsCheckedForUtf8) {
    const char* const fields = R"(<string name="a" charset="unicode"><delta value="Å"/></string>)";
    EXPECT_EQ(decode_once(fields, "c0 81 81 81 84"), R"({"a":"Ä"})");
    Decoder lenient(load_one(fields), {.reset = ResetRule::datagram});
    const std::vector<std::byte> cut = test::from_hex("c0 81 81 80");  // one byte of two is left
    lenient.begin(cut, 0);
    ASSERT_TRUE(lenient.next());
    EXPECT_TRUE(lenient.message().reported(Report::r2));
    EXPECT_EQ(decode_once(fields, "c0 81 81 80", true), "R2");
}

TEST(FastOperators, SharedEntryOfAnotherTypeIsAnError) {
    const char* const fields = R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                                  <int64 name="b" presence="optional"><copy key="k"/></int64>)";
    EXPECT_EQ(decode_once(fields, "e0 81 86  80"), "D4") << "the value of one type for the other";
    EXPECT_EQ(decode_once(fields, "f0 81 86 87"), R"({"a":5,"b":6})") << "a mere overwrite, lenient";
    EXPECT_EQ(decode_once(fields, "f0 81 86 87", true), "D4") << "a mere overwrite, strict";
}

TEST(FastOperators, SharedEntryOfTextAndNumberSurvivesItsDatagram) {
    Decoder decoder(load_one(R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                                <string name="b" presence="optional"><copy key="k"/></string>)"),
                    {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "f0 81 86 c1"), R"({"a":5,"b":"A"})");
    EXPECT_EQ(decode_hex(decoder, "a0 86"), "D4") << "b: the entry holds a number now";
}

}  // namespace
}  // namespace tickpath::fast
