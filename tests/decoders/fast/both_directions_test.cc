// What FAST has, noun by noun: the bytes of a few messages, encoded from their values and decoded back to
// them.
#include <array>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/fast_sender.h"

namespace tickpath::fast {
namespace {

struct Exchange {
    const char* fields;
    const char* bytes;
    std::uint32_t template_id = 1;
};

struct Noun {
    const char* name;
    std::string templates;  ///< fields of template 1, or whole templates
    std::vector<Exchange> messages;

    friend void PrintTo(const Noun& noun, std::ostream* out) { *out << noun.templates; }
};

const std::vector<Noun> types = {
    {"UInt32OverItsFullRange",
     R"(<uInt32 name="f"/>)",
     {{R"({"f":0})", "c0 81 80"},
      {R"({"f":942755})", "80 39 45 a3"},
      {R"({"f":4294967295})", "80 0f 7f 7f 7f ff"}}},
    {"UInt32NullableToItsMaximum",
     R"(<uInt32 name="f" presence="optional"/>)",
     {{R"({"f":4294967295})", "c0 81 10 00 00 00 80"}, {"{}", "80 80"}, {R"({"f":0})", "80 81"}}},
    {"UInt64OverItsFullRange",
     R"(<uInt64 name="f"/>)",
     {{R"({"f":18446744073709551615})", "c0 81 01 7f 7f 7f 7f 7f 7f 7f 7f ff"}, {R"({"f":0})", "80 80"}}},
    {"UInt64NullableToItsMaximum",
     R"(<uInt64 name="f" presence="optional"/>)",
     {{R"({"f":18446744073709551615})", "c0 81 02 00 00 00 00 00 00 00 00 80"}, {"{}", "80 80"}}},
    {"Int32OverItsFullRange",
     R"(<int32 name="f"/>)",
     {{R"({"f":-2147483648})", "c0 81 78 00 00 00 80"}, {R"({"f":2147483647})", "80 07 7f 7f 7f ff"}}},
    {"Int32NullableToItsMaximum",
     R"(<int32 name="f" presence="optional"/>)",
     {{R"({"f":2147483647})", "c0 81 08 00 00 00 80"},
      {R"({"f":-2147483648})", "80 78 00 00 00 80"},
      {R"({"f":-1})", "80 ff"},
      {"{}", "80 80"}}},
    {"Int64OverItsFullRange",
     R"(<int64 name="f"/>)",
     {{R"({"f":9223372036854775807})", "c0 81 00 7f 7f 7f 7f 7f 7f 7f 7f ff"},
      {R"({"f":-9223372036854775808})", "80 7f 00 00 00 00 00 00 00 00 80"}}},
    {"Int64NullableToItsMaximum",
     R"(<int64 name="f" presence="optional"/>)",
     {{R"({"f":9223372036854775807})", "c0 81 01 00 00 00 00 00 00 00 00 80"}, {"{}", "80 80"}}},
    {"AsciiString",
     R"(<string name="f"/>)",
     {{R"({"f":"ABC"})", "c0 81 41 42 c3"}, {R"({"f":""})", "80 80"}, {R"({"f":"\u0000"})", "80 00 80"}}},
    {"AsciiStringOptional",
     R"(<string name="f" presence="optional"/>)",
     {{"{}", "c0 81 80"}, {R"({"f":""})", "80 00 80"}, {R"({"f":"A"})", "80 c1"}}},
    {"UnicodeString",
     R"(<string name="f" charset="unicode"/><string name="g" charset="unicode" presence="optional"/>)",
     {{R"({"f":"ÅAB","g":""})", "c0 81 84 c3 85 41 42 81"}, {R"({"f":""})", "80 80 80"}}},
    {"ByteVector",
     R"(<byteVector name="f"/><byteVector name="g" presence="optional"/>)",
     {{R"({"f":"hex:c08180","g":"hex:"})", "c0 81 83 c0 81 80 81"}, {R"({"f":"hex:"})", "80 80 80"}}},
    {"DecimalWithASingleOperator",
     R"(<decimal name="f"><copy/></decimal><decimal name="g" presence="optional"/>)",
     {{R"({"f":{"m":942755,"e":2},"g":{"m":942755,"e":2}})", "e0 81 82 39 45 a3 83 39 45 a3"},
      {R"({"f":{"m":942755,"e":2}})", "80 80"}}},
    {"DecimalWithIndividualOperators",
     R"(<decimal name="f"><exponent><copy value="-2"/></exponent><mantissa><delta/></mantissa></decimal>)",
     {{R"({"f":{"m":100,"e":-2}})", "c0 81 00 e4"}, {R"({"f":{"m":101,"e":-3}})", "a0 fd 81"}}},
    {"Int8AndUInt16",
     R"(<int8 name="f"><delta/></int8><uInt16 name="g"><increment value="65535"/></uInt16>)",
     {{R"({"f":-128,"g":65535})", "c0 81 7f 80"}, {R"({"f":127,"g":0})", "80 01 ff"}}},
    {"Enum",
     R"(<enum name="f"><element name="A"/><element name="B"/><copy value="B"/></enum>)",
     {{R"({"f":1})", "c0 81"}, {R"({"f":0})", "a0 80"}}},
    {"Boolean",
     R"(<boolean name="f"/><boolean name="g" presence="optional"><default value="true"/></boolean>)",
     {{R"({"f":1,"g":1})", "c0 81 81"}, {R"({"f":0})", "a0 80 80"}}},
    {"Set",
     R"(<set name="f"><element name="A"/><element name="B"/><element name="C"/></set>)",
     {{R"({"f":5})", "c0 81 85"}, {R"({"f":0})", "80 80"}}},
    {"Timestamp",
     R"(<timestamp name="f" unit="nanosecond" epoch="unix"><delta/></timestamp>)",
     {{R"({"f":1796049000000000000})", "c0 81 18 76 36 21 4b 21 48 20 80"},
      {R"({"f":1796049000000000001})", "80 81"}}},
    {"DefinedTypes",
     R"(<define name="Price"><decimal><exponent><constant value="-4"/></exponent><mantissa><delta/></mantissa>
        </decimal></define><template name="T" id="1"><field name="f"><type name="Price"/></field></template>)",
     {{R"({"f":{"m":10,"e":-4}})", "c0 81 8a"}, {R"({"f":{"m":9,"e":-4}})", "80 ff"}}},
};

const std::vector<Noun> operators = {
    {"Presence",
     R"(<uInt32 name="f"/><uInt32 name="g" presence="optional"/>)",
     {{R"({"f":1})", "c0 81 81 80"}, {R"({"f":1,"g":1})", "80 81 82"}}},
    {"Constant",
     R"(<uInt32 name="f"><constant value="7"/></uInt32><string name="g" presence="optional"><constant value="X"/></string>)",
     {{R"({"f":7,"g":"X"})", "e0 81"}, {R"({"f":7})", "80"}}},
    {"Default",
     R"(<uInt32 name="f"><default value="7"/></uInt32><string name="g" presence="optional"><default value="X"/></string>)",
     {{R"({"f":7,"g":"X"})", "c0 81"}, {R"({"f":1})", "b0 81 80"}, {R"({"f":7,"g":"X"})", "80"}}},
    {"Copy",
     R"(<uInt32 name="f"><copy/></uInt32><string name="g" presence="optional"><copy/></string>
        <byteVector name="h"><copy value="41"/></byteVector><decimal name="i"><copy/></decimal>)",
     {{R"({"f":5,"g":"AB","h":"hex:41","i":{"m":1,"e":0}})", "f4 81 85 41 c2 80 81"},
      {R"({"f":5,"g":"AB","h":"hex:41","i":{"m":1,"e":0}})", "80"},
      {R"({"f":5,"h":"hex:42","i":{"m":1,"e":0}})", "98 80 81 42"}}},
    {"DeltaOfIntegers",
     R"(<uInt32 name="f"><delta/></uInt32><int64 name="g" presence="optional"><delta value="10"/></int64>)",
     {{R"({"f":4294967295,"g":9})", "c0 81 0f 7f 7f 7f ff ff"},
      {R"({"f":17})", "80 70 00 00 00 92 80"},
      {R"({"f":17,"g":9})", "80 80 81"}}},
    {"DeltaOfADecimal",
     R"(<decimal name="f"><delta value="12000"/></decimal>)",
     {{R"({"f":{"m":1210,"e":1}})", "c0 81 fe 09 ae"}, {R"({"f":{"m":1215,"e":1}})", "80 80 85"}}},
    {"IncrementWithItsWrap",
     R"(<uInt32 name="f"><increment value="4294967294"/></uInt32><int64 name="g" presence="optional"><increment/></int64>)",
     {{R"({"f":4294967294,"g":9223372036854775807})", "d0 81 01 00 00 00 00 00 00 00 00 80"},
      {R"({"f":4294967295,"g":-9223372036854775808})", "80"},
      {R"({"f":0})", "90 80"},
      {R"({"f":1})", "80"}}},
    {"TailOfAString",
     R"(<string name="f" presence="optional"><tail value="20260101"/></string>)",
     {{R"({"f":"20260101"})", "c0 81"},
      {R"({"f":"20260115"})", "a0 31 b5"},
      {"{}", "a0 80"},
      {R"({"f":"20260102"})", "a0 b2"}}},
    {"TailOfAByteVector",
     R"(<byteVector name="f"><tail/></byteVector>)",
     {{R"({"f":"hex:010203"})", "e0 81 83 01 02 03"},
      {R"({"f":"hex:010209"})", "a0 81 09"},
      {R"({"f":"hex:010209"})", "80"}}},
    {"DeltaOfAStringAtItsBackAndWithNegativeZeroAtItsFront",
     R"(<string name="f"><delta/></string>)",
     {{R"({"f":"GEH6"})", "c0 81 80 47 45 48 b6"},
      {R"({"f":"GEM6"})", "80 82 4d b6"},
      {R"({"f":"RGEM6"})", "80 ff d2"},
      {R"({"f":"SGEM6"})", "80 fe d3"}}},
    {"DeltaOfAUnicodeString",
     R"(<string name="f" charset="unicode"><delta/></string>)",
     {{R"({"f":"AÅ"})", "c0 81 80 83 41 c3 85"}, {R"({"f":"BAÅ"})", "80 ff 81 42"}}},
    {"DeltaOfAByteVectorAtItsBackAndWithNegativeZeroAtItsFront",
     R"(<byteVector name="f" presence="optional"><delta/></byteVector>)",
     {{R"({"f":"hex:4142"})", "c0 81 81 82 41 42"},
      {R"({"f":"hex:594142"})", "80 ff 81 59"},
      {R"({"f":"hex:5941"})", "80 82 80"},
      {"{}", "80 80"}}},
};

