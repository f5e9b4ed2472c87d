// The encoder through small templates: what each operator puts on the wire, and what is refused. Whether
// decoding gives the same back is the round trip's question (encode_round_trip_test.cc).
#include "decoders/fast/encoder.h"

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/fast_sender.h"

namespace tickpath::fast {
namespace {

using test::FastSender;

FastSender sender(const std::string& fields, EncoderOptions options = {.reset = ResetRule::never}) {
    return {load_one(fields), options};
}

FastSender explicit_sender(const std::string& fields) {
    return sender(fields, {.reset = ResetRule::never, .mode = EncodeMode::explicit_});
}

// What decoding the bytes gives, with a decoder of its own.
std::string decoded(FastSender& from, Decoder& by) {
    std::string hex = test::spaced_hex(from.bytes());
    return decode_hex(by, hex);
}

// ---- integers and presence
// -----------------------------------------------------------------------------------

TEST(FastEncoder, WritesIntegersInTheFewestBytes) {
    FastSender s = sender(R"(<int64 name="f"/>)");
    EXPECT_EQ(s.send(R"({"f":0})"), "c0 81 80");
    EXPECT_EQ(s.send(R"({"f":63})"), "80 bf") << "the identifier is remembered";
    EXPECT_EQ(s.send(R"({"f":64})"), "80 00 c0");
    EXPECT_EQ(s.send(R"({"f":-64})"), "80 c0");
    EXPECT_EQ(s.send(R"({"f":-65})"), "80 7f bf");
    EXPECT_EQ(s.send(R"({"f":8193})"), "80 00 40 81");
    EXPECT_EQ(s.send(R"({"f":-8193})"), "80 7f 3f ff");
    EXPECT_EQ(s.send(R"({"f":9223372036854775807})"), "80 00 7f 7f 7f 7f 7f 7f 7f 7f ff");
    EXPECT_EQ(s.send(R"({"f":-9223372036854775808})"), "80 7f 00 00 00 00 00 00 00 00 80");
}

TEST(FastEncoder, WritesNullableMaximaWithTheirExtraBit) {
    FastSender u32 = sender(R"(<uInt32 name="f" presence="optional"/>)");
    EXPECT_EQ(u32.send(R"({"f":4294967295})"), "c0 81 10 00 00 00 80");
    EXPECT_EQ(u32.send("{}"), "80 80");
    FastSender u64 = sender(R"(<uInt64 name="f" presence="optional"/>)");
    EXPECT_EQ(u64.send(R"({"f":18446744073709551615})"), "c0 81 02 00 00 00 00 00 00 00 00 80");
    FastSender i64 = sender(R"(<int64 name="f" presence="optional"/>)");
    EXPECT_EQ(i64.send(R"({"f":9223372036854775807})"), "c0 81 01 00 00 00 00 00 00 00 00 80");
    EXPECT_EQ(i64.send(R"({"f":-1})"), "80 ff");
    EXPECT_EQ(i64.send(R"({"f":9223372036854775806})"), "80 00 7f 7f 7f 7f 7f 7f 7f 7f ff");
}

TEST(FastEncoder, RefusesRowsWhoseIntegersDoNotFitTheirType) {
    const std::shared_ptr<const Templates> templates = load_one(R"(<uInt32 name="f"/><int32 name="g"/>)");
    Encoder encoder(templates, {});
    std::array<std::byte, 32> out{};
    const RowContext context;
    const std::array<std::uint64_t, 3> too_large = {1, 4'294'967'296u, 0};
    EXPECT_EQ(encoder.encode(templates->all().front(), Row(too_large.data(), &context), out).error, Errc::r4);
    const std::array<std::uint64_t, 3> too_small = {1, 0, static_cast<std::uint64_t>(-2'147'483'649)};
    EXPECT_EQ(encoder.encode(templates->all().front(), Row(too_small.data(), &context), out).error, Errc::r4);
    EXPECT_EQ(encoder.error_place().field, "g");
    const std::array<std::uint64_t, 3> right = {1, 5, static_cast<std::uint64_t>(-5)};
    EXPECT_TRUE(encoder.encode(templates->all().front(), Row(right.data(), &context), out));
}

// ---- texts
// ---------------------------------------------------------------------------------------------------

TEST(FastEncoder, WritesZeroPreamblesOfAsciiStrings) {
    FastSender mandatory = sender(R"(<string name="f"/>)");
    EXPECT_EQ(mandatory.send(R"({"f":""})"), "c0 81 80");
    EXPECT_EQ(mandatory.send(R"({"f":"\u0000"})"), "80 00 80");
    EXPECT_EQ(mandatory.send(R"({"f":"ABC"})"), "80 41 42 c3");
    FastSender optional = sender(R"(<string name="f" presence="optional"/>)");
    EXPECT_EQ(optional.send("{}"), "c0 81 80");
    EXPECT_EQ(optional.send(R"({"f":""})"), "80 00 80");
    EXPECT_EQ(optional.send(R"({"f":"\u0000"})"), "80 00 00 80");
}

TEST(FastEncoder, WritesByteVectorsAndUnicodeBehindTheirLength) {
    FastSender bytes = sender(R"(<byteVector name="f" presence="optional"/>)");
    EXPECT_EQ(bytes.send(R"({"f":"hex:414243"})"), "c0 81 84 41 42 43");
    EXPECT_EQ(bytes.send(R"({"f":"hex:"})"), "80 81");
    EXPECT_EQ(bytes.send("{}"), "80 80");
    FastSender unicode = sender(R"(<string name="f" charset="unicode"/>)");
    EXPECT_EQ(unicode.send(R"({"f":"ÅAB"})"), "c0 81 84 c3 85 41 42");
}

TEST(FastEncoder, RefusesCharactersThatAreNoAscii) {
    FastSender s = sender(R"(<string name="f"/>)");
    EXPECT_EQ(s.send(R"({"f":"Å"})"), "(f is refused: R3, " + std::string(describe(Errc::r3)) + ")");
}

// ---- operators
// -----------------------------------------------------------------------------------------------

TEST(FastEncoder, ConstantsTakeABitOnlyWhereOptional) {
    EXPECT_EQ(sender(R"(<uInt32 name="f"><constant value="7"/></uInt32>)").send(R"({"f":7})"), "c0 81");
    FastSender s = sender(R"(<uInt32 name="f" presence="optional"><constant value="7"/></uInt32>)");
    EXPECT_EQ(s.send(R"({"f":7})"), "e0 81");
    EXPECT_EQ(s.send("{}"), "80");
    EXPECT_EQ(s.send(R"({"f":8})"),
              "(f is refused: unrepresentable, " + std::string(describe(Errc::unrepresentable)) + ")");
}

TEST(FastEncoder, DefaultsAreSentOnlyWhereTheyAreNot) {
    FastSender s = sender(R"(<uInt32 name="f" presence="optional"><default value="7"/></uInt32>)");
    EXPECT_EQ(s.send(R"({"f":7})"), "c0 81");
    EXPECT_EQ(s.send("{}"), "a0 80");
    EXPECT_EQ(s.send(R"({"f":1})"), "a0 82");
    FastSender without = sender(R"(<uInt32 name="f" presence="optional"><default/></uInt32>)");
    EXPECT_EQ(without.send("{}"), "c0 81");
    EXPECT_EQ(without.send(R"({"f":1})"), "a0 82");
}

TEST(FastEncoder, CopySendsChanges) {
    FastSender s = sender(R"(<string name="f" presence="optional"><copy/></string>)");
    EXPECT_EQ(s.send("{}"), "c0 81") << "nothing says absent as well as NULL";
    EXPECT_EQ(s.send("{}"), "80");
    EXPECT_EQ(s.send(R"({"f":"CME"})"), "a0 43 4d c5");
    EXPECT_EQ(s.send(R"({"f":"CME"})"), "80");
    EXPECT_EQ(s.send("{}"), "a0 80");
    EXPECT_EQ(s.send(R"({"f":"CME"})"), "a0 43 4d c5") << "NULL has emptied the entry";
}

TEST(FastEncoder, CopyUsesTheInitialValueOnceAndNotBehindNull) {
    FastSender s = sender(R"(<uInt32 name="f" presence="optional"><copy value="5"/></uInt32>)");
    EXPECT_EQ(s.send(R"({"f":5})"), "c0 81");
    EXPECT_EQ(s.send("{}"), "a0 80");
    EXPECT_EQ(s.send("{}"), "80");
    EXPECT_EQ(s.send(R"({"f":5})"), "a0 86");
    FastSender absent = sender(R"(<uInt32 name="f" presence="optional"><copy value="5"/></uInt32>)");
    EXPECT_EQ(absent.send("{}"), "e0 81 80") << "a clear bit would mean 5";
}

TEST(FastEncoder, IncrementWrapsAsTheDecoderDoes) {
    FastSender s = sender(R"(<int32 name="f"><increment value="1"/></int32>)");
    EXPECT_EQ(s.send(R"({"f":1})"), "c0 81");
    EXPECT_EQ(s.send(R"({"f":2})"), "80");
    EXPECT_EQ(s.send(R"({"f":2147483647})"), "a0 07 7f 7f 7f ff");
    EXPECT_EQ(s.send(R"({"f":-2147483648})"), "80");
    EXPECT_EQ(s.send(R"({"f":-2147483648})"), "a0 78 00 00 00 80");
}

TEST(FastEncoder, NarrowIntegersWrapAtTheirOwnMaximum) {
    FastSender s = sender(R"(<int8 name="f"><increment value="126"/></int8>)");
    EXPECT_EQ(s.send(R"({"f":126})"), "c0 81");
    EXPECT_EQ(s.send(R"({"f":127})"), "80");
    EXPECT_EQ(s.send(R"({"f":-128})"), "80");
    EXPECT_EQ(s.send(R"({"f":127})"), "a0 00 ff");
    EXPECT_EQ(s.send(R"({"f":5})"), "a0 85");
    EXPECT_EQ(s.send(R"({"f":128})"), "(f is refused: R4, " + std::string(describe(Errc::r4)) + ")");
}

// 4294967295 + 1: of a uInt32 that is 0, of a uInt8 there is no such value before.
TEST(FastEncoder, NarrowIntegersDoNotRelyOnWhatAWiderFieldLeft) {
    FastSender s =
        sender(R"(<uInt32 name="wide"><copy key="k"/></uInt32><uInt8 name="f"><increment key="k"/></uInt8>)");
    EXPECT_EQ(s.send(R"({"wide":4294967295,"f":0})"), "f0 81 0f 7f 7f 7f ff 80");
    EXPECT_EQ(s.send(R"({"wide":7,"f":8})"), "a0 87");
}

TEST(FastEncoder, IntegerDeltasMayNeedABitMoreThanTheType) {
    FastSender u32 = sender(R"(<uInt32 name="f"><delta/></uInt32>)");
    EXPECT_EQ(u32.send(R"({"f":4294967295})"), "c0 81 0f 7f 7f 7f ff");
    EXPECT_EQ(u32.send(R"({"f":17})"), "80 70 00 00 00 92");
    FastSender u64 = sender(R"(<uInt64 name="f"><delta/></uInt64>)");
    EXPECT_EQ(u64.send(R"({"f":18446744073709551615})"), "c0 81 01 7f 7f 7f 7f 7f 7f 7f 7f ff");
    EXPECT_EQ(u64.send(R"({"f":0})"), "80 7e 00 00 00 00 00 00 00 00 81");
    FastSender i64 =
        sender(R"(<int64 name="f" presence="optional"><delta value="-9223372036854775808"/></int64>)");
    EXPECT_EQ(i64.send(R"({"f":9223372036854775807})"), "c0 81 02 00 00 00 00 00 00 00 00 80");
    EXPECT_EQ(i64.send("{}"), "80 80") << "NULL keeps the entry";
    EXPECT_EQ(i64.send(R"({"f":9223372036854775807})"), "80 81");
}

TEST(FastEncoder, DecimalDeltasStartFromTheNormalisedInitialValue) {
    FastSender s = sender(R"(<decimal name="f"><delta value="12000"/></decimal>)");
    EXPECT_EQ(s.send(R"({"f":{"m":1210,"e":1}})"), "c0 81 fe 09 ae");
    EXPECT_EQ(s.send(R"({"f":{"m":1215,"e":1}})"), "80 80 85");
}

TEST(FastEncoder, DeltaOfAnEmptyEntryIsD6) {
    FastSender s = sender(R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
                             <uInt32 name="b" presence="optional"><delta key="k"/></uInt32>)");
    EXPECT_EQ(s.send(R"({"b":1})"), "D6 b");
    EXPECT_EQ(s.send("{}"), "c0 81 80") << "a NULL delta needs no base";
    EXPECT_EQ(s.send(R"({"a":4,"b":5})"), "a0 85 82");
}

TEST(FastEncoder, StringDeltasTakeTheShorterForm) {
    FastSender s = sender(R"(<string name="f"><delta/></string>)");
    EXPECT_EQ(s.send(R"({"f":"GEH6"})"), "c0 81 80 47 45 48 b6");
    EXPECT_EQ(s.send(R"({"f":"GEM6"})"), "80 82 4d b6");
    EXPECT_EQ(s.send(R"({"f":"ESM6"})"), "80 fd 45 d3");
    EXPECT_EQ(s.send(R"({"f":"RSESM6"})"), "80 ff 52 d3");
    EXPECT_EQ(s.send(R"({"f":"RSESM6"})"), "80 80 80");
    FastSender bytes =
        sender(R"(<byteVector name="f" presence="optional"><delta value="414243"/></byteVector>)");
    EXPECT_EQ(bytes.send(R"({"f":"hex:41425a"})"), "c0 81 82 81 5a");
    EXPECT_EQ(bytes.send("{}"), "80 80");
    EXPECT_EQ(bytes.send(R"({"f":"hex:59425a"})"), "80 fe 81 59");
}

TEST(FastEncoder, TailSendsTheChangedEnd) {
    FastSender s = sender(R"(<string name="f" presence="optional"><tail value="20260101"/></string>)");
    EXPECT_EQ(s.send(R"({"f":"20260101"})"), "c0 81");
    EXPECT_EQ(s.send(R"({"f":"20260115"})"), "a0 31 b5");
    EXPECT_EQ(s.send(R"({"f":"20260115"})"), "80");
    EXPECT_EQ(s.send(R"({"f":"2026"})"), "unrepresentable f") << "a tail cannot make its base shorter";
    EXPECT_EQ(s.send(R"({"f":"202601150"})"), "a0 32 30 32 36 30 31 31 35 b0");
    EXPECT_EQ(s.send("{}"), "a0 80");
    EXPECT_EQ(s.send("{}"), "80");
    EXPECT_EQ(s.send(R"({"f":"20260102"})"), "a0 b2") << "an empty entry has the initial value for base";
}

TEST(FastEncoder, TailThatRepeatsTheValueIsEmpty) {
    FastSender s = explicit_sender(R"(<byteVector name="f"><tail/></byteVector>)");
    EXPECT_EQ(s.send(R"({"f":"hex:010203"})"), "e0 81 83 01 02 03");
    EXPECT_EQ(s.send(R"({"f":"hex:010203"})"), "e0 81 83 01 02 03") << "explicit sends the whole value";
    FastSender shared =
        sender(R"(<string name="a"><copy key="k"/></string><string name="f"><tail key="k"/></string>)");
    EXPECT_EQ(shared.send(R"({"a":"XY","f":"XY"})"), "e0 81 58 d9");
}

// ---- decimals with individual operators
// ----------------------------------------------------------------------

TEST(FastEncoder, MantissaBitsExistOnlyWithTheExponent) {
    FastSender s = sender(R"(<decimal name="f" presence="optional"><exponent><copy/></exponent>
                             <mantissa><copy/></mantissa></decimal><uInt32 name="g"><copy/></uInt32>)");
    EXPECT_EQ(s.send(R"({"f":{"m":942755,"e":-2},"g":1})"), "f8 81 fe 39 45 a3 81");
    EXPECT_EQ(s.send(R"({"f":{"m":942760,"e":-2},"g":1})"), "90 39 45 a8");
    EXPECT_EQ(s.send(R"({"g":2})"), "b0 80 82") << "the last field's bit has moved up";
}

TEST(FastEncoder, RescalesToAConstantExponentOrRefuses) {
    FastSender s = sender(R"(<decimal name="f" presence="optional"><exponent><constant value="-4"/></exponent>
                             <mantissa><copy/></mantissa></decimal>)");
    EXPECT_EQ(s.send(R"({"f":{"m":10,"e":-4}})"), "f0 81 8a");
    EXPECT_EQ(s.send(R"({"f":{"m":1,"e":-3}})"), "a0") << "the same number";
    EXPECT_EQ(s.send(R"({"f":{"m":1,"e":-5}})"), "D3 f");
    EXPECT_EQ(s.send(R"({"f":{"m":9223372036854775807,"e":0}})"), "D3 f");
    EXPECT_EQ(s.send("{}"), "80");
}

TEST(FastEncoder, MatchesAConstantMantissaOrRefuses) {
    FastSender s =
        sender(R"(<decimal name="f"><exponent><copy/></exponent><mantissa><constant value="50"/></mantissa>
                             </decimal>)");
    EXPECT_EQ(s.send(R"({"f":{"m":50,"e":2}})"), "e0 81 82");
    EXPECT_EQ(s.send(R"({"f":{"m":5,"e":3}})"), "80");
    EXPECT_EQ(s.send(R"({"f":{"m":6,"e":3}})"), "D3 f");
    EXPECT_EQ(s.send(R"({"f":{"m":5,"e":-63}})"), "D3 f") << "exponent -64 there is not";
    FastSender both = sender(R"(<decimal name="f"><exponent><constant value="2"/></exponent>
                                <mantissa><constant value="50"/></mantissa></decimal>)");
    EXPECT_EQ(both.send(R"({"f":{"m":5000,"e":0}})"), "c0 81");
    EXPECT_EQ(both.send(R"({"f":{"m":50,"e":3}})"), "D3 f");
}

// ---- segments
// ------------------------------------------------------------------------------------------------

TEST(FastEncoder, GroupsHaveMapsOnlyWhereTheyNeedThem) {
    FastSender s = sender(
        R"(<group name="g" presence="optional"><uInt32 name="a"><copy/></uInt32><uInt32 name="b"/></group>)");
    EXPECT_EQ(s.send(R"({"g":{"a":5,"b":6}})"), "e0 81 c0 85 86");
    EXPECT_EQ(s.send("{}"), "80");
    EXPECT_EQ(s.send(R"({"g":{"a":5,"b":7}})"), "a0 80 87");
    FastSender without = sender(R"(<group name="g"><uInt32 name="b"/></group>)");
    EXPECT_EQ(without.send(R"({"g":{"b":6}})"), "c0 81 86");
}

TEST(FastEncoder, SequencesCountTheirElements) {
    FastSender s =
        sender(R"(<sequence name="s" presence="optional"><length name="n"/><uInt32 name="a"><copy/></uInt32>
                             <int32 name="b"/></sequence>)");
    EXPECT_EQ(s.send(R"({"s":[{"a":5,"b":6},{"a":5,"b":7}]})"), "c0 81 83 c0 85 86 80 87");
    EXPECT_EQ(s.send(R"({"s":[]})"), "80 81");
    EXPECT_EQ(s.send("{}"), "80 80");
}

TEST(FastEncoder, LengthsHaveOperatorsLikeAnyInteger) {
    FastSender copy =
        sender(R"(<sequence name="s"><length name="n"><copy/></length><uInt32 name="a"/></sequence>)");
    EXPECT_EQ(copy.send(R"({"s":[{"a":1},{"a":2}]})"), "e0 81 82 81 82");
    EXPECT_EQ(copy.send(R"({"s":[{"a":3},{"a":4}]})"), "80 83 84");
    FastSender delta =
        sender(R"(<sequence name="s"><length name="n"><delta/></length><uInt32 name="a"/></sequence>)");
    EXPECT_EQ(delta.send(R"({"s":[{"a":1},{"a":2}]})"), "c0 81 82 81 82");
    EXPECT_EQ(delta.send(R"({"s":[{"a":1}]})"), "80 ff 81");
    FastSender constant = sender(
        R"(<sequence name="s" presence="optional"><length name="n"><constant value="2"/></length><uInt32 name="a"/></sequence>)");
    EXPECT_EQ(constant.send(R"({"s":[{"a":1},{"a":2}]})"), "e0 81 81 82");
    EXPECT_EQ(constant.send(R"({"s":[{"a":1}]})"), "unrepresentable s");
    EXPECT_EQ(constant.send("{}"), "80");
}

TEST(FastEncoder, MapsDropTheirTrailingZeros) {
    std::string fields;
    for (int i = 0; i < 80; ++i)
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"><default/></uInt32>";
    FastSender s = sender(fields);
    EXPECT_EQ(s.send("{}"), "c0 81");
    EXPECT_EQ(s.send(R"({"f5":1})"), "81 82") << "with the identifier's bit that is the seventh";
    EXPECT_EQ(s.send(R"({"f6":1})"), "00 c0 82");
    EXPECT_EQ(s.send(R"({"f79":1})"), "00 00 00 00 00 00 00 00 00 00 00 88 82");
    FastSender element = sender("<sequence name=\"s\">" + fields + "</sequence>");
    EXPECT_EQ(element.send(R"({"s":[{"f79":1},{},{"f7":2}]})"),
              "c0 81 83 00 00 00 00 00 00 00 00 00 00 00 90 82 80 00 c0 83");
}

TEST(FastEncoder, MapsThatFillTheirBytesExactlyKeepTheIdentifiersBit) {  // mFAST issues 111, 124
    std::string fields;
    for (int i = 0; i < 7; ++i)
        fields += "<uInt32 name=\"f" + std::to_string(i) + "\"><copy/></uInt32>";
    FastSender s = sender(fields);
    EXPECT_EQ(s.send(R"({"f0":1,"f1":1,"f2":1,"f3":1,"f4":1,"f5":1,"f6":1})"),
              "7f c0 81 81 81 81 81 81 81 81");
}

// ---- identifiers and references
// --------------------------------------------------------------------------------

TEST(FastEncoder, SendsTheIdentifierOnChangeOrAlways) {
    const std::string two = R"(<template name="A" id="1"><uInt32 name="f"/></template>
                               <template name="B" id="300"><uInt32 name="f"/></template>)";
    FastSender changes(load_all(two), {.reset = ResetRule::never});
    EXPECT_EQ(changes.send(R"({"f":1})", 1), "c0 81 81");
    EXPECT_EQ(changes.send(R"({"f":1})", 1), "80 81");
    EXPECT_EQ(changes.send(R"({"f":1})", 300), "c0 02 ac 81");
    FastSender always(load_all(two), {.reset = ResetRule::never, .identifies_always = true});
    EXPECT_EQ(always.send(R"({"f":1})", 1), "c0 81 81");
    EXPECT_EQ(always.send(R"({"f":1})", 1), "c0 81 81");
}

TEST(FastEncoder, DynamicReferencesShareTheIdentifiersEntry) {
    FastSender s(
        load_all(R"(<template name="Outer" id="1"><templateRef/><uInt32 name="z"><copy/></uInt32></template>
                             <template name="Inner" id="2"><uInt32 name="x"><copy/></uInt32></template>)"),
        {.reset = ResetRule::never});
    const char* const message = R"({"<dyn>":{"template":"Inner","fields":{"x":5}},"z":6})";
    EXPECT_EQ(s.send(message, 1), "e0 81 e0 82 85 86");
    EXPECT_EQ(s.send(message, 1), "c0 81 c0 82") << "the inner identifier is the one before";
    EXPECT_EQ(s.send(R"({"x":5})", 2), "80");
}

TEST(FastEncoder, StaticReferencesUseTheReferredTemplatesDictionary) {
    FastSender s(
        load_all(R"(<template name="Block" dictionary="template"><uInt32 name="x"><copy/></uInt32></template>
        <template name="A" id="1" dictionary="template"><uInt32 name="x"><copy/></uInt32><templateRef name="Block"/></template>
        <template name="B" id="2"><templateRef name="Block"/></template>)"),
        {.reset = ResetRule::never});
    EXPECT_EQ(s.send(R"({"x":5,"x#2":6})", 1), "f0 81 85 86");
    EXPECT_EQ(s.send(R"({"x":6})", 2), "c0 82");
}

TEST(FastEncoder, BoundsDynamicReferences) {
    const std::shared_ptr<const Templates> templates = load_one("<templateRef/>");
    MessageBuilder builder(templates);
    Encoder encoder(templates, {.limits = {.dynamic_depth_max = 3}});
    RowBuilder row = builder.begin(templates->all().front());
    for (int i = 0; i < 5; ++i)
        row = row.set_dynamic("<dyn>", templates->all().front());
    ASSERT_FALSE(builder.finish()) << "the innermost one leads nowhere";
    std::array<std::byte, 64> out{};
    EXPECT_EQ(encoder.encode(builder, out).error, Errc::missing);
}

TEST(FastEncoder, UnknownTemplatesAreD9) {
    const std::shared_ptr<const Templates> one = load_one(R"(<uInt32 name="f"/>)");
    const std::shared_ptr<const Templates> other =
        load_all(R"(<template name="O" id="9"><uInt32 name="f"/></template>)");
    MessageBuilder builder(other);
    builder.begin(other->all().front()).set_u64("f", 1);
    ASSERT_TRUE(builder.finish());
    std::array<std::byte, 64> out{};
    EXPECT_EQ(Encoder(one, {}).encode(builder, out).error, Errc::d9);
}

// ---- modes, resets, errors
// ---------------------------------------------------------------------------------------

constexpr const char* mixed =
    R"(<uInt32 name="a"><copy value="5"/></uInt32><uInt32 name="b"><increment/></uInt32>
    <uInt32 name="c" presence="optional"><default value="7"/></uInt32>
    <uInt32 name="d" presence="optional"><copy/></uInt32><string name="e"><copy/></string>)";

TEST(FastEncoder, ExplicitModeSendsEverythingAndKeepsTheDictionaryRight) {
    FastSender s = explicit_sender(mixed);
    const char* const message = R"({"a":5,"b":2,"c":7,"e":"X"})";
    EXPECT_EQ(s.send(message), "fe 81 85 82 88 80 d8");
    EXPECT_EQ(s.send(message), "fe 81 85 82 88 80 d8");
    s.encoder().set_mode(EncodeMode::compact);
    EXPECT_EQ(s.send(R"({"a":5,"b":3,"c":7,"e":"X"})"), "80");
}

TEST(FastEncoder, ForgetsByTheFeedsResetRule) {
    const std::string copy = R"(<uInt32 name="f"><copy/></uInt32>)";
    FastSender message = sender(copy, {.reset = ResetRule::message});
    EXPECT_EQ(message.send(R"({"f":1})"), "e0 81 81");
    EXPECT_EQ(message.send(R"({"f":1})"), "e0 81 81");
    FastSender datagram = sender(copy, {.reset = ResetRule::datagram});
    EXPECT_EQ(datagram.send(R"({"f":1})"), "e0 81 81");
    EXPECT_EQ(datagram.send(R"({"f":1})"), "80");
    datagram.encoder().begin_datagram();
    EXPECT_EQ(datagram.send(R"({"f":1})"), "e0 81 81");
    FastSender never = sender(copy);
    EXPECT_EQ(never.send(R"({"f":1})"), "e0 81 81");
    never.encoder().begin_datagram();
    EXPECT_EQ(never.send(R"({"f":1})"), "80");
    never.encoder().reset();
    EXPECT_EQ(never.send(R"({"f":1})"), "e0 81 81");
}

TEST(FastEncoder, ResettingTemplatesForgetAndAlwaysNameThemselves) {
    FastSender s(load_all(R"(<template name="R" id="120" reset="Y"/>
                             <template name="A" id="1"><uInt32 name="f"><copy/></uInt32></template>)"),
                 {.reset = ResetRule::never});
    EXPECT_EQ(s.send(R"({"f":1})", 1), "e0 81 81");
    EXPECT_EQ(s.send("{}", 120), "c0 f8");
    EXPECT_EQ(s.send("{}", 120), "c0 f8");
    EXPECT_EQ(s.send(R"({"f":1})", 1), "e0 81 81");
}

TEST(FastEncoder, SendsTheResetMessageThatTheXmlDoesNotHave) {
    const std::shared_ptr<const Templates> templates = load_one(R"(<uInt32 name="f"><copy/></uInt32>)");
    FastSender s(templates, {.reset = ResetRule::template_id});
    EXPECT_EQ(s.send(R"({"f":1})"), "e0 81 81");
    std::array<std::byte, 8> out{};
    const EncodeResult result = s.encoder().encode_reset(out);
    EXPECT_EQ(test::spaced_hex(std::span(out).first(result.size_bytes)), "c0 f8");
    EXPECT_EQ(s.send(R"({"f":1})"), "e0 81 81");
    EXPECT_EQ(s.encoder().encode_reset(std::span(out).first(1)).error, Errc::limit);
    EXPECT_EQ(s.send(R"({"f":1})"), "80") << "the refused reset has forgotten nothing";
}

// What was refused has not been sent, so the decoder knows nothing of it.
TEST(FastEncoder, RefusedMessagesLeaveTheDictionaryAsItWas) {
    FastSender s(
        load_all(
            R"(<template name="A" id="1"><string name="a"><copy/></string><uInt32 name="b"><increment/></uInt32>
        <uInt32 name="o" presence="optional"><copy/></uInt32><decimal name="p"><copy/></decimal><string name="t"><tail/></string></template>
        <template name="R" id="2" reset="Y"><string name="a"><copy/></string><string name="t"><tail value="long one"/></string></template>)"),
        {.reset = ResetRule::never});
    const char* const first = R"({"a":"AA","b":1,"o":4,"p":{"m":1,"e":0},"t":"ABC"})";
    const char* const next = R"({"a":"AA","b":2,"o":4,"p":{"m":1,"e":0},"t":"ABC"})";
    EXPECT_EQ(s.send(first, 1), "fe 81 41 c1 81 85 80 81 41 42 c3");
    EXPECT_EQ(s.send(R"({"a":"BB","b":7,"p":{"m":2,"e":2},"t":"A"})", 1), "unrepresentable t");
    EXPECT_EQ(s.send(R"({"a":"CC","t":"A"})", 2), "unrepresentable t") << "a reset that was not sent";
    EXPECT_EQ(s.send(next, 1), "80");
}

TEST(FastEncoder, RefusesWhatDoesNotFitTheSpan) {
    const std::shared_ptr<const Templates> templates = load_one(R"(<string name="f"><copy/></string>)");
    MessageBuilder builder(templates);
    builder.begin(templates->all().front()).set_text("f", "ABC");
    ASSERT_TRUE(builder.finish());
    Encoder encoder(templates, {.reset = ResetRule::never});
    std::array<std::byte, 5> out{};
    for (std::size_t size = 0; size < out.size(); ++size) {
        const EncodeResult result = encoder.encode(builder, std::span(out).first(size));
        EXPECT_EQ(result.error, Errc::limit) << size;
        EXPECT_EQ(result.size_bytes, 0u);
        EXPECT_EQ(out[0], std::byte{0}) << "nothing has been written";
    }
    EXPECT_EQ(encoder.encode(builder, out).size_bytes, 5u);
    EXPECT_EQ(encoder.encode(builder, out).size_bytes, 1u);
}

TEST(FastEncoder, RefusesWhatIsOverItsLimits) {
    const auto error = [](const char* fields, const std::string& message, ResetRule reset,
                          EncodeLimits limits) {
        return sender(fields, {.reset = reset, .limits = limits}).send(message);
    };
    const char* const text = R"(<string name="f"/>)";
    EXPECT_EQ(error(text, R"({"f":"ABCDE"})", ResetRule::never, {.string_bytes_max = 4}), "limit f");
    EXPECT_EQ(error(text, R"({"f":"ABCD"})", ResetRule::never, {.string_bytes_max = 4}), "c0 81 41 42 43 c4");
    EXPECT_EQ(error(text, R"({"f":"ABCDEFGHIJ"})", ResetRule::never, {.message_bytes_max = 8}), "limit f");
    const char* const many = R"(<sequence name="s"><uInt32 name="f"/></sequence>)";
    const std::string three = R"({"s":[{"f":1},{"f":1},{"f":1}]})";
    EXPECT_EQ(error(many, three, ResetRule::never, {.sequence_length_max = 2}), "limit s");
    EXPECT_EQ(error(many, three, ResetRule::never, {.message_bytes_max = 6}).substr(0, 5), "c0 81");
    std::string forty = R"({"s":[{"f":1})";
    for (int i = 0; i < 40; ++i)
        forty += R"(,{"f":268435455})";
    EXPECT_EQ(error(many, forty + "]}", ResetRule::never, {.message_bytes_max = 100}), "limit s");
    const char* const kept = R"(<string name="f"><copy/></string><string name="g"><copy key="f"/></string>)";
    const EncodeLimits small = {.dictionary_text_bytes_max = 3};
    EXPECT_EQ(error(kept, R"({"f":"ABCD","g":"ABCD"})", ResetRule::never, small), "limit f");
    EXPECT_EQ(error(kept, R"({"f":"ABCD","g":"ABCD"})", ResetRule::message, small), "e0 81 41 42 43 c4")
        << "a dictionary that does not outlive the message may refer to its texts";
}

TEST(FastEncoder, EntriesOfAnotherTypeAreReplacedOrRefused) {
    const std::string shared = R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
        <string name="b" presence="optional"><copy key="k"/></string><uInt32 name="c" presence="optional"><delta key="k"/></uInt32>)";
    FastSender lenient = sender(shared);
    EXPECT_EQ(lenient.send(R"({"a":5,"b":"X"})"), "D4 c") << "a delta reads the entry, NULL or not";
    const std::string two = R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
        <string name="b" presence="optional"><copy key="k"/></string>)";
    FastSender both = sender(two);
    EXPECT_EQ(both.send(R"({"a":5,"b":"X"})"), "f0 81 86 d8");
    Decoder decoder(load_one(two), {.reset = ResetRule::never});
    EXPECT_EQ(decoded(both, decoder), R"({"a":5,"b":"X"})");
    FastSender strict = sender(two, {.reset = ResetRule::never, .strict = true});
    EXPECT_EQ(strict.send(R"({"a":5,"b":"X"})"), "D4 b");
}

TEST(FastEncoder, RefusedMessagesLeaveTheTypesOfSharedEntriesAsTheyWere) {
    FastSender s = sender(R"(<uInt32 name="a" presence="optional"><copy key="k"/></uInt32>
        <group name="g" presence="optional"><string name="b"><copy key="k"/></string><string name="t"><tail value="long"/></string></group>)");
    EXPECT_EQ(s.send(R"({"a":5})"), "e0 81 86");
    EXPECT_EQ(s.send(R"({"a":5,"g":{"b":"X","t":"short"}})"), "90 e0 d8 73 68 6f 72 f4");
    EXPECT_EQ(s.send(R"({"a":5})"), "a0 86") << "the entry held a text";
    EXPECT_EQ(s.send(R"({"a":5,"g":{"b":"X","t":"no"}})"), "unrepresentable g/t");
    EXPECT_EQ(s.send(R"({"a":5})"), "80") << "and now it holds what it held before";
}

TEST(FastEncoder, StrictRefusesUnicodeThatIsNone) {
    const char* const delta = R"(<string name="f" charset="unicode"><delta/></string>)";
    EXPECT_EQ(sender(delta).send(R"({"f":"hex:c3"})"), "c0 81 80 81 c3");
    EXPECT_EQ(sender(delta, {.strict = true}).send(R"({"f":"hex:c3"})"), "R2 f");
}

TEST(FastEncoder, TakesNoMemoryPerMessage) {
    const std::shared_ptr<const Templates> templates = load_one(
        R"(<string name="a"><copy/></string><string name="b"><delta/></string><sequence name="s"><string name="c"><tail/></string>
           <decimal name="d"><exponent><copy/></exponent><mantissa><delta/></mantissa></decimal></sequence>)");
    MessageBuilder builder(templates);
    RowBuilder row = builder.begin(templates->all().front());
    row.set_text("a", "some text that is not short at all");
    row.set_text("b", "another");
    for (int i = 0; i < 3; ++i) {
        RowBuilder element = row.add_element("s");
        element.set_text("c", i == 0 ? "AAAA" : "AABB");
        element.set_decimal("d", {i, -2});
    }
    ASSERT_TRUE(builder.finish());
    Encoder encoder(templates, {.reset = ResetRule::never});
    std::array<std::byte, 256> out{};
    const std::array<std::byte, 4> too_small{};
    test::AllocationGuard guard;
    EXPECT_TRUE(encoder.encode(builder, out));
    EXPECT_TRUE(encoder.encode(builder, out));
    EXPECT_FALSE(encoder.encode(builder, std::span(out).first(too_small.size())));
    EXPECT_EQ(encoder.error_place().error, Errc::limit);
}

}  // namespace
}  // namespace tickpath::fast
