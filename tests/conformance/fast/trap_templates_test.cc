// Traps of template files: dictionaries, references and what real files look like (spec/fast.md §5.1-§9).
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

std::shared_ptr<const Templates> load_text(const std::string& xml, Diagnostics& findings,
                                           bool strict = false) {
    return load_templates(xml, "t.xml", findings, {.strict = strict});
}

// §5.1: S5 is about mandatory fields; the fastfix benchmark's template has an optional one.
TEST(FastTemplateTraps, OptionalDefaultWithoutValueRefused) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a" presence="optional"><default/></uInt32>)", "c0 81", true),
              "{}");
    Diagnostics findings;
    EXPECT_FALSE(
        load_text("<template name='T' id='1'>\n<uInt32 name='a'><default/></uInt32></template>", findings));
    EXPECT_NE(findings.format().find("t.xml:2: S5"), std::string::npos);
}

// §6.
TEST(FastTemplateTraps, EmptyValueAttributeTakenForNone) {
    EXPECT_EQ(decode_once(R"(<string name="a"><copy value=""/></string>)", "c0 81"), R"({"a":""})");
    EXPECT_EQ(decode_once(R"(<string name="a"><copy/></string>)", "c0 81"), "D5");
}

// §7: while a static reference is processed the referred template is the current one.
TEST(FastTemplateTraps, ReferredFieldsGivenTheOuterTemplatesDictionary) {
    const auto templates = load_all(
        R"(<template name="A" id="1" dictionary="template"><templateRef name="Block"/></template>
           <template name="B" id="2" dictionary="template"><templateRef name="Block"/></template>
           <template name="Block" dictionary="template"><uInt32 name="x"><copy/></uInt32></template>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85  c0 82"), R"({"x":5} {"x":5})") << "one block, one dictionary";
}

// §7: MOEX and CME number a dictionary per template; that is a name like any other.
TEST(FastTemplateTraps, NumberedDictionaryTakenForSomethingElse) {
    const auto templates =
        load_all(R"(<template name="A" id="1" dictionary="1"><uInt32 name="x"><copy/></uInt32></template>
                    <template name="B" id="2" dictionary="1"><uInt32 name="x"><copy/></uInt32></template>
                    <template name="C" id="3" dictionary="3"><uInt32 name="x"><copy value="9"/></uInt32></template>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85  c0 82  c0 83"), R"({"x":5} {"x":5} {"x":9})");
}

// §7 (OpenFAST makes each instance unique): unnamed lengths of equal sequence names share an entry.
TEST(FastTemplateTraps, UnnamedSequenceLengthsGivenAnEntryEach) {
    const std::string sequence =
        R"(<sequence name="s"><length><copy/></length><uInt32 name="a"/></sequence>)";
    const auto templates = load_all("<template name=\"A\" id=\"1\">" + sequence +
                                    "</template><template name=\"B\" id=\"2\">" + sequence + "</template>");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 81 85  c0 82 86"), R"({"s":[{"a":5}]} {"s":[{"a":6}]})");
}

// §8.
TEST(FastTemplateTraps, ReferenceToALaterTemplateRefused) {
    EXPECT_EQ(load_all(R"(<template name="A" id="1"><templateRef name="Later"/></template>
                          <template name="Later"><uInt32 name="x"/></template>)")
                  ->all()
                  .size(),
              1u);
    const std::vector<TemplateSource> files = {
        {R"(<templates><template name="A" id="1"><templateRef name="Other"/></template></templates>)",
         "a.xml"},
        {R"(<templates><template name="Other"><uInt32 name="x"/></template></templates>)", "b.xml"}};
    Diagnostics findings;
    const auto both = load_templates(files, findings);
    ASSERT_TRUE(both) << findings.format();
    EXPECT_TRUE(both->all()[0].field("x"));
}

// §8: all of these are in real files.
TEST(FastTemplateTraps, RealFilesRefused) {
    for (const char* const fields : {
             R"(<sequence name="s"><length name="n" presence="optional"/><uInt32 name="a"/></sequence>)",
             R"(<uInt32 name="a"><!-- why --><copy value=" 5 "/></uInt32>)",
             R"(<decimal name="a" decimalPlaces="3"/>)",
             R"(<uInt32 name="a"/><uInt32 name="a"/>)",
             R"(<uInt32 name="a b"/>)",
         }) {
        Diagnostics findings;
        EXPECT_TRUE(load_text(
            "<template name=\"Security List\" id=\"1\" reset=\"Y\">" + std::string(fields) + "</template>",
            findings))
            << fields << findings.format();
    }
    for (const char* const ns :
         {"http://www.fixprotocol.org/ns/fast/td/1.1", "http://www.FIXprotocal.org/ns/FAST/td/1.1"}) {
        Diagnostics findings;
        EXPECT_TRUE(load_text(
            "<templates xmlns=\"" + std::string(ns) + "\"><template name=\"T\" id=\"1\"/></templates>",
            findings));
    }
    Diagnostics findings;
    EXPECT_TRUE(
        load_text("<templates><template name='T' id='S'/><template name='U' id='1'/></templates>", findings));
    EXPECT_FALSE(findings.has_errors());
    EXPECT_NE(findings.format().find("warning"), std::string::npos)
        << "a template without a number, kept as a block";
}

// §8: presence on a length is ignored, the sequence's counts.
TEST(FastTemplateTraps, PresenceOfALengthBelieved) {
    EXPECT_EQ(decode_once(
                  R"(<sequence name="s"><length name="n" presence="optional"/><uInt32 name="a"/></sequence>)",
                  "c0 81 81 85"),
              R"({"s":[{"a":5}]})")
        << "81 is 1, not NULL plus one";
}

// Design §5 row 19 (mFAST issue 160): "XML parse error" and nothing more.
TEST(FastTemplateTraps, BrokenFileRefusedWithoutPlace) {
    Diagnostics findings;
    EXPECT_FALSE(
        load_text("<templates>\n<template name='T' id='1'>\n<uInt32 name='a'>\n</templates>", findings));
    EXPECT_EQ(findings.format().substr(0, 7), "t.xml:4");
    EXPECT_NE(findings.format().find("S1: not well-formed: "), std::string::npos);
}

// Design §5 row 8 (mFAST issue 66): the loader had globals.
TEST(FastTemplateTraps, TwoThreadsLoadingCrash) {
    std::vector<std::string> results(4);
    std::vector<std::thread> threads;
    for (std::string& result : results)
        threads.emplace_back([&result] {
            for (int i = 0; i < 50; ++i)
                result = decode_once(R"(<string name="a"><copy value="AB"/></string>)", "c0 81");
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const std::string& result : results)
        EXPECT_EQ(result, R"({"a":"AB"})");
}

// §9: a cycle never ends.
TEST(FastTemplateTraps, CycleOfReferencesFollowedForever) {
    Diagnostics findings;
    EXPECT_FALSE(load_text(R"(<templates><template name="A" id="1"><templateRef name="B"/></template>
                              <template name="B"><templateRef name="A"/></template></templates>)",
                           findings));
    EXPECT_TRUE(findings.has_errors());
}

}  // namespace
}  // namespace tickpath::fast