const std::vector<Noun> segments = {
    {"NestedGroups",
     R"(<group name="g"><group name="h" presence="optional"><uInt32 name="a"><copy/></uInt32></group></group>)",
     {{R"({"g":{"h":{"a":5}}})", "c0 81 c0 c0 85"},
      {R"({"g":{}})", "80 80"},
      {R"({"g":{"h":{"a":5}}})", "80 c0 80"}}},
    {"NestedSequences",
     R"(<sequence name="o"><uInt32 name="a"><copy/></uInt32>
        <sequence name="i"><string name="b"><copy/></string></sequence></sequence>)",
     {{R"({"o":[{"a":5,"i":[{"b":"A"},{"b":"A"}]},{"a":5,"i":[{"b":"B"}]}]})",
       "c0 81 82 c0 85 82 c0 c1 80 80 81 c0 c2"},
      {R"({"o":[]})", "80 80"}}},
    {"SequenceLengthWithAnOperator",
     R"(<sequence name="s" presence="optional"><length name="n"><copy/></length><uInt32 name="a"/></sequence>)",
     {{R"({"s":[{"a":1}]})", "e0 81 82 81"}, {R"({"s":[{"a":2}]})", "80 82"}, {"{}", "a0 80"}, {"{}", "80"}}},
    {"PresenceMapOver63Bits",
     [] {
         std::string fields;
         for (int i = 0; i < 70; ++i)
             fields +=
                 "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"><default/></uInt32>";
         return fields;
     }(),
     {{R"({"f69":1})", "40 00 00 00 00 00 00 00 00 00 c0 81 82"},
      {R"({"f0":1,"f69":1})", "20 00 00 00 00 00 00 00 00 00 c0 82 82"},
      {"{}", "80"}}},
};

