// Every error code of FAST 1.1 appendix 4 and of ours that a decoder or loader can meet: when, where and
// under which mode it is told. D1, D10, D11, R3 and R5 belong to conversions (convert_test.cc), D12 to blocks
// (block_test.cc), D3 and `unrepresentable` to the encoder (encoder_test.cc), `trailing` to framed feeds
// (tests/dataplane/feed).
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

// ---- static errors: the file is refused, with its line

struct StaticCase {
    const char* code;
    const char* inside;  ///< of <template>, on line 3
    const char* finding;
};

class FastStaticError : public testing::TestWithParam<StaticCase> {};

TEST_P(FastStaticError, RefusesTheFileAtItsLine) {
    const StaticCase& one = GetParam();
    Diagnostics diagnostics;
    const std::string xml = "<templates>\n<template name=\"T\" id=\"1\">\n" + std::string(one.inside) +
                            "\n</template></templates>";
    EXPECT_EQ(load_templates(xml, "t.xml", diagnostics), nullptr);
    bool has_code = false;
    for (const Diagnostic& found : diagnostics.all())
        has_code |= code(found.error) == one.code && found.line == 3;
    EXPECT_TRUE(has_code) << diagnostics.format();
    EXPECT_NE(diagnostics.format().find("t.xml:3: " + std::string(one.code) + ": " + one.finding),
              std::string::npos)
        << diagnostics.format();
}

constexpr StaticCase static_cases[] = {
    {"S1", R"(<uInt32 name="a" presence="maybe"/>)", "presence=\"maybe\""},
    {"S2", R"(<decimal name="a"><increment/></decimal>)", "<increment> does not apply to type decimal"},
    {"S3", R"(<uInt32 name="a"><copy value="-1"/></uInt32>)", "\"-1\" is not a value of type uInt32"},
    {"S4", R"(<uInt32 name="a"><constant/></uInt32>)", "<constant> has no value"},
    {"S5", R"(<uInt32 name="a"><default/></uInt32>)", "<default> of a mandatory field has no value"},
    {"D8", R"(<templateRef name="Missing"/>)", "there is no template \"Missing\""},
};
INSTANTIATE_TEST_SUITE_P(EachCode, FastStaticError, testing::ValuesIn(static_cases),
                         [](const auto& one) { return std::string(one.param.code); });

// ---- dynamic errors: the message is not delivered, what came before stays, and the place is told

struct DynamicCase {
    const char* name;
    const char* code;
    const char* fields;  ///< of template 1, whose name is T
    const char* hex;     ///< begins with a good message
    const char* template_label;
    const char* field;
    unsigned offset;  ///< where decoding stopped
    Limits limits = {};
};

class FastDynamicError : public testing::TestWithParam<DynamicCase> {};

TEST_P(FastDynamicError, EndsTheMessageAtItsPlace) {
    const DynamicCase& one = GetParam();
    for (const bool strict : {false, true}) {
        Decoder decoder(load_one(one.fields),
                        {.reset = ResetRule::never, .strict = strict, .limits = one.limits});
        const std::vector<std::byte> bytes = test::from_hex(one.hex);
        decoder.begin(bytes, 0);
        ASSERT_TRUE(decoder.next()) << "the message before it";
        EXPECT_FALSE(decoder.next());
        EXPECT_EQ(code(decoder.error()), one.code);
        EXPECT_FALSE(describe(decoder.error()).empty());
        const DecodeError place = decoder.error_place();
        EXPECT_EQ(place.template_label, one.template_label);
        EXPECT_EQ(place.field, one.field);
        EXPECT_EQ(place.offset, one.offset);
        EXPECT_EQ(decoder.counts().messages, 1u);
        EXPECT_TRUE(decoder.poisoned());
        EXPECT_EQ(decode_hex(decoder, "80"), "poisoned");
    }
}

