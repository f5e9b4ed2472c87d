// The explanation as people see it, for messages small enough to check by hand.
#include "control/cli/explain_text.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

#include "control/cli/explain_run.h"
#include "decoders/fast/template_reader.h"

namespace tickpath::cli {
namespace {

std::string explained(const std::string& templates, const std::string& hex,
                      fast::ResetRule reset = fast::ResetRule::datagram) {
    const std::string xml = "<templates>\n" + templates + "</templates>";
    Diagnostics diagnostics;
    const fast::TemplateSource source = {xml, "t.xml"};
    fast::Explainer explainer(fast::read_definitions(std::span(&source, 1), diagnostics, {}),
                              {.reset = reset});
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.format();
    const std::vector<std::byte> bytes = parse_hex(hex).value();
    explainer.begin(bytes);
    std::string out = "\n";
    std::uint64_t number = 0;
    while (const fast::ExplainedMessage* const message = explainer.next())
        out += explain_text(*message, bytes, ++number, 0, "");
    return out;
}

TEST(CliExplainText, ShowsOperatorsBitsAndTheDictionary) {
    EXPECT_EQ(explained(R"(<template name="Trade" id="5">
<uInt32 name="Number"><increment/></uInt32>
<string name="Symbol"><copy/></string>
<decimal name="Price"><exponent><default value="-2"/></exponent><mantissa><delta/></mantissa></decimal>
<uInt32 name="Size" presence="optional"/>
<string name="Venue"><constant value="X"/></string>
</template>)",
                        "F0 85 87 41 C2 00 53 DB 8B  80 85 80"),
              R"(
message 1: bytes 0 to 8, template Trade, id 5, t.xml:2
  byte  wire      field                type              value    dictionary       where the value comes from
     0                                                                             dictionaries are forgotten before each datagram
     0  F0        presence map                           1110000                   a bit for each field below that names one
     1  85        template identifier  uInt32 copy       5                         bit 1 is 1: sent
     2  87        Number               uInt32 increment  7        nothing → 7      bit 2 is 1: sent, and remembered
     3  41 C2     Symbol               string copy       "AB"     nothing → "AB"   bit 3 is 1: sent, and remembered
     5            Price                decimal           107.15                    from its two parts
     5              exponent           int32 default     -2                        bit 4 is 0: the template's default
     5  00 53 DB    mantissa           int64 delta       10715    nothing → 10715  the difference +10715 to 0, for nothing came before
     8  8B        Size                 optional uInt32   10                        sent
     9            Venue                string constant   "X"                       fixed by the template, never sent
message 2: bytes 9 to 11, template Trade, id 5, t.xml:2
  byte  wire    field                type              value    dictionary     where the value comes from
     9  80      presence map                           0000000                 a bit for each field below that names one
    10          template identifier  uInt32 copy       5                       bit 1 is 0: the one before
    10          Number               uInt32 increment  8        7 → 8          bit 2 is 0: the value before plus 1
    10          Symbol               string copy       "AB"     "AB", kept     bit 3 is 0: the value before
    10          Price                decimal           107.2                   from its two parts
    10            exponent           int32 default     -2                      bit 4 is 0: the template's default
    10  85        mantissa           int64 delta       10720    10715 → 10720  the difference +5 to 10715
    11  80      Size                 optional uInt32   absent                  NULL was sent: the field is absent
    12          Venue                string constant   "X"                     fixed by the template, never sent
)");
}

TEST(CliExplainText, ShowsSequencesGroupsAndReferences) {
    EXPECT_EQ(explained(R"(<template name="Book" id="1">
<sequence name="Levels"><uInt32 name="Level"><copy value="1"/></uInt32><int64 name="Size"/></sequence>
<group name="Stats" presence="optional"><uInt32 name="Count"/></group>
<templateRef/>
</template>
<template name="Note" id="2"><string name="Text" charset="unicode"/></template>)",
                        "C0 81  82 80 85 C0 82 FF  C0 82 82 C3 85"),
              R"(
message 1: bytes 0 to 12, template Book, id 1, t.xml:2
  byte  wire      field                  type            value      dictionary   where the value comes from
     0                                                                           dictionaries are forgotten before each datagram
     0  C0        presence map                           1000000                 a bit for each field below that names one
     1  81        template identifier    uInt32 copy     1                       bit 1 is 1: sent
     2  82        Levels                 sequence        2 entries               sent
     3              Levels 1 of 2
     3  80            presence map                       0000000                 a bit for each field below that names one
     4                Level              uInt32 copy     1          nothing → 1  bit 1 is 0: nothing came before: the template's initial value
     4  85            Size               int64           5                       sent
     5              Levels 2 of 2
     5  C0            presence map                       1000000                 a bit for each field below that names one
     6  82            Level              uInt32 copy     2          1 → 2        bit 1 is 1: sent, and remembered
     7  FF            Size               int64           -1                      sent
     8            Stats                  optional group  absent                  bit 2 is 0
     8            <dyn>                  reference       Note                    a whole message inside this one
     8  C0          presence map                         1000000                 a bit for each field below that names one
     9  82          template identifier  uInt32 copy     2                       bit 1 is 1: sent
    10  82 C3 85    Text                 unicode string  "Å"                     sent
)");
}