const std::vector<Noun> dictionaries = {
    {"GlobalDictionary",
     R"(<template name="A" id="1"><uInt32 name="x"><copy/></uInt32></template>
        <template name="B" id="2"><uInt32 name="x"><copy dictionary="global"/></uInt32></template>)",
     {{R"({"x":5})", "e0 81 85"},
      {R"({"x":5})", "c0 82", 2},
      {R"({"x":6})", "a0 86", 2},
      {R"({"x":6})", "c0 81"}}},
    {"TemplateDictionary",
     R"(<template name="A" id="1" dictionary="template"><uInt32 name="x"><copy/></uInt32></template>
        <template name="B" id="2" dictionary="template"><uInt32 name="x"><copy/></uInt32></template>)",
     {{R"({"x":5})", "e0 81 85"}, {R"({"x":5})", "e0 82 85", 2}, {R"({"x":5})", "c0 81"}}},
    {"TypeDictionaryByTypeRef",
     R"(<template name="A" id="1" dictionary="type"><typeRef name="Order"/><uInt32 name="x"><copy/></uInt32></template>
        <template name="B" id="2" dictionary="type"><typeRef name="Order"/><uInt32 name="x"><copy/></uInt32></template>
        <template name="C" id="3" dictionary="type"><typeRef name="Trade"/><uInt32 name="x"><copy/></uInt32></template>)",
     {{R"({"x":5})", "e0 81 85"}, {R"({"x":5})", "c0 82", 2}, {R"({"x":5})", "e0 83 85", 3}}},
    {"TypeRefOfAGroupAndASequence",
     R"(<template name="T" id="1" dictionary="type"><uInt32 name="x"><copy/></uInt32>
        <group name="g"><typeRef name="Order"/><uInt32 name="x"><copy/></uInt32></group>
        <sequence name="s"><typeRef name="Order"/><uInt32 name="x"><copy/></uInt32></sequence></template>)",
     {{R"({"x":5,"g":{"x":5},"s":[{"x":5}]})", "e0 81 85 c0 85 81 80"}}},
    {"UserDictionary",
     R"(<template name="A" id="1"><uInt32 name="x"><copy dictionary="mine"/></uInt32></template>
        <template name="B" id="2" dictionary="mine"><uInt32 name="x"><copy/></uInt32></template>
        <template name="C" id="3"><uInt32 name="x"><copy/></uInt32></template>)",
     {{R"({"x":5})", "e0 81 85"}, {R"({"x":5})", "c0 82", 2}, {R"({"x":5})", "e0 83 85", 3}}},
    {"Key",
     R"(<uInt32 name="a"><copy key="k"/></uInt32><uInt32 name="b"><copy key="k"/></uInt32>)",
     {{R"({"a":5,"b":5})", "e0 81 85"}, {R"({"a":5,"b":6})", "90 86"}, {R"({"a":6,"b":6})", "80"}}},
    {"Namespaces",
     R"(<uInt32 name="x" ns="urn:a"><copy/></uInt32><uInt32 name="x" ns="urn:b"><copy/></uInt32>
        <uInt32 name="y" ns="urn:b"><copy key="x"/></uInt32>)",
     {{R"({"x":5,"x#2":5,"y":5})", "f0 81 85 85"}, {R"({"x":5,"x#2":6,"y":6})", "90 86"}}},
};

const std::vector<Noun> references = {
    {"StaticTemplateRefToATemplateWithoutId",
     R"(<template name="Block" dictionary="template"><uInt32 name="x"><copy/></uInt32></template>
        <template name="A" id="1" dictionary="template"><uInt32 name="x"><copy/></uInt32><templateRef name="Block"/></template>
        <template name="B" id="2"><templateRef name="Block"/></template>)",
     {{R"({"x":5,"x#2":6})", "f0 81 85 86"}, {R"({"x":6})", "c0 82", 2}}},
    {"DynamicTemplateRef",
     R"(<template name="Outer" id="1"><templateRef/><uInt32 name="z"><copy/></uInt32></template>
        <template name="Inner" id="2"><uInt32 name="x"><copy/></uInt32></template>)",
     {{R"({"<dyn>":{"template":"Inner","fields":{"x":5}},"z":6})", "e0 81 e0 82 85 86"},
      {R"({"<dyn>":{"template":"Inner","fields":{"x":5}},"z":6})", "c0 81 c0 82"},
      {R"({"x":5})", "80", 2}}},
    {"ForeignElementsAndAttributes",
     R"(<template name="T" id="1" xmlns:v="urn:v" v:since="3"><v:note>text <v:more/></v:note>
        <uInt32 name="f" v:unit="lots"><v:note/><copy/></uInt32></template>)",
     {{R"({"f":5})", "e0 81 85"}, {R"({"f":5})", "80"}}},
    {"ResetAttributeWithoutNamespace",
     R"(<template name="T" id="1"><uInt32 name="f"><copy/></uInt32></template><template name="R" id="120" reset="Y"/>)",
     {{R"({"f":5})", "e0 81 85"}, {R"({"f":5})", "80"}, {"{}", "c0 f8", 120}, {R"({"f":5})", "e0 81 85"}}},
    {"ResetAttributeOfTheSessionControlProtocol",
     R"(<template name="T" id="1"><uInt32 name="f"><copy/></uInt32></template>
        <template name="R" id="120" xmlns:scp="http://www.fixprotocol.org/ns/fast/scp/1.1" scp:reset="yes"/>)",
     {{R"({"f":5})", "e0 81 85"}, {R"({"f":5})", "80"}, {"{}", "c0 f8", 120}, {R"({"f":5})", "e0 81 85"}}},
};

