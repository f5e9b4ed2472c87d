#include "decoders/fast/decoder.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::fast {
namespace {

constexpr const char* order_fields = R"(
    <uInt32 name="MsgSeqNum"><increment/></uInt32>
    <sequence name="Entries">
      <string name="Symbol"><copy/></string>
      <decimal name="Price" presence="optional"/>
      <int64 name="Size" presence="optional"><delta/></int64>
    </sequence>)";
// Sequence number 7; A at 1.05 with size 4, then the same symbol without price.
constexpr const char* order_hex = "e0 81 87 82 c0 41 c2 ff 00 e9 85  80 80 81";
constexpr const char* order_json =
    R"({"MsgSeqNum":7,"Entries":[{"Symbol":"AB","Price":{"m":105,"e":-1},"Size":4},{"Symbol":"AB","Size":4}]})";

TEST(FastDecoder, ReadsFieldsResolvedOnce) {
    const auto templates = load_one(order_fields);
    const Template& tmpl = *templates->find_template("T");
    const FieldRef number = *tmpl.field("MsgSeqNum");
    const FieldRef entries = *tmpl.field("Entries");
    const FieldRef symbol = *tmpl.field("Entries/Symbol");
    const FieldRef price = *tmpl.field("Entries/Price");
    const FieldRef size = *tmpl.field("Entries/Size");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    const std::vector<std::byte> bytes = test::from_hex(order_hex);
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next()) << code(decoder.error());
    const Row root = decoder.message().root();
    EXPECT_EQ(root.u64(number), 7u);
    const Rows rows = root.rows(entries);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_TRUE(rows[0].text(symbol) == "AB");
    EXPECT_EQ(rows[0].decimal(price), (Decimal{105, -1}));
    EXPECT_EQ(rows[0].i64(size), 4);
    EXPECT_FALSE(rows[1].has(price));
    EXPECT_EQ(rows[1].decimal(price), Decimal{});
    EXPECT_EQ(rows[1].text(symbol)[1], 'B');
    EXPECT_FALSE(decoder.next());
    EXPECT_EQ(decoder.error(), Errc::ok);
    EXPECT_FALSE(tmpl.field("Entries/Volume"));
    EXPECT_FALSE(tmpl.field("MsgSeqNum/Price"));
}

