// Traps of operators and the states of their entries (spec/fast.md §5): what others got wrong, by name.
#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

// §5 item 1 (fastfix leaves the entry as it was).
TEST(FastOperatorTraps, NullIncrementGoesOnCounting) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a" presence="optional"><increment/></uInt32>)",
                          "e0 81 86  80  a0 80  80"),
              R"({"a":5} {"a":6} {} {})");
}

// §5 item 2: even where another field shares the entry.
TEST(FastOperatorTraps, DefaultWritesTheDictionary) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"><default value="1" key="k"/></uInt32>
                             <uInt32 name="b"><copy key="k" value="9"/></uInt32>)",
                          "e0 81 85"),
              R"({"a":5,"b":9})");
}

// §5 item 3.
TEST(FastOperatorTraps, NullDeltaForgetsItsBase) {
    EXPECT_EQ(
        decode_once(R"(<uInt32 name="a" presence="optional"><delta/></uInt32>)", "c0 81 86  80 80  80 82"),
        R"({"a":5} {} {"a":6})");
}

// §5 item 3, the other side.
TEST(FastOperatorTraps, NullCopyKeepsItsValue) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a" presence="optional"><copy/></uInt32>)", "e0 81 86  a0 80  80"),
              R"({"a":5} {} {})");
    EXPECT_EQ(decode_once(R"(<string name="a" presence="optional"><tail/></string>)", "e0 81 c1  a0 80  80"),
              R"({"a":"A"} {} {})");
}

// §5 item 4: undefined and unsent turns empty; a later field's initial value does not bring it back.
TEST(FastOperatorTraps, EmptyEntryRevivedByAnotherFieldsInitialValue) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                             <uInt32 name="b" presence="optional"><copy key="k" value="7"/></uInt32>)",
                          "c0 81"),
              "{}");
}

// §5: an explicit NULL is not undone by the field's own initial value either.
TEST(FastOperatorTraps, NullFallsBackToTheInitialValue) {
    EXPECT_EQ(
        decode_once(R"(<uInt32 name="a" presence="optional"><copy value="5"/></uInt32>)", "c0 81  a0 80  80"),
        R"({"a":5} {} {})");
}

// §5 item 5, design §5 row 23 (QuickFAST issue 25: D6 after 12 million messages where none was due).
TEST(FastOperatorTraps, EmptyAndUndefinedEntriesConfused) {
    const char* const fields = R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                                  <uInt32 name="b" presence="optional"><delta key="k"/></uInt32>)";
    EXPECT_EQ(decode_once(fields, "c0 81 80"), "{}") << "NULL needs no base, not even an empty one";
    EXPECT_EQ(decode_once(fields, "c0 81 86"), "D6") << "a value does";
    EXPECT_EQ(decode_once(R"(<uInt32 name="b" presence="optional"><delta/></uInt32>)", "c0 81 86"),
              R"({"b":5})")
        << "an undefined entry is 0";
}

// §5 item 10: one global entry for one name, whatever the template.
TEST(FastOperatorTraps, EachTemplateGivenItsOwnGlobalEntry) {
    const auto templates = load_all(R"(<template name="A" id="1"><uInt32 name="n"><copy/></uInt32></template>
                    <template name="B" id="2"><uInt32 name="n"><copy/></uInt32></template>
                    <template name="C" id="3"><uInt32 name="n" ns="other"><copy value="9"/></uInt32></template>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85  c0 82"), R"({"n":5} {"n":5})");
    EXPECT_EQ(decode_hex(decoder, "c0 83"), R"({"n":9})")
        << "a name is a pair: another namespace, another entry";
}

// §5 item 11.
TEST(FastOperatorTraps, FieldWithoutOperatorWritesTheEntryOfItsName) {
    const auto templates = load_all(R"(<template name="A" id="1"><uInt32 name="n"><copy/></uInt32></template>
                                       <template name="B" id="2"><uInt32 name="n"/></template>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85  c0 82 89  c0 81"), R"({"n":5} {"n":9} {"n":5})");
}

// §5 item 13.
TEST(FastOperatorTraps, ValueOfAnotherTypeTakenFromASharedEntry) {
    const char* const fields = R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                                  <string name="b" presence="optional"><copy key="k"/></string>)";
    EXPECT_EQ(decode_once(fields, "e0 81 86"), "D4");
    EXPECT_EQ(decode_once(fields, "f0 81 86 c1"), R"({"a":5,"b":"A"})")
        << "overwriting is allowed when lenient";
    EXPECT_EQ(decode_once(fields, "f0 81 86 c1", true), "D4") << "and an error when strict";
}

// §5: an integer wraps, an exponent does not.
TEST(FastOperatorTraps, ExponentWrapsLikeAnInteger) {
    EXPECT_EQ(decode_once(R"(<decimal name="a"><exponent><increment value="63"/></exponent></decimal>)",
                          "c0 81 81  80 81"),
              R"({"a":{"m":1,"e":63}} R1)");
}

// §5: the first increment is the initial value itself.
TEST(FastOperatorTraps, FirstIncrementAlreadyCounts) {
    EXPECT_EQ(decode_once(R"(<uInt32 name="a"><increment value="1"/></uInt32>)", "c0 81  80"),
              R"({"a":1} {"a":2})");
}

// §14a: a value equal to the default may be sent all the same; bytes differ, values do not.
TEST(FastOperatorTraps, SentDefaultTakenForAnotherValue) {
    const char* const field = R"(<uInt32 name="a"><default value="7"/></uInt32>)";
    EXPECT_EQ(decode_once(field, "c0 81"), decode_once(field, "e0 81 87"));
}

}  // namespace
}  // namespace tickpath::fast