class FastBothDirections : public testing::TestWithParam<Noun> {
protected:
    [[nodiscard]] static std::shared_ptr<const Templates> templates() {
        const std::string& text = GetParam().templates;
        return text.find("<template ") == std::string::npos ? load_one(text) : load_all(text);
    }
};

TEST_P(FastBothDirections, EncodesToItsBytesAndDecodesBack) {
    const std::shared_ptr<const Templates> loaded = templates();
    test::FastSender sender(loaded, {.reset = ResetRule::never});
    Decoder decoder(loaded, {.reset = ResetRule::never});
    for (const Exchange& message : GetParam().messages) {
        EXPECT_EQ(sender.send(message.fields, message.template_id), message.bytes) << message.fields;
        EXPECT_EQ(decode_hex(decoder, message.bytes), message.fields) << message.bytes;
    }
}

std::string name_of(const testing::TestParamInfo<Noun>& info) {
    return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Types, FastBothDirections, testing::ValuesIn(types), name_of);
INSTANTIATE_TEST_SUITE_P(Operators, FastBothDirections, testing::ValuesIn(operators), name_of);
INSTANTIATE_TEST_SUITE_P(Segments, FastBothDirections, testing::ValuesIn(segments), name_of);
INSTANTIATE_TEST_SUITE_P(Dictionaries, FastBothDirections, testing::ValuesIn(dictionaries), name_of);
INSTANTIATE_TEST_SUITE_P(References, FastBothDirections, testing::ValuesIn(references), name_of);

// The one that the XML need not have: known by its number alone.
TEST(FastBothDirectionsOfResets, ATemplateRegisteredByItsIdentifierAloneForgetsEverything) {
    const auto templates = load_one(R"(<uInt32 name="f"><copy/></uInt32>)");
    test::FastSender sender(templates, {.reset = ResetRule::template_id, .reset_template_id = 300});
    Decoder decoder(templates, {.reset = ResetRule::template_id, .reset_template_id = 300});
    EXPECT_EQ(sender.send(R"({"f":5})"), "e0 81 85");
    EXPECT_EQ(sender.send(R"({"f":5})"), "80");
    std::array<std::byte, 8> out{};
    const EncodeResult reset = sender.encoder().encode_reset(out);
    EXPECT_EQ(test::spaced_hex(std::span(out).first(reset.size_bytes)), "c0 02 ac");
    EXPECT_EQ(sender.send(R"({"f":5})"), "e0 81 85");
    EXPECT_EQ(decode_hex(decoder, "e0 81 85  80  c0 02 ac"), R"({"f":5} {"f":5} {})");
    EXPECT_EQ(decode_hex(decoder, "c0 81"), "D5") << "nothing is left to copy";
}

}  // namespace
}  // namespace tickpath::fast
