// Traps of feeds: resets, template identifiers, several messages in a datagram (spec/fast.md §4, §12, §13).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/datagram.h"
#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

constexpr const char* price_template =
    R"(<string name="s"><copy value="USD"/></string><decimal name="p"><delta/></decimal>)";
// 1234.5 of EUR; the sender starts each packet anew.
constexpr const char* price_packet = "e0 81 45 55 d2 ff 00 60 b9";
constexpr const char* price_json = R"({"s":"EUR","p":{"m":12345,"e":-1}})";

// Design §5 rows 1, 4 and 32 (mFAST issues 7 and 28, QuickFAST issue 114): only the first message was right.
TEST(FastFeedTraps, MoexOneDecoderReusedGivesGarbagePrices) {
    for (const ResetRule rule : {ResetRule::message, ResetRule::datagram}) {
        Decoder decoder(load_one(price_template), {.reset = rule});
        for (int packet = 0; packet < 3; ++packet)
            EXPECT_EQ(decode_hex(decoder, price_packet), price_json) << "packet " << packet;
    }
    Decoder without(load_one(price_template), {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(without, price_packet), price_json);
    EXPECT_EQ(decode_hex(without, price_packet), R"({"s":"EUR","p":{"m":24690,"e":-2}})")
        << "what they saw: no error, and a price that is none";
}

// Design §5 row 5 (mFAST issue 31): the Eurex file has no template 120.
TEST(FastFeedTraps, EurexResetTemplateNotInTheFileCrashes) {
    const auto templates = load_one(R"(<uInt32 name="a"><copy value="1"/></uInt32>)");
    Decoder eurex(templates, {.reset = ResetRule::template_id, .reset_template_id = 120});
    EXPECT_EQ(decode_hex(eurex, "e0 81 85  c0 f8  c0 81"), R"({"a":5} {} {"a":1})");
    Decoder other(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(other, "c0 f8"), "D9") << "120 is the feed's, not everyone's";
}

// §12, design §4 item 2: mFAST ignored the spelling without namespace.
TEST(FastFeedTraps, ResetAttributeWithoutNamespaceIgnored) {
    const auto templates = load_all(
        R"(<template name="T" id="1" reset="Y"><uInt32 name="a"><copy value="1"/></uInt32></template>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85"), R"({"a":5})");
    EXPECT_EQ(decode_hex(decoder, "c0 81"), R"({"a":1})") << "its own reset comes before its fields";
}

// §4, design §5 row 22 (QuickFAST issue 17).
TEST(FastFeedTraps, ResetTemplateForgetsItsOwnIdentifier) {
    const auto templates = load_all(
        R"(<template name="R" id="120" reset="Y"/><template name="T" id="1"><uInt32 name="a"/></template>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "c0 81 85  c0 f8  80"), R"({"a":5} {} {})") << "the last is a Reset again";
}

// §4: the identifier is remembered over messages and datagrams, and a reset forgets it.
TEST(FastFeedTraps, RememberedIdentifierLostBetweenDatagrams) {
    const auto templates = load_one(R"(<uInt32 name="a"/>)");
    Decoder never(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(never, "c0 81 85"), R"({"a":5})");
    EXPECT_EQ(decode_hex(never, "80 86"), R"({"a":6})");
    Decoder each(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(each, "c0 81 85"), R"({"a":5})");
    EXPECT_EQ(decode_hex(each, "80 86"), "D5");
}

// §4: what a dynamic reference names is the identifier remembered.
TEST(FastFeedTraps, OuterIdentifierRememberedBehindADynamicReference) {
    const auto templates = load_all(R"(<template name="A" id="1"><uInt32 name="a"/><templateRef/></template>
                                       <template name="B" id="2"><uInt32 name="b"/></template>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 85 c0 82 86  80 87"),
              R"({"a":5,"<dyn>":{"template":"B","fields":{"b":6}}} {"b":7})");
}

// Design §5 row 17 (mFAST issue 130, EMDI): decoding stopped behind the packet header.
TEST(FastFeedTraps, OnlyTheFirstMessageOfADatagramDecoded) {
    const auto templates = load_all(
        R"(<template name="Header" id="73"><uInt32 name="sender"/><byteVector name="n"><length name="len"/></byteVector></template>
           <template name="T" id="1"><uInt32 name="a"><copy value="1"/></uInt32></template>)");
    Decoder decoder(templates, {.reset = ResetRule::template_id, .reset_template_id = 120});
    EXPECT_EQ(decode_hex(decoder, "c0 c9 9e 84 00 00 0b ce  c0 f8  e0 81 85  80"),
              R"({"sender":30,"n":"hex:00000bce"} {} {"a":5} {"a":5})");
}

// Design §5 row 43 (MOEX forum): the four bytes before the message are no FAST.
TEST(FastFeedTraps, PacketNumberDecodedAsFast) {
    const std::vector<std::byte> payload = test::from_hex("48 ad 00 00 c0 81 85");
    const framing::Datagram datagram = framing::split(
        payload, {.bytes = 4, .sequence_bytes = 4, .sequence_order = framing::ByteOrder::little});
    EXPECT_EQ(datagram.sequence, 44360u);
    Decoder decoder(load_one(R"(<uInt32 name="a"/>)"), {.reset = ResetRule::datagram});
    decoder.begin(datagram.body, 0);
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(decoder.message().start(), 0u);
    EXPECT_EQ(decoder.message().end(), 3u);
    EXPECT_EQ(decode_hex(decoder, "48 ad 00 00 c0 81 85"), "D9") << "with them";
}

// §13: a wrong message is dropped whole; where the dictionary outlives it nothing more is believed.
TEST(FastFeedTraps, ValuesBelievedBehindAnError) {
    Decoder decoder(load_one(R"(<uInt32 name="a"><copy/></uInt32>)"), {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85  a0 10 00 00 00 80  80"), R"({"a":5} D2)");
    EXPECT_EQ(decode_hex(decoder, "80"), "poisoned");
}

// Design §5 row 11 (mFAST issue 80): memory grew while EMDI was decoded; texts of a message go with it.
TEST(FastFeedTraps, MemoryGrowsWhileDecoding) {
    Decoder decoder(load_one(R"(<string name="a"><delta/></string>)"),
                    {.reset = ResetRule::never, .limits = {.scratch_bytes_max = 32}});
    EXPECT_EQ(decode_hex(decoder, "c0 81 80 41 42 43 c4"), R"({"a":"ABCD"})");
    for (int i = 0; i < 1'000; ++i)
        ASSERT_EQ(decode_hex(decoder, "80 81 c5"), R"({"a":"ABCE"})") << "message " << i;
}

// Design §5 row 38 (rs-fastlib issue 10, SSE): a copy without context, and a cut message lost everything.
TEST(FastFeedTraps, CutDatagramLosesTheMessagesBeforeTheCut) {
    Decoder decoder(load_one(R"(<uInt32 name="a"><copy/></uInt32><uInt32 name="b"/>)"),
                    {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85 86  80 87  80"), R"({"a":5,"b":6} {"a":5,"b":7} truncated)");
    EXPECT_EQ(decode_hex(decoder, "c0 81 86"), "D5") << "without context the copy is an error, no value";
}

}  // namespace
}  // namespace tickpath::fast
