#include "decoders/framing/nse_layout.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/nse_datagram.h"

namespace tickpath::framing::nse {
namespace {

// A small good file; tests break one thing of it.
const std::string good = R"(<messages>
<message segment="fo cm" code="9001 9002" length="70">
<field name="NoOfRecords" type="i16" offset="40"/>
<repeat name="Records" count="NoOfRecords" max="2" offset="42" stride="14">
<field name="Token" type="i32" offset="0"/>
<field name="Flag" type="char" offset="5"/>
<repeat name="Levels" count="2" offset="6" stride="4">
<field name="Qty" type="u16" offset="0"/>
</repeat>
</repeat>
</message>
</messages>
)";

std::string replaced(const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string findings(const std::string& xml) {
    Layouts layouts;
    Diagnostics diagnostics;
    const bool is_added = layouts.add(xml, "l.xml", diagnostics);
    EXPECT_EQ(is_added, !diagnostics.has_errors());
    if (diagnostics.has_errors()) {
        EXPECT_TRUE(layouts.all().empty()) << "a bad file adds nothing";
    }
    return diagnostics.format();
}

Layouts presets() {
    Diagnostics diagnostics;
    std::optional<Layouts> layouts = load_layouts("", diagnostics);
    EXPECT_TRUE(layouts) << diagnostics.format();
    return layouts ? *layouts : Layouts();
}

TEST(NseLayouts, ReadEverythingTheyAreTold) {
    Layouts layouts;
    Diagnostics diagnostics;
    ASSERT_TRUE(layouts.add(good, "l.xml", diagnostics)) << diagnostics.format();
    ASSERT_EQ(layouts.all().size(), 4u) << "two segments, two codes";
    const Layout* const layout = layouts.find(Segment::cm, 9002, 70);
    ASSERT_NE(layout, nullptr);
    EXPECT_EQ(layout->line, 2u);
    EXPECT_TRUE(layout->has_header);
    const Repeat* const records = layout->body.find_repeat("Records");
    ASSERT_NE(records, nullptr);
    EXPECT_EQ(records->offset, 42);
    EXPECT_EQ(records->stride, 14);
    EXPECT_EQ(records->count_max, 2);
    const Repeat* const levels = records->find_repeat("Levels");
    ASSERT_NE(levels, nullptr);
    EXPECT_EQ(levels->count_max, 2);
    EXPECT_FALSE(levels->count_field);
    EXPECT_EQ(records->find("Flag")->type, FieldType::text);
    EXPECT_EQ(records->find("Nothing"), nullptr);
}

TEST(NseLayouts, AreChosenBySegmentCodeAndLength) {
    const Layouts layouts = presets();
    EXPECT_NE(layouts.find(Segment::fo, 7208, 470), nullptr);
    EXPECT_NE(layouts.find(Segment::cm, 7208, 566), nullptr);
    EXPECT_EQ(layouts.find(Segment::cm, 7208, 470), nullptr) << "quantities of 32 bits: long gone";
    EXPECT_EQ(layouts.find(Segment::fo, 7208, 566), nullptr);
    EXPECT_EQ(layouts.find(Segment::fo, 17208, 478), nullptr) << "not public";
    EXPECT_EQ(layouts.find(Segment::unknown, 7208, 470), nullptr);
    EXPECT_EQ(Layouts().find(Segment::fo, 7208, 470), nullptr);
}

TEST(NseLayouts, OfTheProgramAreAllThatArePublic) {
    struct Known {
        Segment segment;
        std::int16_t code;
        std::int16_t length;
        std::uint16_t records_max;
    };
    const Layouts layouts = presets();
    // Record counts that the exchange's documents give: the records end where the message does.
    for (const Known& known : std::initializer_list<Known>{{Segment::fo, 7208, 470, 2},
                                                           {Segment::cm, 7208, 566, 2},
                                                           {Segment::fo, 7200, 410, 1},
                                                           {Segment::cm, 7200, 482, 1},
                                                           {Segment::fo, 7202, 484, 17},
                                                           {Segment::fo, 17202, 498, 12},
                                                           {Segment::cm, 18703, 546, 28},
                                                           {Segment::fo, 7201, 472, 5},
                                                           {Segment::fo, 17201, 492, 5},
                                                           {Segment::cm, 7201, 466, 4},
                                                           {Segment::cm, 7215, 482, 11},
                                                           {Segment::cm, 7214, 538, 2},
                                                           {Segment::cm, 7207, 474, 6},
                                                           {Segment::cm, 7216, 474, 6},
                                                           {Segment::cm, 8207, 474, 6},
                                                           {Segment::cm, 7203, 442, 20},
                                                           {Segment::fo, 7220, 344, 25},
                                                           {Segment::fo, 7130, 504, 58},
                                                           {Segment::fo, 17130, 508, 39}}) {
        const Layout* const layout = layouts.find(known.segment, known.code, known.length);
        ASSERT_NE(layout, nullptr) << known.code;
        const Repeat* const records = layout->body.find_repeat("Records");
        ASSERT_NE(records, nullptr) << known.code;
        EXPECT_EQ(records->count_max, known.records_max) << known.code;
        EXPECT_EQ(records->offset + records->stride * records->count_max, known.length) << known.code;
    }
    EXPECT_NE(layouts.find(Segment::fo, 7211, 204), nullptr);
    EXPECT_NE(layouts.find(Segment::cm, 6541, 40), nullptr);
    EXPECT_NE(layouts.find(Segment::cm, 6511, 298), nullptr);
    EXPECT_NE(layouts.find(Segment::fo, 6584, 320), nullptr);
    EXPECT_NE(layouts.find(Segment::cm, 7764, 58), nullptr);
}

TEST(NseLayouts, PadBehindOddCharacters) {
    const Layouts layouts = presets();
    // The proofs of spec nse-broadcast §5: byte-packed tables would put each one byte lower.
    const Repeat* const book = layouts.find(Segment::fo, 7200, 410)->body.find_repeat("Records");
    EXPECT_EQ(book->find("NetPriceChange")->offset, 18);
    const Repeat* const index = layouts.find(Segment::cm, 7207, 474)->body.find_repeat("Records");
    EXPECT_EQ(index->find("IndexValue")->offset, 22);
    EXPECT_EQ(index->stride, 72);
    const Repeat* const industry = layouts.find(Segment::cm, 7203, 442)->body.find_repeat("Records");
    EXPECT_EQ(industry->find("IndexValue")->offset, 16);
    EXPECT_EQ(industry->stride, 20);
}

TEST(NseLayouts, AreReplacedByAFileOfOnesOwn) {
    Layouts layouts = presets();
    const std::size_t count = layouts.all().size();
    Diagnostics diagnostics;
    ASSERT_TRUE(layouts.add(R"(<messages><message segment="fo" code="7208" length="470">
<field name="Mine" type="u8" offset="41"/></message><message segment="fo" code="17208" length="478"/></messages>)",
                            "own.xml", diagnostics))
        << diagnostics.format();
    EXPECT_EQ(layouts.all().size(), count + 1);
    EXPECT_NE(layouts.find(Segment::fo, 7208, 470)->body.find("Mine"), nullptr);
    EXPECT_NE(layouts.find(Segment::fo, 17208, 478), nullptr) << "a new transcode is a file, not code";
    EXPECT_NE(layouts.find(Segment::cm, 7208, 566)->body.find("NoOfRecords"), nullptr);
}

TEST(NseLayouts, ReadNumbersOfEveryWidth) {
    test::Bytes bytes = {std::byte{0x80}, std::byte{1}, std::byte{2}, std::byte{3},
                         std::byte{4},    std::byte{5}, std::byte{6}, std::byte{7}};
    const auto integer = [&](FieldType type) { return Field{"f", type, 0, 8}.integer(bytes.data()); };
    EXPECT_EQ(integer(FieldType::u8), 0x80);
    EXPECT_EQ(integer(FieldType::i16), static_cast<std::int16_t>(0x8001));
    EXPECT_EQ(integer(FieldType::u16), 0x8001);
    EXPECT_EQ(integer(FieldType::i32), static_cast<std::int32_t>(0x8001'0203));
    EXPECT_EQ(integer(FieldType::u32), 0x8001'0203);
    EXPECT_EQ(integer(FieldType::i64), static_cast<std::int64_t>(0x8001'0203'0405'0607));
    EXPECT_EQ(integer(FieldType::f64), 0);
    EXPECT_EQ(integer(FieldType::text), 0);
}

TEST(NseLayouts, CountNoMoreRecordsThanThereIsRoomFor) {
    const Layouts layouts = presets();
    const Repeat* const records = layouts.find(Segment::fo, 7202, 484)->body.find_repeat("Records");
    const auto count = [&](std::int16_t said) {
        const test::Bytes message = test::nse_message({.transcode = 7202}, test::nse_ticker_body({1}, said));
        return records->count(message.data() + prefix_bytes);
    };
    EXPECT_EQ(count(0), 0u);
    EXPECT_EQ(count(17), 17u);
    EXPECT_EQ(count(18), 17u);
    EXPECT_EQ(count(32767), 17u);
    EXPECT_EQ(count(-1), 0u);
}

TEST(NseLayouts, SayWhatIsWrongAndWhere) {
    EXPECT_EQ(findings(good), "");
    struct Case {
        std::string from, to, finding;
    };
    for (const Case& wrong : std::initializer_list<Case>{
             {"<messages>", "<layouts>", "not well-formed XML"},
             {"type=\"i32\" offset=\"0\"", "type=\"i32\" offset=\"1\"", "l.xml:5: offset 1 is odd"},
             {"type=\"i32\"", "type=\"i24\"", "type i24 is not one of"},
             {"type=\"char\"", "type=\"char[0]\"", "type char[0] is not one of"},
             {"type=\"char\" offset=\"5\"", "type=\"char\" offset=\"3\"",
              "belong in part to an earlier field"},
             {"offset=\"42\"", "offset=\"44\"", "bytes 44 to 72 lie outside: there are 70"},
             {"stride=\"4\"", "stride=\"5\"", "even offsets"},
             {"max=\"2\" ", "", "needs max"},
             {"count=\"NoOfRecords\"", "count=\"Records\"", "neither a number nor an integer field"},
             {"count=\"2\"", "count=\"0\"", "not a number from 1 to"},
             {"name=\"Flag\"", "name=\"Token\"", "a second Token"},
             {"segment=\"fo cm\"", "segment=\"fo eq\"", "segment eq is not one of fo, cm, cd"},
             {"code=\"9001 9002\"", "code=\"9001 9001\"", "a second layout of transcode 9001 at length 70"},
             {"code=\"9001 9002\"", "code=\"40000\"", "code 40000 is not a number from 1 to 32767"},
             {"length=\"70\"", "length=\"39\"", "not a number from 40 to 2040"},
             {" length=\"70\"", "", "<message> needs length"},
             {"name=\"Qty\"", "nmae=\"Qty\"", "unknown attribute nmae of <field> (did you mean name?)"},
             {"<field name=\"Qty\"", "<feild name=\"Qty\"", "unknown element feild"},
         }) {
        const std::string found = findings(replaced(wrong.from, wrong.to));
        EXPECT_NE(found.find(wrong.finding), std::string::npos) << wrong.to << "\n" << found;
    }
    EXPECT_NE(findings("<feed/>").find("the outermost element is <feed>, expected <messages>"),
              std::string::npos);
}

TEST(NseLayouts, SayThatAFileCannotBeRead) {
    Diagnostics diagnostics;
    EXPECT_FALSE(load_layouts("/no/such/file.xml", diagnostics));
    EXPECT_NE(diagnostics.format().find("/no/such/file.xml"), std::string::npos);
}

}  // namespace
}  // namespace tickpath::framing::nse
