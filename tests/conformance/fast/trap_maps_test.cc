// Traps of presence maps, groups and sequences (spec/fast.md §3, §10): what others got wrong, by name.
#include <string>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

std::string optional_copies(unsigned count) {
    std::string fields;
    for (unsigned i = 0; i < count; ++i)
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"><copy/></uInt32>";
    return fields;
}

// §3: behind the last bit that was sent there are zeros without end.
TEST(FastMapTraps, ReadingBeyondTheMapIsAnError) {
    EXPECT_EQ(decode_once(optional_copies(20), "c0 81"), "{}");
    EXPECT_EQ(decode_once(optional_copies(20), "e0 81 8a"), R"({"f0":9})");
}

// §3: a register of 64 bits holds nine bytes; a wider map is legal.
TEST(FastMapTraps, MapWiderThanARegisterCutOff) {
    EXPECT_EQ(decode_once(optional_copies(80), "40 00 00 00 00 00 00 00 00 00 00 c0 81 8a", true),
              R"({"f76":9})")
        << "bit 77 is the first of the twelfth byte";
}

// Design §5 row 29 (QuickFAST issue 97, "Field Set full"): room is what the template needs.
TEST(FastMapTraps, RowFullBeforeTheTemplateEnds) {
    std::string fields;
    std::string hex = "c0 81";
    for (int i = 0; i < 600; ++i) {
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\"/>";
        hex += " 85";
    }
    const std::string decoded = decode_once(fields, hex);
    EXPECT_NE(decoded.find("\"f0\":5"), std::string::npos);
    EXPECT_NE(decoded.find("\"f599\":5"), std::string::npos);
}

// §3.1: what is inside an absent group takes no bits and leaves the dictionary alone.
TEST(FastMapTraps, AbsentGroupConsumesBitsOfItsFields) {
    EXPECT_EQ(
        decode_once(R"(<group name="g" presence="optional"><uInt32 name="x"><increment value="1"/></uInt32>
                             </group><uInt32 name="b"><copy/></uInt32>)",
                    "d0 81 85  a0 80"),
        R"({"b":5} {"g":{"x":1},"b":5})")
        << "the increment starts at its initial value: it was not touched";
}

// §3.2 (mFAST before PR 152).
TEST(FastMapTraps, GroupInASequenceLooksForItsBitInTheOuterMap) {
    EXPECT_EQ(
        decode_once(
            R"(<sequence name="s"><group name="g" presence="optional"><uInt32 name="a"/></group></sequence>)",
            "c0 81 83  c0 85  80  c0 86"),
        R"({"s":[{"g":{"a":5}},{},{"g":{"a":6}}]})");
}

// §3.2: no instruction of the group needs a bit, so it has no map although it is optional itself.
TEST(FastMapTraps, OptionalGroupThatNeedsNoBitGivenAMap) {
    EXPECT_EQ(decode_once(R"(<group name="g" presence="optional"><uInt32 name="a"/>
                             <uInt32 name="c"><constant value="7"/></uInt32><int32 name="d"><delta/></int32></group>
                             <uInt32 name="b"/>)",
                          "e0 81 85 86 87"),
              R"({"g":{"a":5,"c":7,"d":6},"b":7})");
}

// §3.2: the sub-group's map is the sub-group's.
TEST(FastMapTraps, OuterGroupGivenAMapForItsSubGroup) {
    EXPECT_EQ(
        decode_once(R"(<group name="g"><uInt32 name="a"/><group name="h"><uInt32 name="b"><copy/></uInt32>
                             </group></group>)",
                    "c0 81 85 c0 86"),
        R"({"g":{"a":5,"h":{"b":6}}})");
}

// §3.2, design §5 rows 20, 35, 41 (QuickFAST issues 1 and 128, a MOEX reader): elements have a map only if
// something in them needs a bit.
TEST(FastMapTraps, EveryElementGivenAMap) {
    EXPECT_EQ(decode_once(R"(<sequence name="s"><uInt32 name="a"/></sequence>)", "c0 81 83 81 82 83"),
              R"({"s":[{"a":1},{"a":2},{"a":3}]})");
    EXPECT_EQ(decode_once(R"(<sequence name="s"><uInt32 name="a"><copy/></uInt32></sequence>)",
                          "c0 81 82 c0 85 80"),
              R"({"s":[{"a":5},{"a":5}]})");
}

// Design §5 row 25 (QuickFAST issue 56): nested optional groups ended the input inside a map.
TEST(FastMapTraps, NestedOptionalGroupsReadAMapTooMany) {
    EXPECT_EQ(decode_once(R"(<group name="g" presence="optional"><group name="h" presence="optional">
                             <group name="i" presence="optional"><uInt32 name="a"/></group></group></group>)",
                          "e0 81 c0 c0 85  a0 80  80"),
              R"({"g":{"h":{"i":{"a":5}}}} {"g":{}} {})");
}

// §5 item 9, design §5 row 10 (mFAST issue 73, Eurex).
TEST(FastMapTraps, ConstantSequenceLengthReadAsZero) {
    EXPECT_EQ(decode_once(
                  R"(<sequence name="s"><length><constant value="2"/></length><uInt32 name="a"/></sequence>)",
                  "c0 81 81 82"),
              R"({"s":[{"a":1},{"a":2}]})");
}

// §10: length 0 is present and empty, NULL is absent.
TEST(FastMapTraps, EmptySequenceTakenForAbsent) {
    const char* const field = R"(<sequence name="s" presence="optional"><uInt32 name="a"/></sequence>)";
    EXPECT_EQ(decode_once(field, "c0 81 81  80 80"), R"({"s":[]} {})");
}

// §10: the length comes from the wire; it is bounded before rows are made.
TEST(FastMapTraps, HostileSequenceLengthBelieved) {
    EXPECT_EQ(decode_once(R"(<sequence name="s"><uInt32 name="a"/></sequence>)", "c0 81 7f ff 81"),
              "truncated");
    EXPECT_EQ(decode_once(R"(<sequence name="s"><uInt32 name="a"><constant value="1"/></uInt32></sequence>)",
                          "c0 81 0f 7f 7f 7f ff"),
              "limit")
        << "elements that take no bytes";
}

}  // namespace
}  // namespace tickpath::fast
