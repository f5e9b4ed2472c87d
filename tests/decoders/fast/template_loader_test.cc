#include "decoders/fast/template_loader.h"

#include <chrono>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

struct Loaded {
    std::shared_ptr<const Templates> templates;
    std::string findings;
};

Loaded load(const std::string& xml, bool strict = false) {
    Diagnostics diagnostics;
    Loaded loaded;
    loaded.templates = load_templates(xml, "t.xml", diagnostics, {.strict = strict});
    loaded.findings = diagnostics.format();
    EXPECT_EQ(loaded.templates == nullptr, diagnostics.has_errors());
    return loaded;
}

Loaded load_fields(const std::string& fields, bool strict = false) {
    return load("<templates>\n<template name=\"T\" id=\"1\">\n" + fields + "\n</template></templates>",
                strict);
}

// The file must be refused, with exactly this line among its findings.
void expect_refused(const Loaded& loaded, const std::string& finding) {
    EXPECT_EQ(loaded.templates, nullptr);
    EXPECT_NE(loaded.findings.find(finding + '\n'), std::string::npos)
        << "expected: " << finding << "\nfound:\n"
        << loaded.findings;
}

TEST(FastTemplateLoader, RefusesWhatIsNoXml) {
    expect_refused(load("<templates>\n<template\n</templates>"),
                   "t.xml:3: S1: not well-formed: Error parsing start element tag");
    EXPECT_EQ(load("").templates, nullptr);
    EXPECT_EQ(load("hello").templates, nullptr);
    expect_refused(load("<templates/><templates/>"), "t.xml:1: S1: not well-formed: 2 root elements");
    expect_refused(load("<messages/>"),
                   "t.xml:1: S1: the root is <messages>, expected <templates> or <template>");
}

TEST(FastTemplateLoader, SaysWhatAnUnknownElementResembles) {
    expect_refused(
        load_fields("<uint32 name=\"a\"/>"),
        "t.xml:3: S1: <uint32> does not belong in the instructions of a template (did you mean <uInt32>?)");
    expect_refused(load_fields("<uInt32 name=\"a\"><cpoy/></uInt32>"),
                   "t.xml:3: S1: <cpoy> does not belong in <uInt32> (did you mean <copy>?)");
}

TEST(FastTemplateLoader, WarnsOfAttributesThatAreNearlyKnown) {
    const Loaded slips = load_fields(
        "<uInt32 name=\"a\" id=\"1\" presense=\"optional\"/>\n"
        "<uInt32 name=\"b\" id=\"2\"><copy valeu=\"3\" dictionary=\"template\"/></uInt32>");
    EXPECT_NE(slips.templates, nullptr);
    EXPECT_EQ(
        slips.findings,
        "t.xml:3: warning: the attribute presense is unknown and does nothing (did you mean presence?)\n"
        "t.xml:4: warning: the attribute valeu is unknown and does nothing (did you mean value?)\n");
    EXPECT_EQ(load_fields("<uInt32 name=\"a\" id=\"1\" size=\"4\" cache=\"x\" symbol=\"y\"/>").findings, "")
        << "a venue's own";
}

TEST(FastTemplateLoader, RefusesAttributesItCannotRead) {
    expect_refused(load_fields("<uInt32 name=\"a\" presence=\"sometimes\"/>"),
                   "t.xml:3: S1: presence=\"sometimes\" is neither mandatory nor optional");
    expect_refused(load_fields("<string name=\"a\" charset=\"latin1\"/>"),
                   "t.xml:3: S1: charset=\"latin1\" is neither ascii nor unicode");
    expect_refused(load("<template name=\"T\" id=\"1\" reset=\"maybe\"/>"),
                   "t.xml:1: S1: reset=\"maybe\" is neither yes nor no");
    expect_refused(load_fields("<uInt32 name=\"a\" name=\"b\"/>"),
                   "t.xml:3: S1: the attribute name stands twice");
    expect_refused(load_fields("<uInt32 name=\"a\"><copy/><delta/></uInt32>"),
                   "t.xml:3: S1: a second operator in <uInt32>");
}

