// Groups, sequences, references and presence maps through small templates.
#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

TEST(FastSegments, AbsentAndEmptySequencesAreTwoThings) {
    const auto templates =
        load_one(R"(<sequence name="s" presence="optional"><uInt32 name="a"/></sequence>)");
    const FieldRef s = *templates->all()[0].field("s");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    const std::vector<std::byte> bytes = test::from_hex("c0 81 80  80 81  80 82 85");
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    EXPECT_FALSE(decoder.message().root().has(s));
    EXPECT_EQ(decoder.message().root().rows(s).size(), 0u);
    ASSERT_TRUE(decoder.next());
    EXPECT_TRUE(decoder.message().root().has(s));
    EXPECT_EQ(decoder.message().root().rows(s).size(), 0u);
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(decoder.message().root().rows(s).size(), 1u);
}

TEST(FastSegments, NestedSequencesKeepTheirRows) {
    EXPECT_EQ(decode_once(R"(<sequence name="o"><uInt32 name="a"><copy/></uInt32>
                             <sequence name="i"><string name="b"><copy/></string></sequence></sequence>)",
                          "c0 81 82  c0 85 82 c0 c1 80  80 81 c0 c2"),
              R"({"o":[{"a":5,"i":[{"b":"A"},{"b":"A"}]},{"a":5,"i":[{"b":"B"}]}]})");
}

// mFAST had this wrong until 2025.
TEST(FastSegments, OptionalGroupInAnElementHasItsBitInTheElementsMap) {
    EXPECT_EQ(
        decode_once(
            R"(<sequence name="s"><group name="g" presence="optional"><uInt32 name="a"/></group></sequence>)",
            "c0 81 82 c0 85 80"),
        R"({"s":[{"g":{"a":5}},{}]})");
}

TEST(FastSegments, GroupHasAMapOnlyWhenSomethingInItNeedsABit) {
    EXPECT_EQ(decode_once(R"(<group name="g" presence="optional"><uInt32 name="a"/></group>)", "e0 81 85"),
              R"({"g":{"a":5}})");
    EXPECT_EQ(
        decode_once(R"(<group name="g"><group name="h"><uInt32 name="a"><copy/></uInt32></group></group>)",
                    "c0 81 c0 85"),
        R"({"g":{"h":{"a":5}}})")
        << "a mandatory sub-group with a map does not give the outer group one";
}

TEST(FastSegments, FieldsOfAnAbsentGroupTakeNoBitsAndTouchNothing) {
    EXPECT_EQ(
        decode_once(
            R"(<group name="g" presence="optional"><uInt32 name="a"><increment value="1"/></uInt32></group>
                             <uInt32 name="b"><copy/></uInt32>)",
            "d0 81 85  a0 c0 86  a0 80"),
        R"({"b":5} {"g":{"a":6},"b":5} {"g":{"a":7},"b":5})");
}

TEST(FastSegments, MandatoryFieldIsPresentWithItsGroupOnly) {
    const auto templates = load_one(R"(<group name="g" presence="optional"><uInt32 name="a"/></group>)");
    const FieldRef a = *templates->all()[0].field("g/a");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    const std::vector<std::byte> bytes = test::from_hex("e0 81 85  80");
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(decoder.message().root().u64(a), 5u);
    ASSERT_TRUE(decoder.next());
    EXPECT_FALSE(decoder.message().root().has(a));
    EXPECT_EQ(decoder.message().root().u64(a), 0u) << "never the value of an earlier message";
}

std::string optional_copies(unsigned count) {
    std::string fields;
    for (unsigned i = 0; i < count; ++i)
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"><copy/></uInt32>";
    return fields;
}

