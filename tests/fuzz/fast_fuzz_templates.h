// The templates that the FAST fuzzers decode and encode by.
#pragma once

#include <string>

namespace tickpath::test {

// Every type, operator and presence; shared entries; groups, sequences and references; a map of more than 63
// bits.
[[nodiscard]] inline std::string fuzz_templates() {
    std::string xml = R"(<templates>
<template name="Integers" id="1">
  <uInt32 name="n"><increment/></uInt32>
  <uInt32 name="a"/> <uInt32 name="b" presence="optional"/> <uInt32 name="c"><copy value="5"/></uInt32>
  <int32 name="d" presence="optional"><copy/></int32> <int64 name="e"><delta/></int64>
  <uInt64 name="f" presence="optional"><delta value="18446744073709551615"/></uInt64>
  <int32 name="g"><increment value="2147483647"/></int32> <uInt64 name="h" presence="optional"><default/></uInt64>
  <int64 name="i"><default value="-7"/></int64> <uInt32 name="j" presence="optional"><constant value="9"/></uInt32>
</template>
<template name="Texts" id="2">
  <string name="a"/> <string name="b" presence="optional"/> <string name="c"><copy value="AB"/></string>
  <string name="d" presence="optional"><delta/></string> <string name="e"><tail value="20260101"/></string>
  <string name="f" charset="unicode" presence="optional"><delta value="Å"/></string>
  <string name="g" charset="unicode"><tail value="Å"/></string>
  <byteVector name="h"/> <byteVector name="i" presence="optional"><copy/></byteVector>
  <byteVector name="j"><delta value="4142"/></byteVector> <string name="k" presence="optional"><default value=""/></string>
</template>
<template name="Decimals" id="3">
  <decimal name="a"/> <decimal name="b" presence="optional"/> <decimal name="c" presence="optional"><copy/></decimal>
  <decimal name="d"><delta value="12000"/></decimal>
  <decimal name="e" presence="optional"><exponent><copy/></exponent><mantissa><delta/></mantissa></decimal>
  <decimal name="f"><exponent><default value="-2"/></exponent><mantissa><copy value="3"/></mantissa></decimal>
  <decimal name="g" presence="optional"><exponent><constant value="-4"/></exponent><mantissa><copy/></mantissa></decimal>
</template>
<template name="Nested" id="4" dictionary="template">
  <uInt32 name="n"><increment value="1"/></uInt32>
  <sequence name="s"><length name="sn"><copy/></length>
    <string name="a"><copy/></string> <decimal name="p" presence="optional"/> <int64 name="q"><delta/></int64>
    <group name="g" presence="optional"><uInt32 name="x"><copy/></uInt32>
      <sequence name="t" presence="optional"><uInt32 name="y" presence="optional"/></sequence></group>
  </sequence>
  <sequence name="u"><uInt32 name="z"><constant value="1"/></uInt32></sequence>
</template>
<template name="Block" dictionary="template"><uInt32 name="x"><copy/></uInt32></template>
<template name="References" id="5"><templateRef name="Block"/><templateRef/><uInt32 name="z"/></template>
<template name="Shared" id="6">
  <uInt32 name="a" presence="optional"><copy key="k"/></uInt32> <string name="b" presence="optional"><copy key="k"/></string>
  <uInt32 name="c" presence="optional"><delta key="k"/></uInt32>
</template>
<template name="Reset" id="120" reset="Y"/>
<template name="Wide" id="7">)";
    for (int i = 0; i < 90; ++i)
        xml += "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"><copy/></uInt32>";
    return xml + "</template></templates>";
}

}  // namespace tickpath::test