TEST(FastTemplateLoader, RefusesOperatorsThatDoNotApply) {
    expect_refused(load_fields("<string name=\"a\"><increment/></string>"),
                   "t.xml:3: S2: <increment> does not apply to type string");
    expect_refused(load_fields("<uInt32 name=\"a\"><tail/></uInt32>"),
                   "t.xml:3: S2: <tail> does not apply to type uInt32");
    expect_refused(load_fields("<decimal name=\"a\"><increment/></decimal>"),
                   "t.xml:3: S2: <increment> does not apply to type decimal");
    expect_refused(load_fields("<sequence name=\"s\"><length><tail/></length></sequence>"),
                   "t.xml:3: S2: <tail> does not apply to type uInt32");
}

TEST(FastTemplateLoader, RefusesInitialValuesOfAnotherType) {
    for (const char* const field :
         {"<uInt32 name=\"a\"><copy value=\"-1\"/></uInt32>",
          "<uInt32 name=\"a\"><copy value=\"4294967296\"/></uInt32>",
          "<int32 name=\"a\"><copy value=\"+1\"/></int32>", "<int32 name=\"a\"><copy value=\"\"/></int32>",
          "<uInt64 name=\"a\"><copy value=\"18446744073709551616\"/></uInt64>",
          "<decimal name=\"a\"><copy value=\"1.2.3\"/></decimal>",
          "<decimal name=\"a\"><copy value=\".\"/></decimal>",
          "<decimal name=\"a\"><copy value=\"92233720368547758071\"/></decimal>",
          "<string name=\"a\"><copy value=\"Ä\"/></string>",
          "<decimal name=\"a\"><exponent><copy value=\"64\"/></exponent></decimal>"}) {
        const Loaded loaded = load_fields(field);
        EXPECT_EQ(loaded.templates, nullptr) << field;
        EXPECT_NE(loaded.findings.find("t.xml:3: S3: "), std::string::npos) << field << '\n'
                                                                            << loaded.findings;
    }
}