TEST(FastDecoder, TellsWhereEachMessageStartsAndEnds) {
    const auto templates = load_all(R"(<template name="A" id="1"><uInt32 name="a"/></template>
                                       <template id="300"><string name="s"/></template>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    const std::vector<std::byte> bytes = test::from_hex("c0 81 85  c0 02 ac 41 c2");
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(decoder.message().start(), 0u);
    EXPECT_EQ(decoder.message().end(), 3u);
    EXPECT_EQ(decoder.message().template_id(), 1u);
    EXPECT_EQ(decoder.message().tmpl().label(), "A");
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(decoder.message().start(), 3u);
    EXPECT_EQ(decoder.message().end(), 8u);
    EXPECT_EQ(decoder.message().template_index(), 1u);
    EXPECT_EQ(decoder.message().tmpl().label(), "300") << "without a name the id is the label";
    EXPECT_EQ(decoder.counts().messages, 2u);
}

TEST(FastDecoder, AnEmptyDatagramHoldsNoMessage) {
    Decoder decoder(load_one(order_fields), {.reset = ResetRule::datagram});
    decoder.begin({}, 0);
    EXPECT_FALSE(decoder.next());
    EXPECT_EQ(decoder.error(), Errc::ok);
}

// ---- the frame
// -----------------------------------------------------------------------------------------------

TEST(FastDecoder, NeverWritesToTheDatagramOrToForeignTailroom) {
    Decoder decoder(load_one(order_fields), {.reset = ResetRule::datagram});
    const std::vector<std::byte> datagram = test::from_hex(order_hex);
    for (const std::size_t tailroom : {0, 1, 63}) {  // less than 64 bytes are not used
        std::vector<std::byte> buffer = datagram;
        buffer.resize(datagram.size() + 200, std::byte{0x11});
        const std::vector<std::byte> before = buffer;
        decoder.begin({buffer.data(), datagram.size()}, tailroom);
        ASSERT_TRUE(decoder.next());
        EXPECT_EQ(buffer, before) << "tailroom " << tailroom;
    }
}

TEST(FastDecoder, PutsSentinelsIntoItsOwnTailroomOnly) {
    const auto templates = load_one(order_fields);
    const std::size_t padding = templates->program().padding_bytes;
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    const std::vector<std::byte> datagram = test::from_hex(order_hex);
    std::vector<std::byte> buffer = datagram;
    buffer.resize(datagram.size() + padding + 8, std::byte{0x11});
    decoder.begin({buffer.data(), datagram.size()}, padding);
    ASSERT_TRUE(decoder.next());
    EXPECT_TRUE(std::equal(datagram.begin(), datagram.end(), buffer.begin()));
    EXPECT_TRUE(
        std::all_of(buffer.end() - 8, buffer.end(), [](std::byte b) { return b == std::byte{0x11}; }));
    EXPECT_TRUE(decoder.message().root().rows(*templates->all()[0].field("Entries"))[0].text(
                    *templates->all()[0].field("Entries/Symbol")) == "AB");
}

// One segment of 200 reads runs further into the sentinels than any fixed padding would allow.
TEST(FastDecoder, PadsByWhatTheTemplatesNeed) {
    std::string fields;
    for (int i = 0; i < 200; ++i)
        fields += "<decimal name=\"f" + std::to_string(i) + "\"/>";
    const auto templates = load_one(fields);
    EXPECT_GT(templates->program().padding_bytes, 400u);
    Decoder decoder(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 81"), "truncated");
    std::vector<std::byte> buffer = test::from_hex("c0 81 81");
    buffer.resize(3 + 400, std::byte{0x11});  // tailroom that is too short for these templates
    decoder.begin({buffer.data(), 3}, 400);
    EXPECT_FALSE(decoder.next());
    EXPECT_EQ(decoder.error(), Errc::truncated);
    EXPECT_EQ(buffer[3], std::byte{0x11});
}

TEST(FastDecoder, FailsAtEveryTruncationPoint) {
    const std::vector<std::byte> whole = test::from_hex(order_hex);
    const auto templates = load_one(order_fields);
    for (const bool has_tailroom : {false, true}) {
        for (std::size_t size = 1; size < whole.size(); ++size) {
            Decoder decoder(templates, {.reset = ResetRule::datagram});
            std::vector<std::byte> buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
            buffer.resize(size + 256);
            decoder.begin({buffer.data(), size}, has_tailroom ? 256 : 0);
            EXPECT_FALSE(decoder.next()) << "size " << size;
            EXPECT_EQ(decoder.error(), Errc::truncated) << "size " << size;
            EXPECT_LE(decoder.error_place().offset, size);
        }
    }
}

// ---- errors
// --------------------------------------------------------------------------------------------------

TEST(FastDecoder, NamesThePlaceOfAnError) {
    Decoder decoder(load_one(order_fields), {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "e0 81 87 81 c0 c1 c0 81 81"), "R1");
    const DecodeError place = decoder.error_place();
    EXPECT_EQ(place.error, Errc::r1);
    EXPECT_EQ(place.template_label, "T");
    EXPECT_EQ(place.template_id, 1u);
    EXPECT_EQ(place.field, "Entries/Price");
    EXPECT_EQ(place.offset, 7u) << "behind the exponent";
}

TEST(FastDecoder, NamesAnUnknownTemplateByItsIdentifier) {
    Decoder decoder(load_one(order_fields), {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 02 ac 81"), "D9");
    EXPECT_EQ(decoder.error_place().template_id, 300u);
    EXPECT_EQ(decoder.error_place().template_label, "");
}

TEST(FastDecoder, LosesTheRestOfTheDatagramAfterAnErrorButNotTheNextOne) {
    Decoder decoder(load_one(R"(<uInt32 name="a"/>)"), {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(decoder, "c0 81 85  80 10 00 00 00 80  80 86"), R"({"a":5} D2)");
    EXPECT_FALSE(decoder.next());
    EXPECT_EQ(decode_hex(decoder, "c0 81 87"), R"({"a":7})");
}

TEST(FastDecoder, IsPoisonedAfterAnErrorWhereDictionariesOutliveTheMessage) {
    const auto templates = load_all(R"(<template name="T" id="1"><uInt32 name="a"><copy/></uInt32></template>
                                       <template name="R" id="120" reset="Y"/>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85"), R"({"a":5})");
    EXPECT_EQ(decode_hex(decoder, "e0 81 10 00 00 00 80"), "D2");
    EXPECT_TRUE(decoder.poisoned());
    EXPECT_EQ(decode_hex(decoder, "e0 81 86"), "poisoned");
    EXPECT_EQ(decode_hex(decoder, "c0 81"), "poisoned") << "values would look right and be wrong";
    EXPECT_EQ(decode_hex(decoder, "c0 f8 e0 81 87"), R"({} {"a":7})") << "a reset message lifts it";
    EXPECT_EQ(decode_hex(decoder, "c0 85"), "D9");
    decoder.reset();
    EXPECT_FALSE(decoder.poisoned());
    EXPECT_EQ(decode_hex(decoder, "e0 81 88"), R"({"a":8})");
}

// Found by the fuzzer: the identifier's last byte came from behind the datagram.
TEST(FastDecoder, RemembersNoIdentifierThatIsCutOff) {
    Decoder decoder(load_one(R"(<uInt32 name="a"/>)"), {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "c0 7f"), "truncated");
    decoder.lift_poison();
    EXPECT_EQ(decode_hex(decoder, "80 85"), "D5");
}

// Found by made-up templates at their nightly count: the text's place was read in the next datagram.
TEST(FastDecoder, ForgetsTextsOfTheMessageThatFailedWhenPoisonIsLifted) {
    Decoder decoder(load_one(R"(<string name="s"><copy/></string><uInt32 name="a"/>)"),
                    {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "e0 81 41 42 43 44 45 c6 10 00 00 00 80"), "D2");
    decoder.lift_poison();
    EXPECT_EQ(decode_hex(decoder, "80 85"), "D5");
}

// The number that is to be replaced lies where the text would: read as one it would point anywhere.
TEST(FastDecoder, AFailedOverwriteOfAnotherTypeLeavesNothingToRead) {
    Decoder decoder(load_one(R"(<byteVector name="b"><copy key="k"/></byteVector>
                                <uInt32 name="n"><copy key="k"/></uInt32>)"),
                    {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "f0 81 81 41 0f 7f 7f 7f ff"), R"({"b":"hex:41","n":4294967295})");
    EXPECT_EQ(decode_hex(decoder, "a0 82 41"), "truncated") << "two bytes are announced, one is there";
    decoder.lift_poison();
    EXPECT_EQ(decode_hex(decoder, "80"), "D6");
}

TEST(FastDecoder, IsPoisonedByDatagramsThatItHasNotSeen) {
    for (const ResetRule rule : {ResetRule::never, ResetRule::template_id}) {
        Decoder decoder(load_one(R"(<uInt32 name="a"><delta/></uInt32>)"),
                        {.reset = rule, .reset_template_id = 120});
        EXPECT_EQ(decode_hex(decoder, "c0 81 85"), R"({"a":5})");
        decoder.poison();
        EXPECT_EQ(decode_hex(decoder, "80 81"), "poisoned");
        EXPECT_EQ(decode_hex(decoder, "c0 81 81"), "poisoned");
        decoder.reset();
        EXPECT_EQ(decode_hex(decoder, "c0 81 81"), R"({"a":1})");
    }
    Decoder each_anew(load_one(R"(<uInt32 name="a"><delta/></uInt32>)"), {.reset = ResetRule::datagram});
    each_anew.poison();
    EXPECT_EQ(decode_hex(each_anew, "c0 81 85"), R"({"a":5})");
}

TEST(FastDecoder, IsNotPoisonedWhereEachDatagramStartsAnew) {
    for (const ResetRule rule : {ResetRule::message, ResetRule::datagram}) {
        Decoder decoder(load_one(R"(<uInt32 name="a"><copy/></uInt32>)"), {.reset = rule});
        EXPECT_EQ(decode_hex(decoder, "c0 81"), "D5");
        EXPECT_EQ(decode_hex(decoder, "e0 81 85"), R"({"a":5})");
    }
}

// ---- resets
// --------------------------------------------------------------------------------------------------

TEST(FastDecoder, ForgetsByItsRule) {
    const auto templates = load_one(R"(<uInt32 name="a" presence="optional"><copy/></uInt32>)");
    Decoder by_message(templates, {.reset = ResetRule::message});
    EXPECT_EQ(decode_hex(by_message, "e0 81 86  c0 81"), R"({"a":5} {})");
    EXPECT_EQ(decode_hex(by_message, "e0 81 86  80"), R"({"a":5} D5)") << "the identifier is forgotten too";
    Decoder by_datagram(templates, {.reset = ResetRule::datagram});
    EXPECT_EQ(decode_hex(by_datagram, "e0 81 86  80"), R"({"a":5} {"a":5})");
    EXPECT_EQ(decode_hex(by_datagram, "c0 81"), "{}");
    Decoder never(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(never, "e0 81 86"), R"({"a":5})");
    EXPECT_EQ(decode_hex(never, "80"), R"({"a":5})");
}

TEST(FastDecoder, HonoursBothSpellingsOfTheResetAttributeWhateverTheRule) {
    for (const char* const attribute :
         {"reset=\"Y\"", "reset=\"T\"", "reset=\"yes\"", "reset=\"true\"",
          "xmlns:scp=\"http://www.fixprotocol.org/ns/fast/scp/1.1\" scp:reset=\"yes\""}) {
        const auto templates = load_all(
            "<template name=\"R\" id=\"120\" " + std::string(attribute) +
            "/><template name=\"T\" id=\"1\"><uInt32 name=\"a\"><copy value=\"1\"/></uInt32></template>");
        Decoder decoder(templates, {.reset = ResetRule::never});
        EXPECT_EQ(decode_hex(decoder, "e0 81 85  c0 f8  c0 81"), R"({"a":5} {} {"a":1})") << attribute;
        EXPECT_EQ(decode_hex(decoder, "80  c0 f8  80"), R"({"a":1} {} {})")
            << "the reset message's own identifier is remembered";
    }
}

TEST(FastDecoder, ResetsByAnIdentifierThatTheTemplatesDoNotHave) {
    const auto templates = load_one(R"(<uInt32 name="a"><copy value="1"/></uInt32>)");
    Decoder decoder(templates, {.reset = ResetRule::template_id, .reset_template_id = 120});
    EXPECT_EQ(decode_hex(decoder, "e0 81 85  c0 f8  c0 81"), R"({"a":5} {} {"a":1})");
    const std::vector<std::byte> bytes = test::from_hex("c0 f8");
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    EXPECT_EQ(decoder.message().template_index(), Message::no_template);
    EXPECT_EQ(decoder.message().template_id(), 120u);
    EXPECT_EQ(decoder.message().tmpl().label(), "120");
    EXPECT_EQ(decode_hex(decoder, "c0 f9"), "D9") << "only this identifier";
    EXPECT_EQ(decode_hex(decoder, "c0 f8 c0 81"), R"({} {"a":1})") << "and it lifts poison";
}

// ---- texts that outlive their datagram
// -----------------------------------------------------------------------

TEST(FastDecoder, KeepsTextsWhenTheirDatagramIsGone) {
    const auto templates = load_one(R"(<string name="a"><copy/></string><string name="b"><delta/></string>
                                       <byteVector name="c"><tail/></byteVector>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "f0 81 41 42 c3  80 58 d9  82 01 02"),
              R"({"a":"ABC","b":"XY","c":"hex:0102"})");
    EXPECT_EQ(decode_hex(decoder, "90  81 da  81 03"), R"({"a":"ABC","b":"XZ","c":"hex:0103"})");
    EXPECT_EQ(decode_hex(decoder, "80  80 80"), R"({"a":"ABC","b":"XZ","c":"hex:0103"})");
}

// The second element overwrites the entry that the first one was read from.
TEST(FastDecoder, RowsKeepTheTextTheyWereDecodedWith) {
    const auto templates = load_one(R"(<sequence name="s"><string name="a"><copy/></string></sequence>)");
    Decoder decoder(templates, {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(decoder, "c0 81 81 c0 c1"), R"({"s":[{"a":"A"}]})");
    EXPECT_EQ(decode_hex(decoder, "80 83 80 c0 c2 c0 c3"), R"({"s":[{"a":"A"},{"a":"B"},{"a":"C"}]})");
    EXPECT_EQ(decode_hex(decoder, "80 82 80 c0 c4"), R"({"s":[{"a":"C"},{"a":"D"}]})");
    EXPECT_EQ(decode_hex(decoder, "80 81 80"), R"({"s":[{"a":"D"}]})");
}

// ---- limits
// --------------------------------------------------------------------------------------------------

TEST(FastDecoder, BoundsSequenceLengths) {
    const std::string fields = R"(<sequence name="s"><uInt32 name="a"/></sequence>)";
    EXPECT_EQ(decode_once(fields, "c0 81 0f 7f 7f 7f ff 81"), "limit");
    EXPECT_EQ(decode_once(fields, "c0 81 85 81 82"), "truncated") << "more elements than bytes";
    Decoder decoder(load_one(fields), {.reset = ResetRule::datagram, .limits = {.sequence_length_max = 2}});
    EXPECT_EQ(decode_hex(decoder, "c0 81 82 81 82"), R"({"s":[{"a":1},{"a":2}]})");
    EXPECT_EQ(decode_hex(decoder, "c0 81 83 81 82 83"), "limit");
}

TEST(FastDecoder, BoundsStringsAndPresenceMapsWithTheirPlace) {
    Decoder strings(load_one(R"(<uInt32 name="n"/><string name="a"/><byteVector name="b"/>)"),
                    {.reset = ResetRule::datagram, .limits = {.string_bytes_max = 8}});
    EXPECT_EQ(decode_hex(strings, "c0 81 81 41 41 41 41 41 41 41 c1 81 42"),
              R"({"n":1,"a":"AAAAAAAA","b":"hex:42"})");
    EXPECT_EQ(decode_hex(strings, "c0 81 81 41 41 41 41 41 41 41 41 c1 81 42"), "limit");
    EXPECT_EQ(strings.error_place().field, "a");
    EXPECT_EQ(decode_hex(strings, "c0 81 81 c1 89 42 42 42 42 42 42 42 42 42"), "limit");
    EXPECT_EQ(strings.error_place().field, "b");
    EXPECT_GE(strings.error_place().offset, 4u);

    std::string xml;
    for (int i = 0; i < 20; ++i)
        xml += "<uInt32 name=\"f" + std::to_string(i) + "\" presence=\"optional\"><copy/></uInt32>";
    Decoder maps(load_one(xml), {.reset = ResetRule::datagram, .limits = {.map_bytes_max = 3}});
    EXPECT_EQ(decode_hex(maps, "40 00 81 81 85"), R"({"f19":4})");
    EXPECT_EQ(decode_hex(maps, "40 00 00 81 81"), "limit");
    EXPECT_EQ(maps.error_place().offset, 0u) << "the map's first byte";
}

TEST(FastDecoder, BoundsElementsThatTakeNoBytes) {
    const auto templates =
        load_one(R"(<sequence name="s"><uInt32 name="a"><constant value="7"/></uInt32></sequence>)");
    Decoder decoder(templates, {.reset = ResetRule::datagram, .limits = {.row_words_max = 100}});
    EXPECT_EQ(decode_hex(decoder, "c0 81 82"), R"({"s":[{"a":7},{"a":7}]})");
    EXPECT_EQ(decode_hex(decoder, "c0 81 01 80"), "limit") << "128 rows do not fit 100 words";
}

TEST(FastDecoder, BoundsTextsAndDatagrams) {
    const auto templates = load_one(R"(<string name="a"><copy/></string>)");
    Decoder decoder(templates, {.reset = ResetRule::never,
                                .limits = {.datagram_bytes_max = 64, .dictionary_text_bytes_max = 4}});
    EXPECT_EQ(decode_hex(decoder, "e0 81 41 41 41 c1"), R"({"a":"AAAA"})");
    EXPECT_EQ(decode_hex(decoder, "a0 41 41 41 41 c1"), "limit")
        << "five characters that would have to be kept";
    decoder.reset();
    std::string longer = "e0 81 ";
    for (int i = 0; i < 64; ++i)
        longer += "41 ";
    EXPECT_EQ(decode_hex(decoder, longer + "c1"), "limit") << "a datagram longer than the copy buffer";
}

TEST(FastDecoder, BoundsTextsPutTogether) {
    Decoder decoder(load_one(R"(<string name="a"><delta value="ABCDEFGH"/></string>)"),
                    {.reset = ResetRule::datagram, .limits = {.scratch_bytes_max = 16}});
    EXPECT_EQ(decode_hex(decoder, "c0 81 80 c9"), R"({"a":"ABCDEFGHI"})");
    EXPECT_EQ(decode_hex(decoder, "c0 81 80 c9  80 80 ca"), R"({"a":"ABCDEFGHI"} limit)");
}

// ---- memory and threads
// --------------------------------------------------------------------------------------

TEST(FastDecoder, AllocatesNothingWhileDecoding) {
    const auto templates =
        load_all(std::string(R"(<template name="T" id="1">)") + order_fields +
                 R"(</template><template name="D" id="2"><string name="d"><delta/></string></template>)");
    const std::vector<std::byte> good = test::from_hex(std::string(order_hex) + " c0 82 80 41 c2 80 81 c3");
    const std::vector<std::byte> bad = test::from_hex("e0 81 87 82 c0 41 c2 ff 00 e9");
    for (const ResetRule rule : {ResetRule::message, ResetRule::datagram, ResetRule::never}) {
        Decoder decoder(templates, {.reset = rule});
        const test::AllocationGuard guard;
        for (int i = 0; i < 100; ++i) {
            decoder.begin(i % 7 == 6 ? bad : good, 0);
            while (decoder.next()) {
            }
            if (decoder.error() != Errc::ok) decoder.reset();
        }
    }
}

TEST(FastDecoder, MovesWithItsState) {
    Decoder first(load_one(R"(<string name="a"><copy/></string>)"), {.reset = ResetRule::never});
    EXPECT_EQ(decode_hex(first, "e0 81 41 c2"), R"({"a":"AB"})");
    Decoder second = std::move(first);
    EXPECT_EQ(decode_hex(second, "80"), R"({"a":"AB"})");
}

TEST(FastDecoder, SharesTemplatesBetweenThreads) {
    const auto templates = load_one(order_fields);
    std::vector<std::string> results(4);
    std::vector<std::thread> threads;
    for (std::string& result : results)
        threads.emplace_back([&] {
            Decoder decoder(templates, {.reset = ResetRule::datagram});
            for (int i = 0; i < 200; ++i)
                result = decode_hex(decoder, order_hex);
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const std::string& result : results)
        EXPECT_EQ(result, order_json);
}

}  // namespace
}  // namespace tickpath::fast