const DynamicCase dynamic_cases[] = {
    {"D2", "D2", R"(<uInt32 name="a"/>)", "c0 81 85  80 10 00 00 00 80", "T", "a", 4},
    {"D2OfALength", "D2", R"(<byteVector name="a"/>)", "c0 81 80  80 10 00 00 00 80", "T", "a", 4},
    {"D4", "D4", R"(<uInt32 name="a"/><uInt32 name="b" presence="optional"><copy key="k"/></uInt32>
                    <string name="c" presence="optional"><copy key="k"/></string>)",
     "d0 81 85 c1  80 86", "T", "b", 6},
    {"D5", "D5", R"(<uInt32 name="a"><copy/></uInt32><group name="g" presence="optional">
                    <uInt32 name="b"><copy/></uInt32></group>)",
     "e0 81 85  90 80", "T", "g/b", 5},
    {"D6", "D6", R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                    <uInt32 name="b"><copy key="k"/></uInt32>)",
     "f0 81 80 85  a0 80", "T", "b", 6},
    {"D6OfADelta", "D6", R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                            <uInt32 name="b" presence="optional"><delta key="k"/></uInt32>)",
     "e0 81 80 80  80 82", "T", "b", 6},
    {"D7", "D7", R"(<string name="a"><delta/></string>)", "c0 81 80 c1  80 82 c2", "T", "a", 7},
    {"D9", "D9", R"(<uInt32 name="a"/>)", "c0 81 85  c0 89 85", "", "", 5},
    {"R1", "R1", R"(<decimal name="a"/>)", "c0 81 bf 81  80 00 c0 81", "T", "a", 7},
    {"R1OfADelta", "R1", R"(<decimal name="a"><exponent><delta/></exponent></decimal>)",
     "c0 81 bf 81  80 81 81", "T", "a", 6},
    {"R4", "R4", R"(<uInt32 name="a"><delta/></uInt32>)", "c0 81 81  80 fe", "T", "a", 5},
    {"Truncated", "truncated", R"(<uInt32 name="a"/><uInt32 name="b"/>)", "c0 81 81 82  80 81", "T", "", 6},
    {"Limit",
     "limit",
     R"(<sequence name="s"><uInt32 name="a"/></sequence>)",
     "c0 81 81 81  80 83 81 81 81",
     "T",
     "s",
     6,
     {.sequence_length_max = 2}},
    {"LimitOfAString",
     "limit",
     R"(<byteVector name="a"/>)",
     "c0 81 81 41  80 83 41 41 41",
     "T",
     "a",
     6,
     {.string_bytes_max = 2}},
    {"LimitOfAnEntity",
     "limit",
     R"(<uInt32 name="a"/>)",
     "c0 81 81  80 00 00 00 00 00 00 00 00 00 00 00 00 81",
     "T",
     "a",
     4,
     {.entity_bytes_max = 12}},
    {"LimitOfAMap",
     "limit",
     R"(<uInt32 name="a"/>)",
     "c0 81 81  00 00 00 80 81",
     "",
     "",
     3,
     {.map_bytes_max = 3}},
};
INSTANTIATE_TEST_SUITE_P(EachCode, FastDynamicError, testing::ValuesIn(dynamic_cases),
                         [](const auto& one) { return std::string(one.param.name); });

// ---- reportable errors: an error in strict mode, told and counted in lenient mode

struct ReportCase {
    const char* code;
    Report report;
    const char* fields;
    const char* hex;
    const char* decoded;
};

class FastReportable : public testing::TestWithParam<ReportCase> {};

TEST_P(FastReportable, IsAnErrorWhenStrictAndCountedWhenLenient) {
    const ReportCase& one = GetParam();
    EXPECT_EQ(decode_once(one.fields, one.hex, true), one.code);
    Decoder decoder(load_one(one.fields), {.reset = ResetRule::never});
    const std::vector<std::byte> bytes = test::from_hex(one.hex);
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(test::fast_fields(decoder.message().tmpl().fields(), decoder.message().root())
                  .dump(-1, ' ', false, test::Json::error_handler_t::replace),
              one.decoded);
    EXPECT_TRUE(decoder.message().reported(one.report));
    for (std::size_t i = 0; i < report_count; ++i)
        EXPECT_EQ(decoder.counts().reports[i], i == static_cast<std::size_t>(one.report) ? 1u : 0u);
    EXPECT_FALSE(decoder.poisoned());
}

constexpr ReportCase report_cases[] = {
    {"R2", Report::r2, R"(<string name="a" charset="unicode"><delta value="A"/></string>)", "c0 81 80 81 ff",
     "{\"a\":\"A\xEF\xBF\xBD\"}"},
    {"R6", Report::r6, R"(<uInt32 name="a"/>)", "c0 81 00 85", R"({"a":5})"},
    {"R7", Report::r7, R"(<uInt32 name="a"/>)", "40 80 81 85", R"({"a":5})"},
    {"R8", Report::r8, R"(<uInt32 name="a"/>)", "e0 81 85", R"({"a":5})"},
    {"R9", Report::r9, R"(<string name="a"/>)", "c0 81 00 c1", R"({"a":"A"})"},
};
INSTANTIATE_TEST_SUITE_P(EachCode, FastReportable, testing::ValuesIn(report_cases),
                         [](const auto& one) { return std::string(one.param.code); });

TEST(FastErrorCodes, OverwritingAValueOfAnotherTypeIsD4WhenStrictOnly) {
    const std::string fields = R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                                  <string name="b" presence="optional"><copy key="k"/></string>)";
    EXPECT_EQ(decode_once(fields, "f0 81 86 c1"), R"({"a":5,"b":"A"})");
    EXPECT_EQ(decode_once(fields, "f0 81 86 c1", true), "D4");
}

// FAST's codes come first in the list, up to inexact. One that is added needs a case here, or a line above
// that says where it is tested.
TEST(FastErrorCodes, AllHaveATest) {
    std::set<std::string> tested = {"D1", "D3", "D10",      "D11",      "D12",
                                    "R3", "R5", "poisoned", "trailing", "unrepresentable"};
    for (const StaticCase& one : static_cases)
        tested.insert(one.code);
    for (const DynamicCase& one : dynamic_cases)
        tested.insert(one.code);
    for (const ReportCase& one : report_cases)
        tested.insert(one.code);
    for (std::size_t i = 1; i <= static_cast<std::size_t>(Errc::r9); ++i)
        EXPECT_TRUE(tested.contains(std::string(code(static_cast<Errc>(i))))) << code(static_cast<Errc>(i));
}

}  // namespace
}  // namespace tickpath::fast
