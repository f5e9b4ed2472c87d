#include "control/cli/template_show.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

#include "decoders/fast/template_reader.h"

namespace tickpath::cli {
namespace {

std::string shown(const std::string& xml, std::size_t index) {
    Diagnostics diagnostics;
    const fast::TemplateSource source = {xml, "t.xml"};
    const std::vector<fast::TemplateDefinition> definitions =
        fast::read_definitions(std::span(&source, 1), diagnostics, {});
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.format();
    return show_template(definitions[index], fast::TemplateNames(definitions));
}

TEST(CliTemplateShow, PutsBitsOperatorsAndEntriesInATable) {
    const std::string xml = R"(<templates>
<template name="Head"><uInt32 name="Number"><increment value="1"/></uInt32></template>
<template name="Quote" id="7" dictionary="template" reset="yes">
  <templateRef name="Head"/>
  <string name="Kind" id="35"><constant value="X"/></string>
  <group name="Session" presence="optional"><uInt64 name="Day"><copy/></uInt64></group>
  <sequence name="Entries"><length><copy/></length>
    <decimal name="Price" presence="optional"><exponent><default value="-2"/></exponent><mantissa><delta/></mantissa></decimal>
    <int32 name="Size"><copy key="Volume"/></int32>
    <uInt32 name="Flag" presence="optional"><constant value="1"/></uInt32>
  </sequence>
  <templateRef/>
</template></templates>)";
    EXPECT_EQ(shown(xml, 1), R"(Quote  id 7, t.xml:3, resets dictionaries
presence map: 4 bits, 1 byte; bit 1 says that the template identifier is there
  bit  field                                         type              operator      entry
       (fields of template Head)
    2  Number                                        uInt32            increment 1   Number in global
       Kind                                          string (35)       constant "X"
    3  Session                                       optional group
         (presence map of the group: 1 bit, 1 byte)
    1    Day                                         uInt64            copy          Day in template Quote
    4  Entries                                       sequence          length copy   length of Entries in template Quote
         (presence map per element: 3 bits, 1 byte)
         Price                                       optional decimal
    1      exponent                                  int32             default -2
           mantissa                                  int64             delta         mantissa of Price in template Quote
    2    Size                                        int32             copy          Volume in template Quote
    3    Flag                                        optional uInt32   constant 1
       <dyn>                                         any template                    its own presence map
)");
}

TEST(CliTemplateShow, SaysWhatHasNoId) {
    const std::string text =
        shown("<templates><template name=\"Part\"><uInt32 name=\"a\"/></template></templates>", 0);
    EXPECT_EQ(text.substr(0, text.find(',')), "Part  without id: only referred to");
}

}  // namespace
}  // namespace tickpath::cli
