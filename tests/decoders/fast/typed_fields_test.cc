// The types that FAST 1.2 adds: integers on the wire with something to say to a person (spec/fast.md §14b).
#include <string>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/fast_twins.h"
#include "tests/support/shared_data.h"

namespace tickpath::fast {
namespace {

std::string problems(const std::string& xml) {
    Diagnostics diagnostics;
    const auto templates = load_templates(xml, "t.xml", diagnostics);
    EXPECT_EQ(templates == nullptr, diagnostics.has_errors());
    return diagnostics.format();
}

std::string field_problems(const std::string& field) {
    return problems("<templates>\n<template name=\"T\" id=\"1\">\n" + field + "\n</template></templates>");
}

// In the manner of the derivatives exchange that uses 1.2: types first, elements with the FIX value as name
// and the word as id, fields that refine their type.
constexpr const char* market_xml = R"(
  <define name="TypeTradingStatus"><enum>
    <element name="2" id="Halt"/><element name="17" id="Open"/><element name="18" id="Closed"/>
  </enum></define>
  <define name="TypeConditions"><set>
    <element name="U" id="ExchangeLast"/><element name="R" id="OpeningPrice"/><element name="AX" id="HighPrice"/>
    <element name="AY" id="LowPrice"/><element name="AJ" id="OfficialClosingPrice"/>
  </set></define>
  <define name="TypePrice"><decimal><exponent><constant value="-4"/></exponent><mantissa><delta/></mantissa></decimal></define>
  <define name="TypeLevel"><group>
    <field name="Price"><type name="TypePrice"/></field>
    <uInt64 name="Size"/>
  </group></define>
  <template name="StateChange" id="1">
    <string name="MsgType" id="35"><constant value="h"/></string>
    <field name="Status" id="326"><type name="TypeTradingStatus"><default value="17"/></type></field>
    <field name="Previous" presence="optional"><type name="TypeTradingStatus"/></field>
    <field name="Conditions" id="277" presence="optional"><type name="TypeConditions"><copy/></type></field>
    <timestamp name="TransactTime" id="60" unit="nanosecond" epoch="unix"><delta/></timestamp>
    <boolean name="IsFast" presence="optional"/>
    <field name="Best" presence="optional"><type name="TypeLevel"/></field>
  </template>)";

// The wire forms that mFAST's public tests show (simple16, simple17, simple18, simple19).
TEST(FastTypedFields, EnumIsTheIndexOfItsElement) {
    const std::string field =
        R"(<enum name="f"><element name="1" id="Active"/><element name="2" id="Inactive"/>
                                 <default value="0"/></enum>)";
    EXPECT_EQ(decode_once(field, "c0 81"), R"({"f":0})");
    EXPECT_EQ(decode_once(field, "e0 81 81"), R"({"f":1})");
}

TEST(FastTypedFields, EnumWithValuesOfItsOwnIsThatValue) {
    const std::string elements =
        R"(<element name="One" value="1"/><element name="Three" value="3"/><element name="Five" value="5"/>)";
    const auto one = load_one("<enum name=\"f\">" + elements + "</enum>");
    Decoder decoder(one, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 83"), R"({"f":3})");
    EXPECT_EQ(one->all()[0].find("f")->presentation.element(3)->label(), "Three");
    EXPECT_EQ(one->all()[0].find("f")->presentation.element(2), nullptr);
    EXPECT_EQ(
        decode_once("<enum name=\"f\" presence=\"optional\">" + elements + "<default/></enum>", "e0 81 84"),
        R"({"f":3})");
    EXPECT_EQ(
        decode_once("<enum name=\"f\" presence=\"optional\">" + elements + "<default/></enum>", "c0 81"),
        "{}");
    EXPECT_EQ(decode_once("<enum name=\"f\">" + elements + "<copy value=\"Five\"/></enum>", "c0 81"),
              R"({"f":5})");
}

TEST(FastTypedFields, SetIsABitPerElement) {
    const std::string nine = [] {
        std::string elements;
        for (int i = 0; i < 9; ++i)
            elements += "<element name=\"e" + std::to_string(i) + "\"/>";
        return elements;
    }();
    EXPECT_EQ(decode_once("<set name=\"f\">" + nine + "</set>", "c0 81 94"), R"({"f":20})");
    const auto optional = load_one("<set name=\"f\" presence=\"optional\">" + nine + "<default/></set>");
    Decoder decoder(optional, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "e0 81 02 81"), R"({"f":256})");
    EXPECT_EQ(decode_hex(decoder, "c0 81"), "{}");
    EXPECT_EQ(optional->all()[0].find("f")->presentation.text(256), "e8");
    EXPECT_EQ(optional->all()[0].find("f")->presentation.text(0b10100), "e2 e4");
    EXPECT_EQ(decode_once("<set name=\"f\">" + nine + "<default value=\"e0  e4\"/></set>", "c0 81"),
              R"({"f":17})");
}