// A message's map has one bit for the identifier, so 62 fields are the last that fit 63 bits.
TEST(FastSegments, MapsAroundTheRegistersWidth) {
    for (const unsigned count : {61u, 62u, 63u, 64u, 70u, 126u, 127u, 200u}) {
        const unsigned bits = count + 1;
        std::string hex;
        for (unsigned group = 0; group < (bits + 6) / 7; ++group) {
            unsigned value = group == 0 ? 0x40u : 0u;
            const unsigned last = bits - 1;  // the bit of the last field
            if (last / 7 == group) value |= 0x40u >> last % 7;
            if (group + 1 == (bits + 6) / 7) value |= 0x80u;
            constexpr char digits[] = "0123456789abcdef";
            hex += {digits[value >> 4], digits[value & 15]};
        }
        EXPECT_EQ(decode_once(optional_copies(count), hex + "81 8a", true),
                  "{\"f" + std::to_string(count - 1) + "\":9}")
            << count << " fields";
    }
}

TEST(FastSegments, WideMapsOfElementsAndGroups) {
    const std::string fields = optional_copies(64);
    const std::string map = "00 00 00 00 00 00 00 00 00 c0";  // bit 63: the last field
    EXPECT_EQ(decode_once("<sequence name=\"s\">" + fields + "</sequence><uInt32 name=\"z\"><copy/></uInt32>",
                          "e0 81 82 " + map + "8a" + map + "8b 87", true),
              R"({"s":[{"f63":9},{"f63":10}],"z":7})");
    EXPECT_EQ(decode_once("<group name=\"g\">" + fields + "</group><uInt32 name=\"z\"><copy/></uInt32>",
                          "e0 81 " + map + "8a 87", true),
              R"({"g":{"f63":9},"z":7})");
}

TEST(FastSegments, BitsNobodyUsesAreReported) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"/>)", "e0 81 85", true), "R8");
    EXPECT_EQ(decode_once(R"(<sequence name="s"><uInt32 name="a"><copy/></uInt32></sequence>)",
                          "c0 81 81 e0 85", true),
              "R8");
    EXPECT_EQ(
        decode_once(R"(<group name="g"><uInt32 name="a"><copy/></uInt32></group>)", "c0 81 e0 85", true),
        "R8");
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"/>)", "40 00 00 00 00 00 00 00 00 00 81 81 85", true), "R8")
        << "beyond the register";
}

TEST(FastSegments, StaticReferencesAreInlined) {
    const auto templates =
        load_all(R"(<template name="T" id="1"><uInt32 name="a"/><templateRef name="R"/></template>
                                       <template name="R"><uInt32 name="b"><copy/></uInt32></template>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85 86"), R"({"a":5,"b":6})");
    EXPECT_TRUE(templates->all()[0].field("b"));
}

TEST(FastSegments, DynamicReferencesNestUpToTheLimit) {
    const auto templates = load_all(R"(<template name="A" id="1"><uInt32 name="a"/><templateRef/></template>
                                       <template name="B" id="2"><uInt32 name="b"/></template>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram, .limits = {.dynamic_depth_max = 2}});
    EXPECT_EQ(
        decode_hex(decoder, "c0 81 85 c0 81 86 c0 82 87"),
        R"({"a":5,"<dyn>":{"template":"A","fields":{"a":6,"<dyn>":{"template":"B","fields":{"b":7}}}}})");
    EXPECT_EQ(decode_hex(decoder, "c0 81 85 c0 81 86 c0 81 87 c0 82 88"), "limit");
    EXPECT_EQ(decode_hex(decoder, "c0 81 85 c0 83"), "D9");
}

TEST(FastSegments, RepeatedNamesGetNumbers) {
    const auto templates = load_one(R"(<uInt32 name="a"/><uInt32 name="a"/><uInt32 name="a"/>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 81 82 83"), R"({"a":1,"a#2":2,"a#3":3})");
    EXPECT_TRUE(templates->all()[0].field("a#3"));
}

// A row of more than 63 optional fields needs more than one presence word.
TEST(FastSegments, RowsOfManyOptionalFields) {
    std::string fields;
    std::string hex = "c0 81 ";
    std::string expected;
    for (unsigned i = 0; i < 150; ++i) {
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"/>";
        hex += i % 3 == 0 ? "85 " : "80 ";
        if (i % 3 == 0) expected += (expected.empty() ? "" : ",") + ("\"f" + std::to_string(i)) + "\":4";
    }
    EXPECT_EQ(decode_once(fields, hex), '{' + expected + '}');
}

}  // namespace
}  // namespace tickpath::fast
