// Traps of decimals (spec/fast.md §2.7, §3.1, §5, §6): what others got wrong, by name.
#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

// §2.7: only the exponent is nullable; the mantissa has no bias, and is not there behind a NULL exponent.
TEST(FastDecimalTraps, MantissaReadAsNullable) {
    const char* const field = R"(<decimal name="a" presence="optional"/><uInt32 name="b"/>)";
    EXPECT_EQ(decode_once(field, "c0 81 81 85 86"), R"({"a":{"m":5,"e":0},"b":6})");
    EXPECT_EQ(decode_once(field, "c0 81 81 80 86"), R"({"a":{"m":0,"e":0},"b":6})") << "0, not NULL";
    EXPECT_EQ(decode_once(field, "c0 81 80 86"), R"({"b":6})");
}

// §2.7: 10e1 and 100e0 are one number but two previous values; a delta adds to the pair.
TEST(FastDecimalTraps, PairNormalisedBetweenDeltas) {
    const char* const field = R"(<decimal name="a"><delta/></decimal>)";
    EXPECT_EQ(decode_once(field, "c0 81 81 8a  80 80 81"), R"({"a":{"m":10,"e":1}} {"a":{"m":11,"e":1}})");
    EXPECT_EQ(decode_once(field, "c0 81 80 00 e4  80 80 81"),
              R"({"a":{"m":100,"e":0}} {"a":{"m":101,"e":0}})");
}

// §2.7: 19 digits do not survive a double.
TEST(FastDecimalTraps, ValueSentThroughADouble) {
    EXPECT_EQ(decode_once(R"(<decimal name="a"/>)", "c0 81 fe 00 7f 7f 7f 7f 7f 7f 7f 7f fe"),
              R"({"a":{"m":9223372036854775806,"e":-2}})");
}

// §3.1, design §5 row 37 (goFAST PR 1): without an exponent there is no mantissa bit; later bits do not
// shift.
TEST(FastDecimalTraps, MantissaBitTakenThoughTheExponentIsAbsent) {
    const char* const fields =
        R"(<decimal name="a" presence="optional"><exponent><copy/></exponent><mantissa><copy/></mantissa></decimal>
           <uInt32 name="b"><copy/></uInt32>)";
    EXPECT_EQ(decode_once(fields, "f0 81 80 85"), R"({"b":5})") << "bits: id, exponent, b";
    EXPECT_EQ(decode_once(fields, "f8 81 fe 8a 85"), R"({"a":{"m":10,"e":-2},"b":5})")
        << "bits: id, exponent, mantissa, b";
}

// §5 item 6: one operator for the whole takes one bit, individual operators up to two.
TEST(FastDecimalTraps, BitsOfSingleAndIndividualOperatorsConfused) {
    EXPECT_EQ(decode_once(R"(<decimal name="a" presence="optional"><copy/></decimal>
                             <uInt32 name="b"><copy/></uInt32>)",
                          "f0 81 fe 8a 85"),
              R"({"a":{"m":10,"e":-2},"b":5})");
}

// §5 item 7, design §4: the initial value is normalised (12e3) and then is the base of the first delta.
TEST(FastDecimalTraps, InitialValueNotNormalisedBeforeTheDelta) {
    EXPECT_EQ(decode_once(R"(<decimal name="a"><delta value="12000"/></decimal>)", "c0 81 fe 09 ae"),
              R"({"a":{"m":1210,"e":1}})");
    EXPECT_EQ(decode_once(R"(<decimal name="a"><delta value="0.50"/></decimal>)", "c0 81 80 81"),
              R"({"a":{"m":6,"e":-1}})");
}

// Design §5 row 14 (mFAST issue 99): exponents drifted where each delta should have begun at its base.
TEST(FastDecimalTraps, ExponentDriftsWhereThePacketShouldStartAnew) {
    Decoder decoder(load_one(R"(<decimal name="a"><delta/></decimal>)"), {.reset = ResetRule::datagram});
    for (int packet = 0; packet < 3; ++packet)
        EXPECT_EQ(decode_hex(decoder, "c0 81 fe 39 45 a3"), R"({"a":{"m":942755,"e":-2}})") << packet;
}

// Design §5 row 26 (QuickFAST issue 68): copies in nested sequences took their bits from the outer map.
TEST(FastDecimalTraps, CopiedDecimalOfANestedSequenceReadsTheOuterMap) {
    EXPECT_EQ(decode_once(R"(<sequence name="o"><uInt32 name="a"><copy/></uInt32><sequence name="i">
                             <decimal name="p"><copy/></decimal></sequence></sequence>)",
                          "c0 81 81  c0 85 82  c0 fe 8a  80"),
              R"({"o":[{"a":5,"i":[{"p":{"m":10,"e":-2}},{"p":{"m":10,"e":-2}}]}]})");
}

}  // namespace
}  // namespace tickpath::fast
