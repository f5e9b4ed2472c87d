// The vector messages that the best open C++ decoder (mFAST, 9) and the Java reference (OpenFAST, 11) get
// wrong: design/fast.md §4, spec/fast.md §5 item 12. Each test is named after what they give.
#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

// ---- mFAST: nine values without an error

TEST(FastWhereMfastIsWrong, Uint32BeyondItsRangeReadAsZero) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="f"/>)", "c0 81 0f 7f 7f 7f ff  80 10 00 00 00 80"),
              R"({"f":4294967295} D2)");
}

TEST(FastWhereMfastIsWrong, Int32BeyondItsRangeReadAsTheMinimum) {
    EXPECT_EQ(decode_once(R"(<int32 name="f"/>)", "c0 81 08 00 00 00 80"), "D2");
}

TEST(FastWhereMfastIsWrong, Uint64BeyondItsRangeReadAsZero) {
    EXPECT_EQ(decode_once(R"(<uInt64 name="f"/>)", "c0 81 02 00 00 00 00 00 00 00 00 80"), "D2");
}

TEST(FastWhereMfastIsWrong, CopiedMantissaGivenExponentZero) {
    EXPECT_EQ(decode_once(R"(<decimal name="f" presence="optional"><exponent><copy/></exponent>
                             <mantissa><copy/></mantissa></decimal>)",
                          "f0 81 fe 39 45 a3  90 39 45 a8  a0 80  80  a0 fe"),
              R"({"f":{"m":942755,"e":-2}} {"f":{"m":942760,"e":-2}} {} {} {"f":{"m":942760,"e":-2}})")
        << "the last: 9427.60, not 942760";
}

TEST(FastWhereMfastIsWrong, CopiedMantissaLosesItsConstantExponent) {
    EXPECT_EQ(decode_once(R"(<decimal name="f"><exponent><constant value="-4"/></exponent>
                             <mantissa><copy/></mantissa></decimal>)",
                          "e0 81 8a  80"),
              R"({"f":{"m":10,"e":-4}} {"f":{"m":10,"e":-4}})");
}

// Three of the nine: the first value and all that build on it.
TEST(FastWhereMfastIsWrong, DecimalDeltaIgnoresItsInitialValue) {
    EXPECT_EQ(decode_once(R"(<decimal name="f"><delta value="12000"/></decimal>)",
                          "c0 81 fe 09 ae  80 80 85  80 80 85"),
              R"({"f":{"m":1210,"e":1}} {"f":{"m":1215,"e":1}} {"f":{"m":1220,"e":1}})");
}

TEST(FastWhereMfastIsWrong, StringPutInFrontGivesUninitialisedBytes) {
    EXPECT_EQ(decode_once(R"(<string name="f"><delta/></string>)",
                          "c0 81 80 47 45 48 b6  80 82 4d b6  80 fd 45 d3  80 ff 52 d3"),
              R"({"f":"GEH6"} {"f":"GEM6"} {"f":"ESM6"} {"f":"RSESM6"})");
}

// ---- OpenFAST: eleven values or exceptions

TEST(FastWhereOpenfastIsWrong, Uint64AboveTheSignedMaximum) {
    EXPECT_EQ(decode_once(R"(<uInt64 name="f"/>)", "c0 81 01 7f 7f 7f 7f 7f 7f 7f 7f ff"),
              R"({"f":18446744073709551615})");
}

TEST(FastWhereOpenfastIsWrong, Uint64BeyondItsRangeReadAsZero) {
    EXPECT_EQ(decode_once(R"(<uInt64 name="f"/>)", "c0 81 81  80 02 00 00 00 00 00 00 00 00 80"),
              R"({"f":1} D2)");
}

TEST(FastWhereOpenfastIsWrong, NullableUint64Maximum) {
    EXPECT_EQ(decode_once(R"(<uInt64 name="f" presence="optional"/>)", "c0 81 02 00 00 00 00 00 00 00 00 80"),
              R"({"f":18446744073709551615})");
}

TEST(FastWhereOpenfastIsWrong, NullableInt64Maximum) {
    EXPECT_EQ(decode_once(R"(<int64 name="f" presence="optional"/>)", "c0 81 01 00 00 00 00 00 00 00 00 80"),
              R"({"f":9223372036854775807})");
}

TEST(FastWhereOpenfastIsWrong, IncrementAtTheMaximumIsAnErrorInsteadOfZero) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="f"><increment/></uInt32>)", "e0 81 0f 7f 7f 7f ff  80"),
              R"({"f":4294967295} {"f":0})");
}

TEST(FastWhereOpenfastIsWrong, SignedIncrementAtTheMaximumIsAnErrorInsteadOfTheMinimum) {
    EXPECT_EQ(decode_once(R"(<int32 name="f"><increment/></int32>)", "e0 81 07 7f 7f 7f ff  80"),
              R"({"f":2147483647} {"f":-2147483648})");
}

// Three of the eleven.
TEST(FastWhereOpenfastIsWrong, DeltaOfAByteVectorThrows) {
    EXPECT_EQ(decode_once(R"(<byteVector name="f"><delta/></byteVector>)",
                          "c0 81 80 83 41 42 43  80 81 81 5a  80 fe 81 59"),
              R"({"f":"hex:414243"} {"f":"hex:41425a"} {"f":"hex:59425a"})");
}

// Two of the eleven.
TEST(FastWhereOpenfastIsWrong, TailOfAByteVectorThrows) {
    EXPECT_EQ(decode_once(R"(<byteVector name="f"><tail/></byteVector>)", "e0 81 83 01 02 03  a0 81 09"),
              R"({"f":"hex:010203"} {"f":"hex:010209"})");
}

}  // namespace
}  // namespace tickpath::fast
