#include "decoders/fast/bind.h"

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

struct Quote {
    Decimal price;
    std::optional<std::uint64_t> size;
    Text symbol;
    std::int64_t change = 0;
    std::uint64_t size_or_none = 0;
    std::int64_t price_e2 = 0;
    int untouched = 7;
};

TEST(FastBind, FillsAStructFromEachRow) {
    Decoder decoder(load_one(refresh), {.reset = ResetRule::datagram});
    Diagnostics diagnostics;
    const auto quotes = bind_rows<Quote>(decoder.templates().all()[0], "MDEntries", diagnostics,
                                         bind<&Quote::price>("MDEntryPx"), bind<&Quote::size>("MDEntrySize"),
                                         bind<&Quote::symbol>("Symbol"), bind<&Quote::change>("Change"),
                                         bind<&Quote::size_or_none>("MDEntrySize", 99));
    ASSERT_TRUE(quotes) << diagnostics.format();
    const std::vector<std::byte> bytes = test::from_hex(two_entries);
    std::array<Quote, 2> read;
    {
        test::AllocationGuard guard;
        decoder.begin(bytes, 0);
        ASSERT_TRUE(decoder.next());
        std::size_t i = 0;
        for (const Row row : decoder.message().root().rows(quotes->sequence()))
            ASSERT_EQ(quotes->read(row, read[i++]), Errc::ok);
    }
    EXPECT_EQ(read[0].price, (Decimal{10715, -2}));
    EXPECT_EQ(read[0].size, 3u);
    EXPECT_TRUE(read[0].symbol == "AB");
    EXPECT_EQ(read[0].change, -1);
    EXPECT_EQ(read[0].size_or_none, 3u);
    EXPECT_EQ(read[0].untouched, 7);
    EXPECT_EQ(read[1].size, std::nullopt);
    EXPECT_EQ(read[1].size_or_none, 99u) << "absent";
}

struct Header {
    std::uint32_t number = 0;
    std::uint64_t time = 0;
};

TEST(FastBind, ReadsTheMessageItselfAndItsGroups) {
    Decoder decoder(load_one(refresh), {.reset = ResetRule::datagram});
    Diagnostics diagnostics;
    const auto headers =
        bind_rows<Header>(decoder.templates().all()[0], "", diagnostics, bind<&Header::number>("MsgSeqNum"),
                          bind<&Header::time>("Head/Time"));
    ASSERT_TRUE(headers) << diagnostics.format();
    const std::vector<std::byte> bytes = test::from_hex(two_entries);
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    Header header;
    EXPECT_EQ(headers->read(decoder.message().root(), header), Errc::ok);
    EXPECT_EQ(header.number, 10u);
    EXPECT_EQ(header.time, 5u);
}

TEST(FastBind, ScalesExactlyOrSaysSo) {
    Decoder decoder(load_one(refresh), {.reset = ResetRule::datagram});
    Diagnostics diagnostics;
    const Template& tmpl = decoder.templates().all()[0];
    const auto exact =
        bind_rows<Quote>(tmpl, "MDEntries", diagnostics, bind_scaled<&Quote::price_e2>("MDEntryPx", 2));
    const auto coarse =
        bind_rows<Quote>(tmpl, "MDEntries", diagnostics, bind_scaled<&Quote::price_e2>("MDEntryPx", 1),
                         bind<&Quote::change>("Change"));
    ASSERT_TRUE(exact && coarse) << diagnostics.format();
    const std::vector<std::byte> bytes = test::from_hex(two_entries);
    decoder.begin(bytes, 0);
    ASSERT_TRUE(decoder.next());
    const Rows rows = decoder.message().root().rows(exact->sequence());
    Quote quote;
    EXPECT_EQ(exact->read(rows[0], quote), Errc::ok);
    EXPECT_EQ(quote.price_e2, 10715);
    EXPECT_EQ(exact->read(rows[1], quote), Errc::ok);
    EXPECT_EQ(quote.price_e2, 50000);
    EXPECT_EQ(coarse->read(rows[0], quote), Errc::inexact) << "107.15 at one place";
    EXPECT_EQ(quote.price_e2, 50000) << "not touched";
    EXPECT_EQ(quote.change, -1) << "the others are read";
}

// One binding that must be refused, and the text that says why.
template <class Struct, class... Bound>
std::string refusal(std::string_view sequence, Bound... bound) {
    const auto templates = load_one(refresh);
    Diagnostics diagnostics;
    EXPECT_FALSE((bind_rows<Struct>(templates->all()[0], sequence, diagnostics, bound...)));
    return diagnostics.format();
}

TEST(FastBind, RefusesNamesThatAreNotThere) {
    const std::string text = refusal<Quote>("MDEntries", bind<&Quote::price>("MDEntryPy"));
    EXPECT_NE(text.find("test.xml:1: "), std::string::npos) << text;
    EXPECT_NE(text.find("no field \"MDEntryPy\" there; did you mean \"MDEntryPx\"?"), std::string::npos)
        << text;
    EXPECT_NE(
        refusal<Quote>("MDEntrys", bind<&Quote::price>("MDEntryPx")).find("did you mean \"MDEntries\"?"),
        std::string::npos);
    EXPECT_NE(refusal<Quote>("Head", bind<&Quote::price>("Time")).find("is a group, expected a sequence"),
              std::string::npos);
    EXPECT_NE(refusal<Quote>("", bind<&Quote::price>("MDEntries/MDEntryPx")).find("expected a group"),
              std::string::npos);
}

TEST(FastBind, RefusesTypesThatDoNotHoldEveryValue) {
    struct Narrow {
        std::uint32_t time = 0;
        std::int64_t price = 0;
        std::int64_t size = 0;
        Decimal symbol;
    };
    EXPECT_NE(refusal<Narrow>("", bind<&Narrow::time>("Head/Time"))
                  .find("test.xml:3: D1: field \"Time\" is a uInt64, and a member of type std::uint32_t"),
              std::string::npos);
    EXPECT_NE(refusal<Narrow>("MDEntries", bind<&Narrow::price>("MDEntryPx")).find("D1"), std::string::npos);
    EXPECT_NE(refusal<Narrow>("MDEntries", bind<&Narrow::size>("MDEntrySize", 0)).find("D1"),
              std::string::npos)
        << "uInt64 into int64";
    EXPECT_NE(refusal<Narrow>("MDEntries", bind<&Narrow::symbol>("Symbol")).find("D1"), std::string::npos);
    EXPECT_NE(refusal<Narrow>("MDEntries", bind_scaled<&Narrow::size>("Change", 2)).find("D1"),
              std::string::npos);
}

TEST(FastBind, WantsAnAnswerForFieldsThatMayBeAbsent) {
    EXPECT_NE(refusal<Quote>("MDEntries", bind<&Quote::size_or_none>("MDEntrySize")).find("may be absent"),
              std::string::npos);
}

TEST(FastBind, SaysEverythingThatIsWrong) {
    const std::string text =
        refusal<Quote>("MDEntries", bind<&Quote::price>("Symbol"), bind<&Quote::change>("Chang"));
    EXPECT_NE(text.find("D1"), std::string::npos) << text;
    EXPECT_NE(text.find("\"Change\"?"), std::string::npos) << text;
}

}  // namespace
}  // namespace tickpath::fast