TEST(FastTypedFields, TimestampIsAnInt64) {
    const auto templates =
        load_one(R"(<timestamp name="f" unit="nanosecond" presence="optional"><copy/></timestamp>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "e0 81 83  80"), R"({"f":2} {"f":2})");
    EXPECT_EQ(decode_hex(decoder, "e0 81 01 00 00 00 00 00 00 00 00 80"), R"({"f":9223372036854775807})");
    const Presentation& shown = templates->all()[0].find("f")->presentation;
    EXPECT_EQ(shown.kind, PresentationKind::timestamp);
    EXPECT_EQ(shown.unit, TimeUnit::nanosecond);
    EXPECT_EQ(shown.epoch, TimeEpoch::unsaid);
}

TEST(FastTypedFields, BooleanIsAnEnumOfFalseAndTrue) {
    EXPECT_EQ(decode_once(R"(<boolean name="f"><default value="true"/></boolean>)", "c0 81"), R"({"f":1})");
    const auto templates = load_one(R"(<boolean name="f"/>)");
    EXPECT_EQ(templates->all()[0].find("f")->presentation.text(0), "false");
    EXPECT_EQ(templates->all()[0].find("f")->presentation.text(1), "true");
}

TEST(FastTypedFields, DefinedTypesAreUsedByName) {
    const auto templates = load_all(market_xml);
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 82 00 e4 82 "),
              R"({"MsgType":"h","Status":17,"Previous":1,"TransactTime":100,"IsFast":1})");
    EXPECT_EQ(decode_hex(decoder, "f8 81 82 80 93 00 e4 80 8a 8b"),
              R"({"MsgType":"h","Status":2,"Conditions":18,"TransactTime":100,)"
              R"("Best":{"Price":{"m":10,"e":-4},"Size":11}})");
    const Template& tmpl = templates->all()[0];
    EXPECT_EQ(tmpl.find("Status")->type_name(), "enum");
    EXPECT_EQ(tmpl.find("Status")->id, "326") << "the field's own, not its type's";
    EXPECT_EQ(tmpl.find("Previous")->presentation.text(1), "Open");
    EXPECT_EQ(tmpl.find("Conditions")->presentation.text(18), "OpeningPrice OfficialClosingPrice");
    EXPECT_EQ(tmpl.find("TransactTime")->presentation.text(100), "nanosecond unix");
    EXPECT_TRUE(tmpl.find("Best/Price")->individual_operators);
}

