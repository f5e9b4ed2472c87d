#include "decoders/fast/template_lint.h"

#include <string>

#include <gtest/gtest.h>

#include "decoders/fast/template_loader.h"
#include "decoders/fast/template_reader.h"

namespace tickpath::fast {
namespace {

// What lint says of the inside of a <templates> that begins on line 1.
std::string lint(const std::string& templates) {
    const std::string xml = "<templates>" + templates + "</templates>";
    Diagnostics loading;
    EXPECT_TRUE(load_templates(xml, "t.xml", loading)) << loading.format();
    const TemplateSource source = {xml, "t.xml"};
    const std::vector<TemplateDefinition> definitions = read_definitions(std::span(&source, 1), loading, {});
    Diagnostics findings;
    lint_templates(definitions, findings);
    return findings.format();
}

void expect_finding(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is not in\n" << text;
}

TEST(FastTemplateLint, HasNothingToSayOfAPlainTemplate) {
    EXPECT_EQ(lint("<template name=\"T\" id=\"1\"><uInt32 name=\"a\"/><string name=\"b\"><default "
                   "value=\"x\"/></string></template>"),
              "");
}

TEST(FastTemplateLint, FindsValuesThatNothingInTheFileForgets) {
    const std::string copying =
        "<template name=\"T\" id=\"1\"><uInt32 name=\"a\"><copy/></uInt32></template>";
    expect_finding(lint(copying), "t.xml: warning: 1 entry remembers values from one message to the next");
    EXPECT_EQ(lint(copying + "<template name=\"Reset\" id=\"120\" reset=\"yes\"/>"), "");
}

const std::string reset = "<template name=\"Reset\" id=\"120\" reset=\"yes\"/>";

TEST(FastTemplateLint, FindsANameThatIsUsedTwiceOnOneLevel) {
    expect_finding(
        lint("<template name=\"T\" id=\"1\"><uInt32 name=\"a\"/>\n<uInt32 name=\"a\"/></template>"),
        "t.xml:2: warning: the name \"a\" is already used on line 1: this one is reached as \"a#2\"");
    EXPECT_EQ(lint("<template name=\"T\" id=\"1\"><uInt32 name=\"a\"/><group name=\"g\"><uInt32 "
                   "name=\"a\"/></group></template>"),
              "")
        << "another level";
}

TEST(FastTemplateLint, FindsAKeyThatNothingShares) {
    const auto with_keys = [](const std::string& first, const std::string& second) {
        return lint(reset + "<template name=\"T\" id=\"1\"><uInt32 name=\"a\"><copy key=\"" + first +
                    "\"/></uInt32>\n<uInt32 name=\"b\"><copy key=\"" + second + "\"/></uInt32></template>");
    };
    EXPECT_EQ(with_keys("price", "price"), "");
    const std::string text = with_keys("price", "prise");
    expect_finding(text, "t.xml:1: warning: the key \"price\" of field \"a\" is used by no other operator");
    expect_finding(text, "t.xml:2: warning: the key \"prise\" of field \"b\"");
    expect_finding(text, "did you mean \"price\"?");
    EXPECT_EQ(with_keys("a", "b"), "") << "a key that is the field's own name";
    expect_finding(with_keys("lonely", "b"), "leave it out");
}

TEST(FastTemplateLint, TakesAKeyInAReferredTemplateForShared) {
    EXPECT_EQ(
        lint(reset + "<template name=\"Part\"><uInt32 name=\"a\"><copy key=\"k\"/></uInt32></template>"
                     "<template name=\"T\" id=\"1\"><templateRef name=\"Part\"/><uInt32 name=\"b\"><copy "
                     "key=\"k\"/></uInt32></template>"),
        "t.xml:1: warning: template \"Part\" has no id: it is a building block for templateRef, never a "
        "message\n");
}

TEST(FastTemplateLint, FindsTemplatesThatNothingCanUse) {
    expect_finding(lint("<template name=\"T\" id=\"1\"><uInt32 name=\"a\"/></template>\n<template "
                        "name=\"Lost\"><uInt32 name=\"a\"/></template>"),
                   "t.xml:2: warning: template \"Lost\" has no id and nothing refers to it");
}

TEST(FastTemplateLint, FindsADecimalDeltaWithInitialValue) {
    const std::string text = lint(reset +
                                  "<template name=\"T\" id=\"1\">\n<decimal name=\"p\"><delta "
                                  "value=\"12000\"/></decimal></template>");
    expect_finding(text,
                   "t.xml:2: warning: decimal \"p\" has a delta with an initial value, which counts as 12 "
                   "with exponent 3");
    EXPECT_EQ(lint(reset + "<template name=\"T\" id=\"1\"><decimal name=\"p\"><delta/></decimal></template>"),
              "");
}

TEST(FastTemplateLint, FindsMapsThatDoNotFitARegister) {
    std::string fields;
    for (int i = 0; i < 62; ++i)
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\"><default value=\"1\"/></uInt32>";
    EXPECT_EQ(lint("<template name=\"T\" id=\"1\">" + fields + "</template>"), "") << "63 bits";
    fields += "<uInt32 name=\"more\"><default value=\"1\"/></uInt32>";
    expect_finding(lint("<template name=\"T\" id=\"1\">" + fields + "</template>"),
                   "the presence map of the message may need 64 bits");
    expect_finding(lint("<template name=\"T\" id=\"1\">\n<sequence name=\"s\">" + fields +
                        "<uInt32 name=\"last\"><default value=\"1\"/></uInt32></sequence></template>"),
                   "t.xml:2: warning: the presence map of \"s\" may need 64 bits");
}

}  // namespace
}  // namespace tickpath::fast