TEST(CliExplainText, ShowsTextDeltasAndTails) {
    EXPECT_EQ(explained(R"(<template name="T" id="1">
<string name="a"><delta/></string><string name="b"><tail value="ABCD"/></string>
</template>)",
                        "E0 81 80 41 42 C3 58 D9  80 82 D9 "),
              R"(
message 1: bytes 0 to 7, template T, id 1, t.xml:2
  byte  wire         field                type          value    dictionary        where the value comes from
     0                                                                             dictionaries are forgotten before each datagram
     0  E0           presence map                       1100000                    a bit for each field below that names one
     1  81           template identifier  uInt32 copy   1                          bit 1 is 1: sent
     2  80 41 42 C3  a                    string delta  "ABC"    nothing → "ABC"   cut 0 at the end, put "ABC" there: of "", for nothing came before
     6  58 D9        b                    string tail   "ABXY"   nothing → "ABXY"  bit 2 is 1: the end of "ABCD" becomes "XY"
message 2: bytes 8 to 10, template T, id 1, t.xml:2
  byte  wire    field                type          value    dictionary    where the value comes from
     8  80      presence map                       0000000                a bit for each field below that names one
     9          template identifier  uInt32 copy   1                      bit 1 is 0: the one before
     9  82 D9   a                    string delta  "AY"     "ABC" → "AY"  cut 2 at the end, put "Y" there: of "ABC"
    11          b                    string tail   "ABXY"   "ABXY", kept  bit 2 is 0: the value before
)");
}

TEST(CliExplainText, ShowsAnErrorAtItsByte) {
    EXPECT_EQ(explained(R"(<template name="T" id="1">
<uInt32 name="a"/><uInt32 name="b"><copy/></uInt32>
</template>)",
                        "C0 81 85 99"),
              R"(
message 1: bytes 0 to 2, template T, id 1, t.xml:2
  byte  wire    field                type         value    dictionary  where the value comes from
     0                                                                 dictionaries are forgotten before each datagram
     0  C0      presence map                      1000000              a bit for each field below that names one
     1  81      template identifier  uInt32 copy  1                    bit 1 is 1: sent
     2  85      a                    uInt32       5                    sent
     3          b                    uInt32 copy  ?
     3  *** D5 at b: a mandatory value is not on the wire and has no previous and no initial value
        bytes from there on: 99; nothing behind this is decoded
)");
}

TEST(CliExplainText, ShowsReportsBesideTheValue) {
    const std::string text =
        explained("<template name=\"T\" id=\"1\"><uInt32 name=\"a\"/></template>", "C0 81 00 85");
    EXPECT_NE(text.find("sent; R6: the integer is overlong"), std::string::npos) << text;
}

TEST(CliExplainText, ShortensWhatIsLong) {
    std::string hex = "C0 81 BC";
    for (int i = 0; i < 60; ++i)
        hex += " 41";
    const std::string text =
        explained("<template name=\"T\" id=\"1\"><byteVector name=\"a\"/></template>", hex);
    EXPECT_NE(text.find("BC 41 41 41 41 41 41 41 41 41 … 61 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("bytes 41 41 41 41 41 41 41 41 41 41 … 60 bytes"), std::string::npos) << text;
}

TEST(CliExplainHex, TakesWhatPeoplePaste) {
    const std::vector<std::byte> expected = {std::byte{0xC0}, std::byte{0x0A}};
    for (const char* text : {"C00A", "c0 0a", "0xC0 0x0A", "0xC0, 0x0a", "c0:0a", "C0\n0A\t"})
        EXPECT_EQ(parse_hex(text), expected) << text;
    for (const char* text : {"", " ", "C", "C00", "G0", "C0 0xZ1", "0x"})
        EXPECT_FALSE(parse_hex(text)) << text;
}

}  // namespace
}  // namespace tickpath::cli