TEST(FastTypedFields, AnOperatorOfTheFieldReplacesThatOfItsType) {
    const auto templates = load_all(R"(
        <define name="Counter"><uInt32><copy value="5"/></uInt32></define>
        <define name="Other"><type name="Counter" presence="optional"/></define>
        <template name="T" id="1">
          <field name="a"><type name="Counter"/></field>
          <field name="b"><type name="Counter"><increment value="7"/></type></field>
          <field name="c"><type name="Counter"/><default value="9"/></field>
          <field name="d"><type name="Other"/></field>
          <field name="e" presence="mandatory"><type name="Other"><delta/></type></field>
        </template>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 81"), R"({"a":5,"b":7,"c":9,"d":5,"e":1})");
    EXPECT_TRUE(templates->all()[0].find("d")->optional);
    EXPECT_FALSE(templates->all()[0].find("e")->optional);
}

TEST(FastTypedFields, TypesMayBeSequencesAndStandBehindTheirUse) {
    Decoder decoder(
        load_all(R"(<template name="T" id="1"><field name="rows"><type name="Rows"/></field></template>
        <define name="Rows"><sequence><length name="n"/><field name="x"><string charset="unicode"/></field>
        </sequence></define>)"),
        {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 82 81 41 82 42 43"), R"({"rows":[{"x":"A"},{"x":"BC"}]})");
}

// ---- bounds

TEST(FastTypedFields, NarrowIntegersHaveTheirOwnBounds) {
    struct Case {
        const char* type;
        const char* max;
        const char* beyond_max;
        const char* min;
        const char* below_min;
    };
    for (const Case& one :
         {Case{"uInt8", "01 ff", "02 80", "80", nullptr}, Case{"int8", "00 ff", "01 80", "7f 80", "7e ff"},
          Case{"uInt16", "03 7f ff", "04 00 80", "80", nullptr},
          Case{"int16", "01 7f ff", "02 00 80", "7e 00 80", "7d 7f ff"}}) {
        const std::string field = std::string("<") + one.type + " name=\"f\"/>";
        EXPECT_EQ(decode_once(field, std::string("c0 81 ") + one.max).find("{\"f\":"), 0u) << one.type;
        EXPECT_EQ(decode_once(field, std::string("c0 81 ") + one.beyond_max), "D2") << one.type;
        EXPECT_EQ(decode_once(field, std::string("c0 81 ") + one.min).find("{\"f\":"), 0u) << one.type;
        if (one.below_min != nullptr) {
            EXPECT_EQ(decode_once(field, std::string("c0 81 ") + one.below_min), "D2") << one.type;
        }
    }
    EXPECT_EQ(decode_once(R"(<uInt8 name="f" presence="optional"/>)", "c0 81 02 80  80 80  80 02 81"),
              R"({"f":255} {} D2)")
        << "the nullable maximum";
}

TEST(FastTypedFields, NarrowIntegersWrapAndAddWithinTheirBounds) {
    EXPECT_EQ(decode_once(R"(<uInt8 name="f"><increment/></uInt8>)", "e0 81 01 ff  80 80"),
              R"({"f":255} {"f":0} {"f":1})");
    EXPECT_EQ(decode_once(R"(<int8 name="f"><increment value="126"/></int8>)", "c0 81 80 80 80"),
              R"({"f":126} {"f":127} {"f":-128} {"f":-127})");
    EXPECT_EQ(decode_once(R"(<int16 name="f" presence="optional"><increment/></int16>)",
                          "e0 81 02 00 80  80  a0 80  80"),
              R"({"f":32767} {"f":-32768} {} {})");
    EXPECT_EQ(decode_once(R"(<uInt8 name="f"><delta value="250"/></uInt8>)", "c0 81 85 80 81"),
              R"({"f":255} R4)");
    EXPECT_EQ(decode_once(R"(<int8 name="f"><delta/></int8>)", "c0 81 7f 80 80 ff"), R"({"f":-128} R4)");
}

// What a wider field left in the shared entry has no successor of the narrow type, at the maximum of the
// wire's 32 bits as little as anywhere: their wrapping to 0 is not the field's.
TEST(FastTypedFields, NarrowIncrementsDoNotWrapWhatAWiderFieldLeft) {
    const auto fields = [](const std::string& wide, const std::string& narrow) {
        return "<" + wide + " name=\"wide\"><copy key=\"k\"/></" + wide + "><" + narrow +
               " name=\"f\"><increment key=\"k\"/></" + narrow + ">";
    };
    struct Case {
        const char* wide;
        const char* narrow;
        const char* bytes;
        const char* outcome;
    };
    for (const Case& one :
         {Case{"uInt32", "uInt8", "e0 81 0f 7f 7f 7f ff", "D2"},
          Case{"uInt32", "uInt16", "e0 81 0f 7f 7f 7f ff", "D2"},
          Case{"uInt32", "uInt8", "e0 81 02 80", "D2"},
          Case{"uInt32", "uInt8", "e0 81 01 ff", R"({"wide":255,"f":0})"},
          Case{"uInt32", "uInt8", "e0 81 01 fe", R"({"wide":254,"f":255})"},
          Case{"uInt32", "uInt8", "f0 81 0f 7f 7f 7f ff 85", R"({"wide":4294967295,"f":5})"},
          Case{"int32", "int8", "e0 81 07 7f 7f 7f ff", "D2"},
          Case{"int32", "int8", "e0 81 7e ff", R"({"wide":-129,"f":-128})"},
          Case{"int32", "int8", "e0 81 7e fe", "D2"}}) {
        const std::string xml = fields(one.wide, one.narrow);
        EXPECT_EQ(decode_once(xml, one.bytes), one.outcome)
            << one.wide << ' ' << one.narrow << ' ' << one.bytes;
        test::FastTwins twins("<templates><template name=\"T\" id=\"1\">" + xml + "</template></templates>",
                              {.reset = ResetRule::datagram});
        EXPECT_TRUE(twins.agree(test::from_hex(one.bytes)));
    }
    Decoder decoder(load_one(fields("uInt32", "uInt8")), {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "e0 81 0f 7f 7f 7f ff"), "D2");
    EXPECT_EQ(decoder.error_place().field, "f");
}

TEST(FastTypedFields, NarrowBoundsReachWideMapsAndElements) {
    std::string fields = "<sequence name=\"s\">";
    for (int i = 0; i < 70; ++i)
        fields += "<uInt8 name=\"f" + std::to_string(i) +
                  "\" presence=\"optional\"><increment value=\"255\"/></uInt8>";
    fields += "</sequence>";
    const std::string decoded = decode_once(fields, "c0 81 82 80 80");
    EXPECT_NE(decoded.find(R"("f69":255},{"f0":0,)"), std::string::npos) << decoded;
    EXPECT_NE(decoded.find(R"("f69":0}]})"), std::string::npos) << decoded;
}

// ---- what is refused

TEST(FastTypedFields, InitialValuesAreOfTheType) {
    EXPECT_NE(field_problems(R"(<uInt8 name="f"><copy value="256"/></uInt8>)")
                  .find("t.xml:3: S3: \"256\" is not a value of type uInt8"),
              std::string::npos);
    EXPECT_NE(field_problems(R"(<int8 name="f"><copy value="-129"/></int8>)").find("S3"), std::string::npos);
    EXPECT_NE(field_problems(R"(<enum name="f"><element name="A"/><copy value="B"/></enum>)")
                  .find("t.xml:3: S3: \"B\" is not a value of type enum"),
              std::string::npos);
    EXPECT_NE(field_problems(R"(<set name="f"><element name="A"/><copy value="A B"/></set>)").find("S3"),
              std::string::npos);
    EXPECT_NE(field_problems(R"(<boolean name="f"><copy value="yes"/></boolean>)").find("S3"),
              std::string::npos);
    EXPECT_EQ(field_problems(R"(<uInt8 name="f"><copy value="255"/></uInt8>)"), "");
}

TEST(FastTypedFields, RefusesElementsThatSayTwoThings) {
    EXPECT_NE(field_problems(R"(<enum name="f"/>)").find("t.xml:3: S1: <enum> has no elements"),
              std::string::npos);
    EXPECT_NE(field_problems(R"(<enum name="f"><element name="A"/><element name="A"/></enum>)")
                  .find("S1: the element \"A\" stands twice"),
              std::string::npos);
    EXPECT_NE(field_problems(R"(<enum name="f"><element name="A" value="1"/><element name="B"/></enum>)")
                  .find("S1: <enum> gives some elements a value and others none"),
              std::string::npos);
    EXPECT_NE(
        field_problems(R"(<enum name="f"><element name="A" value="1"/><element name="B" value="1"/></enum>)")
            .find("S1: the value 1 stands twice"),
        std::string::npos);
    std::string set = "<set name=\"f\">";
    for (int i = 0; i < 65; ++i)
        set += "<element name=\"e" + std::to_string(i) + "\"/>";
    EXPECT_NE(field_problems(set + "</set>").find("S1: <set> has more than 64 elements"), std::string::npos);
    EXPECT_NE(field_problems(R"(<timestamp name="f" unit="fortnight"/>)").find("S1: unit=\"fortnight\""),
              std::string::npos);
    EXPECT_NE(field_problems(R"(<timestamp name="f" epoch="rome"/>)").find("S1: epoch=\"rome\""),
              std::string::npos);
}

TEST(FastTypedFields, RefusesBitGroupByName) {
    EXPECT_NE(field_problems(R"(<bitGroup name="f"/>)")
                  .find("t.xml:3: S1: <bitGroup> of FAST 1.2 is not supported"),
              std::string::npos);
}

TEST(FastTypedFields, RefusesTypesThatAreNotThereOrContainThemselves) {
    EXPECT_NE(field_problems(R"(<field name="f"><type name="X"/></field>)")
                  .find("t.xml:3: S1: there is no <define> \"X\""),
              std::string::npos);
    EXPECT_NE(field_problems(R"(<field name="f"/>)").find("S1: <field> has no type"), std::string::npos);
    EXPECT_NE(field_problems(R"(<field name="f"><int8/><int8/></field>)").find("S1: <field> has two types"),
              std::string::npos);
    EXPECT_NE(
        problems(
            R"(<templates><define name="A"><type name="B"/></define><define name="B"><type name="A"/></define>
        <template name="T" id="1"><field name="f"><type name="A"/></field></template></templates>)")
            .find("is defined by itself"),
        std::string::npos);
    EXPECT_NE(
        problems(
            R"(<templates><define name="A"><group name="g"><field name="f"><type name="A"/></field></group></define>
        <template name="T" id="1"><field name="f"><type name="A"/></field></template></templates>)")
            .find("S1: the type \"A\" contains itself"),
        std::string::npos);
    EXPECT_NE(problems(R"(<templates><define name="A"/></templates>)").find("must hold one type"),
              std::string::npos);
    EXPECT_NE(problems(R"(<templates><define><int8/></define></templates>)").find("<define> has no name"),
              std::string::npos);
    EXPECT_NE(
        problems(
            R"(<templates><define name="A"><int8/></define><define name="A"><int8/></define></templates>)")
            .find("<define> \"A\" stands twice"),
        std::string::npos);
}

// A few lines that would become two to the power of thirty fields.
TEST(FastTypedFields, RefusesTypesThatGrowBeyondMeasure) {
    std::string xml = "<templates><define name=\"t0\"><uInt32/></define>";
    for (int i = 1; i <= 30; ++i) {
        const std::string inner = "<type name=\"t" + std::to_string(i - 1) + "\"/>";
        xml += "<define name=\"t" + std::to_string(i) + "\"><group><field name=\"a\">" + inner +
               "</field><field name=\"b\">" + inner + "</field></group></define>";
    }
    xml +=
        "<template name=\"T\" id=\"1\"><field name=\"f\"><type name=\"t30\"/></field></template></templates>";
    EXPECT_NE(problems(xml).find("limit: more than 100000 fields with types"), std::string::npos);
}

TEST(FastTypedFields, PublicTemplateFilesLoad) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const char* const name :
         {"simple16.xml", "simple17.xml", "simple18.xml", "simple19.xml", "test3.xml", "test4.xml"}) {
        Diagnostics diagnostics;
        EXPECT_TRUE(load_template_file(test::shared_data() / "fast" / "mfast-tests" / name, diagnostics))
            << diagnostics.format();
    }
}

}  // namespace
}  // namespace tickpath::fast
