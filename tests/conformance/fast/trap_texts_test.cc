// Traps of strings and byte vectors (spec/fast.md §2.5, §2.6, §2.8, §5): what others got wrong, by name.
#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

// §2.5: 80 is NULL for an optional string and "" for a mandatory one; 00 80 is "" and one zero character.
TEST(FastTextTraps, NullStringTakenForEmpty) {
    const char* const optional = R"(<string name="a" presence="optional"/>)";
    EXPECT_EQ(decode_once(optional, "c0 81 80"), "{}");
    EXPECT_EQ(decode_once(optional, "c0 81 00 80"), R"({"a":""})");
    EXPECT_EQ(decode_once(optional, "c0 81 00 00 80"), R"({"a":"\u0000"})");
    const char* const mandatory = R"(<string name="a"/>)";
    EXPECT_EQ(decode_once(mandatory, "c0 81 80"), R"({"a":""})");
    EXPECT_EQ(decode_once(mandatory, "c0 81 00 80"), R"({"a":"\u0000"})");
}

// §2.6: raw bytes carry no stop bits; whoever looks for them ahead ends in the middle of a vector.
TEST(FastTextTraps, StopBitsLookedForInsideAByteVector) {
    EXPECT_EQ(decode_once(R"(<byteVector name="a"/><uInt32 name="b"/>)", "c0 81 84 01 02 83 04 85"),
              R"({"a":"hex:01028304","b":5})");
    EXPECT_EQ(
        decode_once(R"(<string name="a" charset="unicode"/><uInt32 name="b"/>)", "c0 81 84 c3 85 41 42 85"),
        R"({"a":"ÅAB","b":5})");
}

// Design §5 row 28 (QuickFAST issue 95): a vector handled as a string ended at its zero byte.
TEST(FastTextTraps, ByteVectorHandledAsAStringLosesBytes) {
    EXPECT_EQ(decode_once(R"(<byteVector name="a"/><uInt32 name="b"/>)", "c0 81 84 41 00 80 42 85"),
              R"({"a":"hex:41008042","b":5})");
}

// §2.6: the length is checked before anything is reserved, against bytes left that may be negative.
TEST(FastTextTraps, HostileLengthReservedBeforeItIsChecked) {
    EXPECT_EQ(decode_once(R"(<byteVector name="a"/>)", "c0 81 0f 7f 7f 7f ff 41"), "truncated");
    EXPECT_EQ(decode_once(R"(<byteVector name="a"/>)", "c0 81 85 41"), "truncated");
    EXPECT_EQ(decode_once(R"(<byteVector name="a"/><byteVector name="b"/>)", "c0 81 81 41"), "truncated");
    EXPECT_EQ(decode_once(R"(<byteVector name="a"/>)", "c0 81 10 00 00 00 80"), "D2") << "beyond uInt32";
}

// §2.8: of an optional string delta only the subtraction length is nullable, not the string behind it.
TEST(FastTextTraps, StringBehindASubtractionLengthReadAsNullable) {
    const char* const field = R"(<string name="a" presence="optional"><delta value="AB"/></string>)";
    EXPECT_EQ(decode_once(field, "c0 81 81 80"), R"({"a":"AB"})") << "80 is the empty string here";
    EXPECT_EQ(decode_once(field, "c0 81 80  80 81 c3"), R"({} {"a":"ABC"})") << "NULL: nothing follows";
}

// §5 item 12 (mFAST): minus zero is written -1; the front got bytes of uninitialised memory.
TEST(FastTextTraps, NegativeZeroSubtractionGivesUninitialisedBytes) {
    EXPECT_EQ(decode_once(R"(<string name="a"><delta/></string>)", "c0 81 80 45 53 4d b6  80 ff 52 d3"),
              R"({"a":"ESM6"} {"a":"RSESM6"})");
}

// §5 item 8, design §5 row 2 (mFAST issue 10): a tail longer than its base ran before the base's start.
TEST(FastTextTraps, TailLongerThanItsBaseReadsBeforeIt) {
    const char* const mandatory = R"(<string name="a"><tail/></string>)";
    EXPECT_EQ(decode_once(mandatory, "e0 81 41 42 c3"), R"({"a":"ABC"})") << "no base at all";
    EXPECT_EQ(decode_once(mandatory, "e0 81 c1  a0 58 59 da"), R"({"a":"A"} {"a":"XYZ"})");
    EXPECT_EQ(decode_once(R"(<byteVector name="a"><tail/></byteVector>)", "e0 81 81 41  a0 83 01 02 03"),
              R"({"a":"hex:41"} {"a":"hex:010203"})");
}

// §5 (base for tail): after NULL the base is the initial value again, not the last text.
TEST(FastTextTraps, TailAfterNullPutOnTheLastText) {
    EXPECT_EQ(decode_once(R"(<string name="a" presence="optional"><tail value="ABC"/></string>)",
                          "e0 81 55 55 d5  a0 80  a0 d9"),
              R"({"a":"UUU"} {} {"a":"ABY"})");
}

}  // namespace
}  // namespace tickpath::fast
