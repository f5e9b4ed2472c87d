// Traps of integers and their presence (spec/fast.md §2.1-2.4, §2.8): what other decoders got wrong, by name.
#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

// §2.2: the sign is in the first byte, so the leading 00 or 7f is needed; strict mode would refuse it as R6.
TEST(FastIntegerTraps, SignByteTakenForOverlong) {
    const char* const field = R"(<int32 name="a"/>)";
    EXPECT_EQ(decode_once(field, "c0 81 00 c0", true), R"({"a":64})");
    EXPECT_EQ(decode_once(field, "c0 81 7f bf", true), R"({"a":-65})");
    EXPECT_EQ(decode_once(field, "c0 81 00 40 81", true), R"({"a":8193})");
    EXPECT_EQ(decode_once(field, "c0 81 7f 3f ff", true), R"({"a":-8193})");
    EXPECT_EQ(decode_once(field, "c0 81 00 bf", true), "R6") << "here the byte is surplus";
}

// §2.3, and the audit of a MOEX decoder (design §5 row 44): one was taken off negative values too.
TEST(FastIntegerTraps, BiasTakenOffNegativeValues) {
    const char* const field = R"(<int32 name="a" presence="optional"/>)";
    EXPECT_EQ(decode_once(field, "c0 81 ff"), R"({"a":-1})");
    EXPECT_EQ(decode_once(field, "c0 81 81"), R"({"a":0})");
    EXPECT_EQ(decode_once(field, "c0 81 82"), R"({"a":1})");
}

// Design §5 row 44: NULL is 80, a stop bit with nothing; the byte 00 has none and cannot end an integer.
TEST(FastIntegerTraps, NullLookedForAsByteZero) {
    const char* const field = R"(<uInt32 name="a" presence="optional"/><uInt32 name="b"/>)";
    EXPECT_EQ(decode_once(field, "c0 81 80 85"), R"({"b":5})");
    EXPECT_EQ(decode_once(field, "c0 81 00 85 86"), R"({"a":4,"b":6})") << "an overlong 5, no NULL";
    EXPECT_EQ(decode_once(field, "c0 81 00 85 86", true), "R6");
}

// §2.3, design §5 row 40 (IronFix PR 30): the largest values need one bit more than their type.
TEST(FastIntegerTraps, NullableMaximumLosesItsTopBit) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a" presence="optional"/>)", "c0 81 10 00 00 00 80"),
              R"({"a":4294967295})");
    EXPECT_EQ(decode_once(R"(<uInt64 name="a" presence="optional"/>)", "c0 81 02 00 00 00 00 00 00 00 00 80"),
              R"({"a":18446744073709551615})");
    EXPECT_EQ(decode_once(R"(<int32 name="a" presence="optional"/>)", "c0 81 08 00 00 00 80"),
              R"({"a":2147483647})");
    EXPECT_EQ(decode_once(R"(<int64 name="a" presence="optional"/>)", "c0 81 01 00 00 00 00 00 00 00 00 80"),
              R"({"a":9223372036854775807})");
}

TEST(FastIntegerTraps, OneBeyondTheNullableMaximumAccepted) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a" presence="optional"/>)", "c0 81 10 00 00 00 81"), "D2");
    EXPECT_EQ(decode_once(R"(<uInt64 name="a" presence="optional"/>)", "c0 81 02 00 00 00 00 00 00 00 00 81"),
              "D2");
    EXPECT_EQ(decode_once(R"(<int64 name="a" presence="optional"/>)", "c0 81 01 00 00 00 00 00 00 00 00 81"),
              "D2");
}

// §2.8: the delta of an unsigned field is signed.
TEST(FastIntegerTraps, DeltaOfAnUnsignedFieldReadAsUnsigned) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"><delta value="10"/></uInt32>)", "c0 81 ff"), R"({"a":9})");
    EXPECT_EQ(decode_once(R"(<uInt64 name="a"><delta value="18446744073709551615"/></uInt64>)",
                          "c0 81 7e 00 00 00 00 00 00 00 00 81"),
              R"({"a":0})")
        << "65 bits: minus the largest value";
}

// Design §5 row 38 (rs-fastlib issue 10): a cut message is an error, and what was whole before it stays.
TEST(FastIntegerTraps, CutIntegerTakenForAValue) {
    const char* const field = R"(<uInt32 name="a"/>)";
    EXPECT_EQ(decode_once(field, "c0 81 85  80 39 45"), R"({"a":5} truncated)");
    EXPECT_EQ(decode_once(field, "c0 81 85  80"), R"({"a":5} truncated)");
}

}  // namespace
}  // namespace tickpath::fast