TEST(FastTemplateLoader, NormalisesDecimalInitialValues) {
    const char* const field = R"(<decimal name="a"><copy value=")";
    EXPECT_EQ(decode_once(std::string(field) + R"(12000"/></decimal>)", "c0 81"), R"({"a":{"m":12,"e":3}})");
    EXPECT_EQ(decode_once(std::string(field) + R"(0.50"/></decimal>)", "c0 81"), R"({"a":{"m":5,"e":-1}})");
    EXPECT_EQ(decode_once(std::string(field) + R"(-.5"/></decimal>)", "c0 81"), R"({"a":{"m":-5,"e":-1}})");
    EXPECT_EQ(decode_once(std::string(field) + R"(0.00"/></decimal>)", "c0 81"), R"({"a":{"m":0,"e":0}})");
    EXPECT_EQ(decode_once(std::string(field) + R"( 9223372036854775807000 "/></decimal>)", "c0 81"),
              R"({"a":{"m":9223372036854775807,"e":3}})");
}

TEST(FastTemplateLoader, AnEmptyValueAttributeIsAValueForStrings) {
    EXPECT_EQ(decode_once(R"(<string name="a"><copy value=""/></string>)", "c0 81"), R"({"a":""})");
}

TEST(FastTemplateLoader, RefusesConstantsAndDefaultsWithoutValue) {
    expect_refused(load_fields("<uInt32 name=\"a\"><constant/></uInt32>"),
                   "t.xml:3: S4: <constant> has no value");
    expect_refused(load_fields("<uInt32 name=\"a\"><default/></uInt32>"),
                   "t.xml:3: S5: <default> of a mandatory field has no value");
    EXPECT_TRUE(load_fields("<uInt32 name=\"a\" presence=\"optional\"><default/></uInt32>", true).templates);
}

// 10.5.1: the mantissa is mandatory even in an optional decimal.
TEST(FastTemplateLoader, MendsAMantissaDefaultWithoutValue) {
    const std::string field =
        "<decimal name=\"a\" presence=\"optional\"><mantissa><default/></mantissa></decimal>";
    expect_refused(load_fields(field, true), "t.xml:3: S5: <default> of a mandatory field has no value");
    EXPECT_TRUE(load_fields(field).templates);
    EXPECT_EQ(decode_once(field, "e0 81 81 85"), R"({"a":{"m":5,"e":0}})");
    EXPECT_EQ(decode_once(field, "c0 81 81"), "D5") << "never an invented mantissa";
}

TEST(FastTemplateLoader, RefusesReferencesThatLeadNowhereOrBack) {
    expect_refused(
        load("<templates>\n<template name=\"T\" id=\"1\"><templateRef name=\"R\"/></template></templates>"),
        "t.xml:2: D8: there is no template \"R\" to refer to");
    expect_refused(load("<templates><template name=\"A\" id=\"1\"><templateRef name=\"B\"/></template>\n"
                        "<template name=\"B\"><templateRef name=\"A\"/></template></templates>"),
                   "t.xml:2: S1: the reference to template \"A\" leads back to itself");
}

// Twenty doublings are a million instructions.
TEST(FastTemplateLoader, RefusesTemplatesThatGrowBeyondMeasure) {
    std::string xml = "<templates><template name=\"t0\"><uInt32 name=\"a\"/></template>";
    for (int i = 1; i < 40; ++i) {
        const std::string half = "<templateRef name=\"t" + std::to_string(i - 1) + "\"/>";
        xml += "<template name=\"t" + std::to_string(i) + "\">" + half + half + "</template>";
    }
    EXPECT_EQ(load(xml + "</templates>").templates, nullptr);
    std::string deep;
    for (int i = 0; i < 80; ++i)
        deep = "<group name=\"g\">" + deep + "</group>";
    expect_refused(load_fields(deep),
                   "t.xml:2: limit: template \"T\" has more than 100000 instructions, or nests more "
                   "than 64 deep");
    for (int i = 0; i < 1'000; ++i)
        deep = "<group name=\"g\">" + deep + "</group>";
    expect_refused(load_fields(deep), "t.xml:3: S1: elements nest more than 100 deep");
}

TEST(FastTemplateLoader, RefusesAnIdentifierUsedTwice) {
    expect_refused(
        load("<templates><template name=\"A\" id=\"1\"/>\n<template name=\"B\" id=\"01\"/></templates>"),
        "t.xml:2: S1: template id 1 is already used at t.xml:1");
}

TEST(FastTemplateLoader, ReportsEverythingAtOnce) {
    const Loaded loaded = load_fields("<u32 name=\"a\"/>\n<uInt32 name=\"b\"><constant/></uInt32>");
    EXPECT_NE(loaded.findings.find("t.xml:3: S1"), std::string::npos);
    EXPECT_NE(loaded.findings.find("t.xml:4: S4"), std::string::npos);
}

TEST(FastTemplateLoader, RefusesMoreThanAnInstructionCanAddress) {
    std::string fields;
    for (int i = 0; i < 33'000; ++i)
        fields += "<decimal name=\"f" + std::to_string(i) + "\"/>";  // two slots each
    const Loaded loaded = load_fields("<group name=\"g\">" + fields + "</group>");
    expect_refused(loaded, "t.xml:2: template T has more than 65535 slots");
}

// ---- what real files do
// --------------------------------------------------------------------------------------

TEST(FastTemplateLoader, AcceptsTheNamespacesInUse) {
    for (const char* const uri :
         {"http://www.fixprotocol.org/ns/fast/td/1.1", "http://www.fixprotocol.org/ns/template-definition",
          "http://www.FIXprotocal.org/ns/FAST/td/1.1", "urn:something-else"}) {
        EXPECT_TRUE(load("<templates xmlns=\"" + std::string(uri) +
                             "\"><template name=\"T\" id=\"1\"><uInt32 name=\"a\"/></template></templates>",
                         true)
                        .templates)
            << uri;
        const Loaded prefixed = load(
            "<td:templates xmlns:td=\"" + std::string(uri) +
                "\"><td:template name=\"T\" id=\"1\"><td:uInt32 name=\"a\"/></td:template></td:templates>",
            true);
        ASSERT_TRUE(prefixed.templates) << uri << '\n' << prefixed.findings;
        EXPECT_EQ(prefixed.templates->all()[0].fields().size(), 1u);
    }
}

TEST(FastTemplateLoader, IgnoresForeignElementsAndAttributes) {
    const Loaded loaded = load(
        "<templates xmlns:x=\"urn:x\"><x:note/><template name=\"T\" id=\"1\" x:y=\"z\"><x:uInt32 name=\"b\"/>"
        "<uInt32 name=\"a\" decimalPlaces=\"2\" "
        "x:presence=\"optional\"><x:copy/></uInt32></template></templates>",
        true);
    ASSERT_TRUE(loaded.templates) << loaded.findings;
    ASSERT_EQ(loaded.templates->all()[0].fields().size(), 1u);
    EXPECT_FALSE(loaded.templates->all()[0].fields()[0].optional);
}

TEST(FastTemplateLoader, MendsOnlyWithAWarning) {
    const struct {
        const char* xml;
        const char* finding;
    } mends[] = {
        {"<?xml version=\" 1.0 \"?><templates><template name=\"T\" id=\"1\"/></templates>",
         "t.xml:1: warning: S1: the XML declaration's version is not \"1.0\"\n"},
        {"<templates><template name=\"T\" id=\"1\" scp:reset=\"yes\"/></templates>",
         "t.xml:1: warning: S1: the prefix \"scp:\" is not declared\n"},
        {"<templates><template name=\"T\" id=\"1\"><ascii name=\"a\"/></template></templates>",
         "t.xml:1: warning: S1: <ascii> is FAST 1.0; read as <string>\n"},
        {"<templates><template name=\"T\" id=\"1\"><uInt32><copy/></uInt32></template></templates>",
         "t.xml:1: warning: S1: <copy> has no key and its field no name; it gets an entry of its own\n"},
        {"<templates><template name=\"T\" id=\"1\"><byteVector name=\"a\"><copy "
         "value=\"plain\"/></byteVector></template></templates>",
         "t.xml:1: warning: S3: \"plain\" is not a value of type byteVector (hexadecimal digits); taken as "
         "the bytes themselves\n"},
        {"<templates><template name=\"T\" id=\"1\">\" <uInt32 name=\"a\"/></template></templates>",
         "t.xml:1: warning: S1: text between the elements of <template>\n"},
    };
    for (const auto& [xml, finding] : mends) {
        const Loaded lenient = load(xml);
        EXPECT_TRUE(lenient.templates) << lenient.findings;
        EXPECT_EQ(lenient.findings, finding);
        EXPECT_EQ(load(xml, true).templates, nullptr) << xml;
    }
    EXPECT_TRUE(load("<templates><template name=\"T\" id=\"1\" scp:reset=\"yes\"/></templates>")
                    .templates->all()[0]
                    .resets());
}

TEST(FastTemplateLoader, RefusesOtherUnboundPrefixesAndBrokenDeclarations) {
    expect_refused(load("<templates>\n<template name=\"T\" id=\"1\" x:y=\"1\"/></templates>"),
                   "t.xml:2: S1: the prefix \"x:\" is not declared");
    expect_refused(load("<?xml version=\\\"1.0 \\\"?><templates/>"),
                   "t.xml:1: S1: the XML declaration has no version");
}

TEST(FastTemplateLoader, KeepsATemplateWithoutNumberAsABuildingBlock) {
    const Loaded loaded = load(
        "<templates><template name=\"A\" id=\"S\"><uInt32 name=\"a\"/></template>"
        "<template name=\"B\" id=\"2\"><templateRef name=\"A\"/></template></templates>");
    ASSERT_TRUE(loaded.templates);
    EXPECT_EQ(loaded.templates->all().size(), 1u);
    EXPECT_TRUE(loaded.templates->find_template(2)->field("a"));
    EXPECT_NE(loaded.findings.find("template id \"S\" is not a number"), std::string::npos);
}

TEST(FastTemplateLoader, WarnsWhenNoTemplateHasAnIdentifier) {
    EXPECT_EQ(load("<templates><template name=\"A\"/></templates>").findings,
              "t.xml: warning: D9: no template has an id, so that no message can be one of these\n");
}

TEST(FastTemplateLoader, WarnsOfEntriesThatFieldsOfSeveralTypesShare) {
    EXPECT_EQ(load_fields("<uInt32 name=\"a\"><copy/></uInt32>\n<int64 name=\"a\"><copy/></int64>").findings,
              "t.xml:3: warning: D4: fields of different types share the dictionary entry \"a\"; using the "
              "value of one "
              "for the other is an error (D4)\n");
}

TEST(FastTemplateLoader, FindsReferencesInAnotherFileAndFurtherDown) {
    Diagnostics diagnostics;
    const TemplateSource sources[] = {
        {"<template name=\"T\" id=\"1\"><templateRef name=\"R\"/></template>", "first.xml"},
        {"<template name=\"R\"><uInt32 name=\"a\"/></template>", "second.xml"}};
    const auto templates = load_templates(sources, diagnostics);
    ASSERT_TRUE(templates) << diagnostics.format();
    EXPECT_TRUE(templates->all()[0].field("a"));
}

TEST(FastTemplateLoader, KeepsNamesOfDifferentNamespacesApart) {
    const char* const xml = R"(<template name="T" id="1"><uInt32 name="a" ns="x"><copy/></uInt32>
                               <uInt32 name="a" ns="y"><copy value="3"/></uInt32></template>)";
    Decoder decoder(load_all(xml), {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85"), R"({"a":5,"a#2":3})");
}

TEST(FastTemplateLoader, DescribesFieldsForPeople) {
    const auto templates =
        load_one(R"(<decimal name="p" id="270" presence="optional"><exponent><default/></exponent>
                                       <mantissa><delta/></mantissa></decimal>
                                       <sequence name="s"><length name="n"><copy/></length><int32 name="i"/></sequence>)");
    const Template& tmpl = templates->all()[0];
    const Field* const price = tmpl.find("p");
    ASSERT_NE(price, nullptr);
    EXPECT_EQ(price->id, "270");
    EXPECT_TRUE(price->optional);
    EXPECT_TRUE(price->individual_operators);
    EXPECT_EQ(price->mantissa_op, Operator::delta);
    EXPECT_EQ(tmpl.find("s")->op, Operator::copy);
    EXPECT_EQ(tmpl.find("s/i")->ref.type, FieldType::i32);
    EXPECT_EQ(templates->find_template("T"), &tmpl);
    EXPECT_EQ(templates->find_template(2), nullptr);
    EXPECT_EQ(templates->find_template("U"), nullptr);
}

TEST(FastTemplateLoader, SaysWhichFileCannotBeOpened) {
    Diagnostics diagnostics;
    EXPECT_EQ(load_template_file("/nowhere/t.xml", diagnostics), nullptr);
    EXPECT_NE(diagnostics.format().find("/nowhere/t.xml: cannot be read: No such file or directory"),
              std::string::npos);
}

// Narrow programs keep dictionary state in registers; templates with dictionaries of their own stay narrow
// however many there are.
TEST(FastTemplateLoader, PacksTheEntriesOfATemplateIntoOneWord) {
    std::string templates;
    for (int t = 1; t <= 10; ++t) {
        templates += "<template name=\"T" + std::to_string(t) + "\" id=\"" + std::to_string(t) +
                     "\" dictionary=\"" + std::to_string(t) + "\">";
        for (int f = 0; f < 40; ++f)
            templates += "<uInt32 name=\"f" + std::to_string(f) + "\"><copy/></uInt32>";
        templates += "</template>";
    }
    const auto loaded = load_all(templates);
    for (const TemplateCode& code : loaded->program().templates)
        EXPECT_TRUE(code.narrow);
    EXPECT_EQ(loaded->program().dictionary_words, 10u);
}

}  // namespace
}  // namespace tickpath::fast
