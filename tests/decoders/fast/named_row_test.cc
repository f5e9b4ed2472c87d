#include "decoders/fast/named_row.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::fast {
namespace {

constexpr const char* refresh = R"(
    <uInt32 name="MsgSeqNum"/>
    <group name="Head"><uInt64 name="Time"/></group>
    <sequence name="MDEntries">
      <decimal name="MDEntryPx"/>
      <uInt64 name="MDEntrySize" presence="optional"/>
      <string name="Symbol"/>
      <int32 name="Change"/>
    </sequence>)";
constexpr const char* two_entries = "c0 81 8a 85 82  fe 00 53 db 84 41 c2 ff  82 85 80 c3 81";

class FastNamedRow : public testing::Test {
protected:
    FastNamedRow() : decoder(load_one(refresh), {.reset = ResetRule::datagram}) {
        decoder.begin(bytes, 0);
        EXPECT_TRUE(decoder.next()) << code(decoder.error());
    }
    const std::vector<std::byte> bytes = test::from_hex(two_entries);
    Decoder decoder;
};

TEST_F(FastNamedRow, ReadsByName) {
    const NamedRow message(decoder.message());
    EXPECT_EQ(message.u64("MsgSeqNum"), 10u);
    EXPECT_EQ(message.u64("Head/Time"), 5u);
    const NamedRows entries = message.rows("MDEntries");
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].decimal("MDEntryPx"), (Decimal{10715, -2}));
    EXPECT_EQ(entries[0].u64("MDEntrySize"), 3u);
    EXPECT_TRUE(entries[0].text("Symbol") == "AB");
    EXPECT_EQ(entries[0].i64("Change"), -1);
    EXPECT_EQ(entries[1].decimal("MDEntryPx"), (Decimal{5, 2}));
}

TEST_F(FastNamedRow, IsEmptyWhereThereIsNothing) {
    const NamedRow message(decoder.message());
    const NamedRow second = message.rows("MDEntries")[1];
    EXPECT_FALSE(second.has("MDEntrySize"));
    EXPECT_EQ(second.u64("MDEntrySize"), std::nullopt) << "absent";
    EXPECT_EQ(second.u64("MDEntryPrice"), std::nullopt) << "no such field";
    EXPECT_EQ(second.u64("MDEntryPx"), std::nullopt) << "a decimal";
    EXPECT_EQ(second.decimal("Change"), std::nullopt) << "an integer";
    EXPECT_EQ(message.text("MsgSeqNum"), std::nullopt);
    EXPECT_TRUE(message.rows("Head").empty());
    EXPECT_EQ(message.find("MDEntries/MDEntryPx"), nullptr) << "elements are rows of their own";
}

TEST_F(FastNamedRow, RefusesAnIntegerThatDoesNotFit) {
    const NamedRow first = NamedRow(decoder.message()).rows("MDEntries")[0];
    EXPECT_EQ(first.u64("Change"), std::nullopt) << "-1";
    Decoder large(load_one("<uInt64 name=\"f\"/>"), {.reset = ResetRule::datagram});
    const std::vector<std::byte> max = test::from_hex("c0 81 01 7f 7f 7f 7f 7f 7f 7f 7f ff");
    large.begin(max, 0);
    ASSERT_TRUE(large.next());
    EXPECT_EQ(NamedRow(large.message()).u64("f"), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(NamedRow(large.message()).i64("f"), std::nullopt);
}

TEST_F(FastNamedRow, AllocatesNothing) {
    const Message& message = decoder.message();
    std::uint64_t sum = 0;
    {
        test::AllocationGuard guard;
        for (const NamedRow entry : NamedRow(message).rows("MDEntries"))
            sum += entry.u64("MDEntrySize").value_or(100);
    }
    EXPECT_EQ(sum, 103u);
}

// What a user's own printer looks like.
struct Printer {
    std::ostream& out;
    void operator()(const Field& field, const NamedRow& group) const {
        out << field.name << "{ ";
        for_each_field(group, *this);
        out << "} ";
    }
    void operator()(const Field& field, const NamedRows& rows) const {
        for (const NamedRow row : rows)
            (*this)(field, row);
    }
    void operator()(const Field& field, const NamedMessage& inner) const {
        out << field.name << ' ' << inner.tmpl.label() << ' ';
        (*this)(field, inner.fields);
    }
    void operator()(const Field& field, Decimal value) const {
        out << field.name << '=' << to_text(value) << ' ';
    }
    void operator()(const Field& field, const Text& value) const {
        out << field.name << "='" << value.to_string() << "' ";
    }
    template <std::integral Integer>
    void operator()(const Field& field, Integer value) const {
        out << field.name << '=' << value << ' ';
    }
};

TEST_F(FastNamedRow, IsVisitedFieldByFieldInTemplateOrder) {
    std::ostringstream out;
    for_each_field(NamedRow(decoder.message()), Printer{out});
    EXPECT_EQ(out.str(),
              "MsgSeqNum=10 Head{ Time=5 } "
              "MDEntries{ MDEntryPx=107.15 MDEntrySize=3 Symbol='AB' Change=-1 } "
              "MDEntries{ MDEntryPx=500 Symbol='C' Change=1 } ");
}

TEST_F(FastNamedRow, IsVisitedByAFewLambdas) {
    std::size_t decimals = 0;
    std::size_t others = 0;
    const Overloaded count{[&](const Field&, Decimal) { ++decimals; },
                           [&](const Field&, const auto&) { ++others; }};
    for_each_field(NamedRow(decoder.message()).rows("MDEntries")[1], count);
    EXPECT_EQ(decimals, 1u);
    EXPECT_EQ(others, 2u) << "without the one that is absent";
}

TEST(FastNamedRowOfReference, GoesIntoTheReferredMessage) {
    Decoder decoder(load_all("<template name=\"Outer\" id=\"1\"><templateRef/></template>"
                             "<template name=\"Inner\" id=\"2\"><uInt32 name=\"x\"/></template>"),
                    {.reset = ResetRule::datagram});
    const std::vector<std::byte> bytes = test::from_hex("c0 81 c0 82 87");
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    std::ostringstream out;
    for_each_field(NamedRow(decoder.message()), Printer{out});
    EXPECT_EQ(out.str(), "<dyn> Inner <dyn>{ x=7 } ");
}

}  // namespace
}  // namespace tickpath::fast
