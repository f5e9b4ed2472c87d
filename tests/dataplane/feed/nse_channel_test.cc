// What an NSE channel makes of its datagrams: books, trades, news, and what it refuses.
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/framing/nse.h"
#include "tests/dataplane/feed/nse_lab.h"
#include "tests/dataplane/feed/plain_books.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::feed {
namespace {

namespace flag = model::tick_flag;
using model::Tick;
using model::TickKind;
using test::Bytes;
using test::NseLab;

/// "clear", "bid+1 3095x75", "ask-2", "trade 5490x10", "valid", …: what a tick says; "." ends an event.
std::string text_of(const Tick& tick) {
    std::string out;
    switch (tick.kind) {
        case TickKind::clear:
            out = "clear";
            break;
        case TickKind::status:
            out = tick.action == model::TickAction::set_valid ? "valid" : "invalid";
            break;
        case TickKind::quote:
            out = (tick.side == model::Side::bid ? "bid" : "ask") +
                  std::string(1, "+=-"[static_cast<int>(tick.action)]) + std::to_string(tick.level);
            break;
        case TickKind::trade:
            out = "trade";
            break;
        case TickKind::open_interest:
            out = "oi";
            break;
        case TickKind::index:
            out = "index";
            break;
        case TickKind::session:
            out = "session";
            break;
    }
    if (tick.price != 0 || tick.quantity != 0)
        out += ' ' + std::to_string(tick.price) + 'x' + std::to_string(tick.quantity);
    if (tick.has(flag::last_of_packet)) return out + '!';
    return tick.has(flag::last_of_event) ? out + '.' : out;
}
std::vector<std::string> texts_of(const std::vector<Tick>& ticks) {
    std::vector<std::string> out;
    for (const Tick& tick : ticks)
        out.push_back(text_of(tick));
    return out;
}
using Texts = std::vector<std::string>;

/// The real message with one record of one level a side: short stories.
Bytes short_message() {
    Bytes message = test::nse_real_message();
    test::set_big(message, 8 + 40, 1, 2);
    for (std::size_t level = 1; level < 5; ++level) {
        test::set_level(message, 0, false, level, 0, 0);
        test::set_level(message, 0, true, level, 0, 0);
    }
    return message;
}

TEST(NseChannel, MakesTheBooksOfTheRealDatagram) {
    NseLab lab;
    lab.put(test::nse_datagram(2, 1, {test::packed_block(test::from_hex(test::nse_real_block))}));
    const std::vector<Tick> ticks = lab.taken();
    EXPECT_EQ(texts_of(ticks), (Texts{"clear",
                                      "bid+1 3095x75",
                                      "bid+2 2100x1050",
                                      "bid+3 1740x3000",
                                      "bid+4 1225x300",
                                      "bid+5 650x3000",
                                      "ask+1 4565x150",
                                      "ask+2 4570x75",
                                      "ask+3 16220x7350",
                                      "ask+4 16225x750",
                                      "ask+5 18255x75",
                                      "valid",
                                      "clear",
                                      "bid+1 72180x750",
                                      "bid+2 72175x7350",
                                      "bid+3 65190x375",
                                      "bid+4 64840x7500",
                                      "ask+1 89335x750",
                                      "ask+2 89340x7350",
                                      "valid!"}));
    EXPECT_EQ(lab.bench.key(ticks.front()), "fo|53673");
    EXPECT_EQ(lab.bench.key(ticks.back()), "fo|53682");
    EXPECT_EQ(ticks.front().entry_index, no_entry);
    EXPECT_EQ(ticks[1].entry_index, 0);
    EXPECT_EQ(ticks[13].entry_index, 1);
    EXPECT_EQ(ticks.front().sending_time, 1'600'411'263'214'614'868u) << "TimeStamp2, in Unix nanoseconds";
    EXPECT_EQ(ticks.front().packet_sequence, 1u);
    EXPECT_EQ(lab.count("messages_7208_470"), 1u);
    EXPECT_EQ(lab.count("blocks"), 1u);
    EXPECT_EQ(lab.count("block_bytes"), 237u);
    EXPECT_EQ(lab.count("message_bytes"), 478u);
    EXPECT_EQ(lab.bench.report().channels[0].books.valid, 2u);
}

TEST(NseChannel, TurnsAFullBookIntoChanges) {
    NseLab lab;
    Bytes message = short_message();
    test::set_level(message, 0, false, 1, 3'000, 10);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"clear", "bid+1 3095x75", "bid+2 3000x10", "ask+1 4565x150", "valid!"}));
    test::set_level(message, 0, false, 0, 3'100, 80);
    test::set_level(message, 0, false, 1, 0, 0);
    test::set_level(message, 0, true, 1, 4'600, 20);
    test::set_level(message, 0, true, 2, 4'700, 30);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"bid=1 3100x80", "bid-2", "ask=1 4565x150", "ask+2 4600x20", "ask+3 4700x30!"}));
    for (std::size_t level = 0; level < 3; ++level)
        test::set_level(message, 0, true, level, 0, 0);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3100x80", "ask-3", "ask-2", "ask-1!"}));
    test::set_level(message, 0, false, 0, 0, 0);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid-1!"}));
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"valid!"}))
        << "empty as before: an event still has its last tick";
}

TEST(NseChannel, MakesBooksInvalidWhenTheirPortLosesItsLink) {
    NseLab lab;
    const Bytes message = short_message();
    lab.put_message(message);
    (void)lab.taken();
    lab.bench.lose_link(0);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"invalid!"}));
    EXPECT_EQ(lab.bench.report().channels[0].books.valid, 0u);
    EXPECT_EQ(lab.count("feed_silences"), 0u);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"clear", "bid+1 3095x75", "ask+1 4565x150", "valid!"}));
}

TEST(NseChannel, SaysInTheReceiversClockWhenBooksBecameInvalid) {
    NseLab lab(test::nse_description(), {}, true);
    lab.put_message(short_message());
    const Tick said = lab.taken().back();
    ASSERT_EQ(said.rx_domain, model::TimeDomain::cycles);
    lab.bench.lose_link(0);
    const Tick invalid = lab.taken().back();
    EXPECT_EQ(text_of(invalid), "invalid!");
    EXPECT_EQ(invalid.rx_domain, model::TimeDomain::cycles);
    EXPECT_EQ(invalid.rx_time, said.rx_time) << "cycles, as the domain says, of which two make a nanosecond";
    EXPECT_EQ(invalid.rx_cycles, said.rx_cycles);
}

TEST(NseChannel, EndsAnEventWithEachMessage) {
    NseLab lab;
    const Bytes message = short_message();
    lab.put(
        test::nse_datagram(2, 3, {test::packed(message), test::packed_raw(message), test::packed(message)}));
    const std::vector<Tick> ticks = lab.taken();
    EXPECT_EQ(texts_of(ticks), (Texts{"clear", "bid+1 3095x75", "ask+1 4565x150", "valid.", "bid=1 3095x75",
                                      "ask=1 4565x150.", "bid=1 3095x75", "ask=1 4565x150!"}));
    EXPECT_EQ(ticks.back().message_index, 2);
    EXPECT_EQ(lab.count("messages_raw"), 1u);
}

TEST(NseChannel, TellsTradesByTheVolumeOfTheDay) {
    NseLab lab;
    Bytes message = short_message();
    test::set_volume(message, 0, 1'000);
    lab.put_message(message);
    (void)lab.taken();
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask=1 4565x150!"})) << "nothing was traded";
    test::set_volume(message, 0, 1'075);
    lab.put_message(message);
    const std::vector<Tick> ticks = lab.taken();
    EXPECT_EQ(texts_of(ticks), (Texts{"trade 5490x75", "bid=1 3095x75", "ask=1 4565x150!"}));
    EXPECT_EQ(ticks[0].exchange_time, framing::nse::unix_ns_of_seconds(1'284'736'491)) << "two days before";
    EXPECT_EQ(ticks[1].exchange_time, 0u);
    test::set_volume(message, 0, 900);
    test::set_time(message, 1);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask=1 4565x150!"}));
    EXPECT_EQ(lab.count("nse_volume_steps_back"), 1u);
}

TEST(NseChannel, CountsVolumeBeyond32Bits) {
    NseLab lab;
    Bytes message = short_message();
    test::set_volume(message, 0, 0xFFFF'FFF0);
    lab.put_message(message);
    (void)lab.taken();
    test::set_volume(message, 0, 16, '1');
    lab.put_message(message);
    EXPECT_EQ(text_of(lab.taken()[0]), "trade 5490x32");
    EXPECT_EQ(lab.count("nse_volume_steps_back"), 0u);
}

TEST(NseChannel, HasNoLevelForOrdersAtTheOpen) {
    NseLab lab;
    Bytes message = short_message();
    test::set_level(message, 0, false, 4, -1, 500);
    lab.put_message(message);
    (void)lab.taken();
    EXPECT_EQ(lab.count("nse_levels_at_open"), 0u) << "behind an empty level stands nothing";
    for (std::size_t level = 1; level < 4; ++level)
        test::set_level(message, 0, false, level, 3'000 - static_cast<std::int64_t>(level), 10);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"bid=1 3095x75", "bid+2 2999x10", "bid+3 2998x10", "bid+4 2997x10", "ask=1 4565x150!"}));
    EXPECT_EQ(lab.count("nse_levels_at_open"), 1u);
    EXPECT_EQ(lab.count("nse_levels_bad"), 0u);
}

TEST(NseChannel, CallsABookWithImpossibleLevelsInvalid) {
    NseLab lab;
    Bytes message = short_message();
    lab.put_message(message);
    (void)lab.taken();
    Bytes bad = message;
    test::set_level(bad, 0, true, 0, -7, 150);
    lab.put_message(bad);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask-1", "invalid!"}));
    test::set_level(bad, 0, true, 0, 4'565, -150);
    lab.put_message(bad);
    EXPECT_EQ(lab.count("nse_levels_bad"), 2u);
    (void)lab.taken();
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask+1 4565x150", "valid!"}));
}

TEST(NseChannel, CallsABookWithAHoleOrOutOfOrderInvalid) {
    struct Case {
        const char* what;
        bool is_ask;
        std::array<std::int64_t, 3> prices;
        std::uint64_t bad;
    };
    for (const auto& [what, is_ask, prices, bad] :
         {Case{"a hole", false, {3'095, 0, 3'000}, 1}, Case{"a hole", true, {4'565, 0, 4'570}, 1},
          Case{"nothing, then levels", false, {0, 3'095, 3'000}, 1},
          Case{"bids that rise", false, {3'000, 3'095, 2'900}, 1},
          Case{"a price said twice", false, {3'095, 3'095, 3'000}, 1},
          Case{"offers that fall", true, {4'570, 4'565, 4'560}, 2},
          Case{"an offer said twice", true, {4'565, 4'570, 4'570}, 1},
          Case{"orders at the open behind nothing", false, {3'095, 0, -1}, 0},
          Case{"orders at the open between", true, {4'565, -1, 4'570}, 0},
          Case{"one", true, {4'565, 0, 0}, 0}}) {
        NseLab lab;
        lab.put_message(short_message());
        (void)lab.taken();
        Bytes message = short_message();
        for (std::size_t level = 0; level < prices.size(); ++level)
            test::set_level(message, 0, is_ask, level, prices[level], prices[level] == 0 ? 0 : 10);
        lab.put_message(message);
        const std::string last = text_of(lab.taken().back());
        EXPECT_EQ(last == "invalid!", bad != 0) << what << ": " << last;
        EXPECT_EQ(lab.count("nse_levels_bad"), bad) << what;
        lab.put_message(short_message());
        EXPECT_EQ(lab.bench.report().channels[0].books.valid, 1u) << what << ": the next one is whole";
    }
}

TEST(NseChannel, CountsARecordCountThatLies) {
    for (const std::int16_t said : {std::int16_t{3}, std::int16_t{100}, std::int16_t{-1}}) {
        NseLab lab;
        Bytes message = short_message();
        test::set_big(message, 8 + 40, static_cast<std::uint16_t>(said), 2);
        lab.put_message(message);
        EXPECT_EQ(lab.taken().size(), said < 0 ? 0u : 12u) << said << ": both records there is room for";
        EXPECT_EQ(lab.count("nse_counts_bad"), 1u) << said;
    }
    NseLab lab;
    for (const std::uint64_t said : {0u, 1u, 2u}) {
        Bytes message = short_message();
        test::set_big(message, 8 + 40, said, 2);
        lab.put_message(message);
    }
    EXPECT_EQ(lab.count("nse_counts_bad"), 0u);
}

TEST(NseChannel, TakesTokenZeroForNoInstrument) {
    NseLab lab;
    lab.put_message(test::nse_message({.transcode = 7202}, test::nse_ticker_body({100, 0, 0}, 100)));
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"trade 101x0", "oi 0x103!"}));
    EXPECT_EQ(lab.count("nse_counts_bad"), 1u);
    EXPECT_EQ(lab.count("nse_records_without_token"), 16u) << "of 17 there is room for";
}

TEST(NseChannel, TellsNoOpenInterestBelowZero) {
    NseLab lab;
    const auto told = [&](std::int64_t open_interest) {
        lab.put_message(test::nse_underlying_message(777, static_cast<std::uint64_t>(open_interest)));
        return texts_of(lab.taken());
    };
    EXPECT_EQ(told(-1), Texts{});
    EXPECT_EQ(told(std::numeric_limits<std::int64_t>::min()), Texts{});
    EXPECT_EQ(lab.count("nse_open_interests_bad"), 2u);
    EXPECT_EQ(told(5), Texts{"oi 0x5!"});
}

TEST(NseChannel, TrustsBooksOfAnOpenMarketOnly) {
    NseLab lab;
    Bytes message = short_message();
    test::set_big(message, test::nse_record(0) + 6, 1, 2);  // pre-open
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"clear", "bid+1 3095x75", "ask+1 4565x150!"}));
    test::set_big(message, test::nse_record(0) + 6, 2, 2);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask=1 4565x150", "valid!"}));
    test::set_big(message, test::nse_record(0) + 6, 3, 2);  // suspended
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask=1 4565x150", "invalid!"}));
    EXPECT_EQ(lab.bench.report().channels[0].books.invalid, 1u);
}

TEST(NseChannel, LeavesOtherBookTypesAlone) {
    NseLab lab;
    Bytes message = short_message();
    test::set_big(message, test::nse_record(0) + 4, 11, 2);
    lab.put_message(message);
    EXPECT_TRUE(lab.taken().empty());
    EXPECT_EQ(lab.count("nse_books_of_other_type"), 1u);
}

TEST(NseChannel, KeepsPricesExactAtTheInstrumentsScale) {
    NseLab lab(test::nse_description(), {test::nse_instrument("fo|53673", 4, 1)});
    const Bytes message = short_message();
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"clear", "bid+1 309500x750", "ask+1 456500x1500", "valid!"}));

    NseLab coarse(test::nse_description(), {test::nse_instrument("fo|53673", 1)});
    coarse.put_message(message);
    EXPECT_EQ(texts_of(coarse.taken()), (Texts{"clear", "invalid!"})) << "30.95 has no place at one decimal";
    EXPECT_EQ(coarse.count("nse_values_inexact"), 2u);
}

TEST(NseChannel, MakesTicksOfTickers) {
    NseLab lab;
    lab.put_message(test::nse_message({.transcode = 7202}, test::nse_ticker_body({100, 200}, 2)));
    const std::vector<Tick> ticks = lab.taken();
    EXPECT_EQ(texts_of(ticks), (Texts{"trade 101x0", "oi 0x103", "trade 201x0", "oi 0x203!"}));
    EXPECT_TRUE(ticks[0].has(flag::no_quantity)) << "fills are conflated: quantities would not add up";
    EXPECT_TRUE(ticks[1].has(flag::no_price));
    EXPECT_EQ(lab.bench.key(ticks[2]), "fo|200");
}

TEST(NseChannel, MakesTicksOfIndicesAndSessions) {
    NseLab lab(test::nse_description("all", false, "cm"));
    Bytes index;
    test::put_big(index, 1, 2);
    index.resize(474 - 40);
    const std::string_view name = "Nifty 50             ";
    for (std::size_t i = 0; i < name.size(); ++i)
        index[2 + i] = static_cast<std::byte>(name[i]);
    test::set_big(index, 2 + 22, 2'145'050, 4);
    lab.put(test::nse_datagram(
        4, 3,
        {test::packed_raw(test::nse_message({.market = 4, .transcode = 7207}, index)),
         test::packed_raw(test::nse_message({.market = 4, .transcode = 6541}, {})),
         test::packed_raw(test::nse_message({.market = 4, .transcode = 6521}, Bytes(258)))}));
    const std::vector<Tick> ticks = lab.taken();
    EXPECT_EQ(texts_of(ticks), (Texts{"index 2145050x0.", "session 0x6521!"}));
    EXPECT_EQ(lab.bench.key(ticks[0]), "cm|Nifty 50");
    EXPECT_EQ(ticks[1].instrument, model::no_instrument);
    EXPECT_EQ(lab.count("heartbeats"), 1u);
    EXPECT_EQ(lab.bench.report().nse[0].heartbeat_at_ns, lab.time_ns);
}

TEST(NseChannel, ReadsOnlyWhatSomebodyAskedFor) {
    NseLab lab(test::nse_description("known"),
               {test::nse_instrument("fo|53682"), test::nse_instrument("cm|7")});
    lab.put_message(test::nse_real_message());
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"clear", "bid+1 72180x750", "bid+2 72175x7350", "bid+3 65190x375", "bid+4 64840x7500",
                     "ask+1 89335x750", "ask+2 89340x7350", "valid!"}))
        << "the second record alone";
    EXPECT_EQ(lab.count("blocks_given_up"), 0u);
    Bytes other = short_message();
    lab.put_message(other);
    EXPECT_TRUE(lab.taken().empty());
    EXPECT_EQ(lab.count("blocks_given_up"), 1u);
    EXPECT_EQ(lab.count("messages_of_no_interest"), 1u);
    EXPECT_LT(lab.count("given_up_bytes"), 130u) << "of 478: the token stands at 50";
    test::set_big(other, test::nse_record(0), 7, 4);
    lab.put_message(other);
    EXPECT_TRUE(lab.taken().empty()) << "token 7 is another market's";
    EXPECT_EQ(lab.count("message_bytes"), 478u);
}

TEST(NseChannel, StillSeesBehindAMessageOfNoInterest) {
    NseLab lab(test::nse_description("known"), {test::nse_instrument("fo|53673")});
    Bytes other = short_message();
    test::set_big(other, test::nse_record(0), 5, 4);
    lab.put(test::nse_datagram(
        2, 4,
        {test::packed(other), test::packed_raw(other),
         test::packed(test::nse_message({.transcode = 7202}, test::nse_ticker_body({5, 6, 53'673}, 3))),
         test::packed(short_message())}));
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"trade 53674x0", "oi 0x53676.", "clear", "bid+1 3095x75", "ask+1 4565x150", "valid!"}));
    EXPECT_EQ(lab.count("messages_of_no_interest"), 2u);
}

TEST(NseChannel, DropsTheOtherSourcesCopy) {
    NseLab lab(test::nse_description("all", true));
    Bytes message = short_message();
    lab.put_message(message, test::nse_b);
    EXPECT_EQ(lab.taken().back().line, 1);
    lab.put_message(message, test::nse_a);
    EXPECT_TRUE(lab.taken().empty());
    test::set_sequence(message, 2);
    lab.put_message(message, test::nse_a);
    EXPECT_EQ(lab.taken().size(), 2u) << "another number";
    lab.put_message(message, test::nse_a);
    EXPECT_EQ(lab.taken().size(), 2u) << "said twice by one source: no twin";
    const FeedReport report = lab.bench.report();
    EXPECT_EQ(report.lines[0].packets, 3u);
    EXPECT_EQ(report.lines[0].twins, 1u);
    EXPECT_EQ(report.lines[1].wins, 1u);
}

TEST(NseChannel, TakesNothingForATwinThatHasNeitherTimeNorNumber) {
    NseLab lab(test::nse_description("all", true));
    Bytes message = short_message();
    test::set_big(message, 8 + 4, 0, 4);
    test::set_big(message, 8 + 22, 0, 8);
    test::set_sequence(message, 0);
    lab.put_message(message, test::nse_a);
    (void)lab.taken();
    test::set_level(message, 0, false, 0, 3'096, 75);
    lab.put_message(message, test::nse_b);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3096x75", "ask=1 4565x150!"}));
    test::set_sequence(message, 1);
    lab.put_message(message, test::nse_b);
    lab.put_message(message, test::nse_a);
    EXPECT_EQ(lab.count("A.twins"), 1u) << "a number alone tells";
}

/// One book of token 53673: when it was sent, its number, volume of the day and best bid.
Bytes book_at(std::int64_t later, std::int32_t number, std::uint32_t volume, std::int64_t bid) {
    Bytes message = short_message();
    test::set_time(message, later);
    test::set_sequence(message, number);
    test::set_volume(message, 0, volume);
    test::set_level(message, 0, false, 0, bid, 75);
    return message;
}

TEST(NseChannel, LeavesALateCopyOfTheOtherSourceAlone) {
    NseLab lab(test::nse_description("all", true));
    lab.put_message(book_at(0, 1, 1'000, 3'000), test::nse_a);
    lab.put_message(book_at(0, 1, 1'000, 3'000), test::nse_b);
    lab.put_message(book_at(200, 3, 1'100, 3'095), test::nse_a);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"clear", "bid+1 3000x75", "ask+1 4565x150", "valid!",
                                            "trade 5490x100", "bid=1 3095x75", "ask=1 4565x150!"}));
    lab.put_message(book_at(100, 2, 1'050, 3'050), test::nse_b);  // number 2 was lost on A
    EXPECT_TRUE(lab.taken().empty()) << "older than what A has said";
    EXPECT_EQ(lab.count("nse_records_older"), 1u);
    lab.put_message(book_at(200, 3, 1'100, 3'095), test::nse_b);
    lab.put_message(book_at(300, 4, 1'100, 3'095), test::nse_a);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask=1 4565x150!"})) << "traded once";
    EXPECT_EQ(lab.count("nse_volume_steps_back"), 0u);
    EXPECT_EQ(lab.count("B.twins"), 2u);
}

TEST(NseChannel, LeavesAnOvertakenDatagramOfOneSourceAlone) {
    NseLab lab;
    lab.put_message(book_at(200, 2, 1'100, 3'095));
    (void)lab.taken();
    lab.put_message(book_at(100, 1, 1'000, 3'000));
    EXPECT_TRUE(lab.taken().empty());
    lab.put_message(book_at(200, 1, 1'099, 3'000));
    EXPECT_TRUE(lab.taken().empty()) << "at the same time less was traded: this one was first";
    EXPECT_EQ(lab.count("nse_records_older"), 2u);
    lab.put_message(book_at(200, 3, 1'100, 3'096));
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3096x75", "ask=1 4565x150!"}));
    Bytes other = book_at(100, 1, 1'000, 3'000);
    test::set_big(other, test::nse_record(0), 7, 4);
    lab.put_message(other);
    EXPECT_EQ(lab.taken().size(), 4u) << "each token has its own time";
}

TEST(NseChannel, TellsLateFromTheSecondAloneWhereNoMoreIsSaid) {
    NseLab lab;
    lab.put_message(book_at(0, 1, 1'000, 3'000));
    Bytes coarse = book_at(0, 2, 1'000, 3'001);
    test::set_big(coarse, 8 + 22, 0, 8);
    lab.put_message(coarse);
    EXPECT_EQ(lab.count("nse_records_older"), 0u) << "within the second of the first one";
    test::set_big(coarse, 8 + 4, 1'284'898'262, 4);
    lab.put_message(coarse);
    EXPECT_EQ(lab.count("nse_records_older"), 1u) << "a second before";
    test::set_big(coarse, 8 + 4, 0, 4);
    lab.put_message(coarse);
    EXPECT_EQ(lab.count("nse_records_older"), 1u) << "it says no time at all";
    EXPECT_EQ(lab.count("nse_books"), 3u);
}

constexpr std::int64_t one_second = 65'536;  // in units of TimeStamp2

TEST(NseChannel, NeverTurnsABookBackToASourceThatHangs) {
    NseLab lab(test::nse_description("all", true));
    lab.put_message(book_at(0, 1, 2'000, 3'000), test::nse_a);
    lab.put_message(book_at(-20 * one_second, 1, 1'000, 3'100), test::nse_b);
    (void)lab.taken();
    for (std::int32_t number = 1; number <= 30; ++number) {
        lab.time_ns += 998'000'000;
        lab.put_message(book_at(number * one_second, 100 + number, 2'000, 3'000), test::nse_a);
        EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3000x75", "ask=1 4565x150!"}));
        lab.put_message(book_at((number - 20) * one_second, 50 + number, 1'000, 3'100), test::nse_b);
        EXPECT_TRUE(lab.taken().empty()) << "B is 20 s behind";
    }
    EXPECT_EQ(lab.count("nse_messages_lagging"), 31u);
    EXPECT_EQ(lab.count("nse_volume_steps_back") + lab.count("nse_times_set_back"), 0u);
}

TEST(NseChannel, KnowsThePresentByMessagesThatNobodyAskedFor) {
    NseLab lab(test::nse_description("known", true), {test::nse_instrument("fo|53673")});
    Bytes other = book_at(0, 1, 1'000, 3'000);
    test::set_big(other, test::nse_record(0), 5, 4);
    lab.put_message(book_at(0, 2, 1'000, 3'000), test::nse_a);
    (void)lab.taken();
    for (int i = 1; i <= 30; ++i) {
        lab.time_ns += 998'000'000;
        test::set_time(other, i * one_second);
        test::set_sequence(other, i);
        lab.put_message(other, test::nse_a);
        lab.put_message(book_at((i - 20) * one_second, 100 + i, 1'000, 3'100), test::nse_b);
    }
    EXPECT_EQ(lab.count("nse_messages_lagging"), 30u);
    EXPECT_TRUE(lab.taken().empty());
}

TEST(NseChannel, BelievesAClockThatIsSetBackWhenNothingTellsOfTheOldOne) {
    NseLab lab(test::nse_description("all", true));
    lab.put_message(book_at(3'600 * one_second, 1, 2'000, 3'000), test::nse_a);
    lab.put_message(book_at(3'600 * one_second, 2, 2'000, 3'000), test::nse_a);
    (void)lab.taken();
    for (std::int32_t number = 3; number <= 20; ++number) {
        lab.time_ns += 999'000'000;
        lab.put_message(book_at(number * one_second, number, 1'000, 3'001), test::nse_a);
        EXPECT_TRUE(lab.taken().empty()) << "an hour before: a hanging source, for all that is known";
    }
    EXPECT_EQ(lab.count("nse_messages_lagging"), 18u);
    lab.put_message(book_at(21 * one_second, 21, 1'000, 3'002), test::nse_a);
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"invalid.", "clear", "bid+1 3002x75", "ask+1 4565x150", "valid!"}))
        << "no book is trusted across the change, and no trade is made of volumes of both clocks";
    EXPECT_EQ(lab.count("nse_times_set_back"), 1u);
    lab.put_message(book_at(22 * one_second, 22, 1'010, 3'002), test::nse_a);
    EXPECT_EQ(text_of(lab.taken().front()), "trade 5490x10");
    lab.put_message(book_at(10 * one_second, 23, 1'020, 3'003), test::nse_a);
    EXPECT_EQ(lab.count("nse_records_older"), 1u) << "late by the new clock";
}

TEST(NseChannel, HoldsNoBookToATimeThatIsToCome) {
    NseLab lab;
    lab.put_message(book_at(0, 1, 1'000, 3'000));
    (void)lab.taken();
    lab.put_message(book_at(17 * one_second, 2, 1'000, 3'001));
    lab.put_message(book_at(17 * one_second, 2, 1'000, 3'001));
    EXPECT_TRUE(lab.taken().empty());
    EXPECT_EQ(lab.count("nse_messages_ahead"), 2u);
    lab.put_message(book_at(655, 3, 1'000, 3'002));
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3002x75", "ask=1 4565x150!"}))
        << "one damaged time freezes nothing";
    EXPECT_EQ(lab.count("nse_records_older") + lab.count("nse_times_set_forward"), 0u);
}

TEST(NseChannel, HoldsNoBookToAFirstTimeThatNobodyConfirms) {
    NseLab lab;
    lab.put_message(book_at(17 * one_second, 1, 1'000, 3'000));
    (void)lab.taken();
    for (std::int32_t number = 2; number <= 4; ++number)
        lab.put_message(book_at(655 * number, number, 1'000, 3'001));
    EXPECT_TRUE(lab.taken().empty());
    lab.put_message(book_at(655 * 5, 5, 1'000, 3'001));
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"invalid.", "clear", "bid+1 3001x75", "ask+1 4565x150", "valid!"}));
}

TEST(NseChannel, ReturnsFromTheHangingSourceToTheOther) {
    NseLab lab(test::nse_description("all", true));
    lab.put_message(book_at(0, 1, 2'000, 3'000), test::nse_a);
    lab.put_message(book_at(1, 2, 2'000, 3'000), test::nse_a);
    lab.time_ns += 19'000'000'000;
    (void)lab.taken();
    lab.put_message(book_at(-20 * one_second, 3, 1'000, 3'100), test::nse_b);
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"invalid!", "invalid.", "clear", "bid+1 3100x75", "ask+1 4565x150", "valid!"}))
        << "it is all there is";
    lab.put_message(book_at(-20 * one_second + 1, 4, 1'000, 3'100), test::nse_b);
    (void)lab.taken();
    for (std::int32_t number = 1; number <= 3; ++number) {
        lab.put_message(book_at(19 * one_second + number, 10 + number, 2'100, 3'000), test::nse_a);
        lab.put_message(book_at(-20 * one_second + 1 + number, 20 + number, 1'000, 3'100), test::nse_b);
        EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3100x75", "ask=1 4565x150!"})) << "never to and fro";
    }
    lab.put_message(book_at(19 * one_second + 4, 14, 2'100, 3'000), test::nse_a);
    EXPECT_EQ(texts_of(lab.taken()),
              (Texts{"invalid.", "clear", "bid+1 3000x75", "ask+1 4565x150", "valid!"}));
    lab.put_message(book_at(-20 * one_second + 5, 24, 1'000, 3'100), test::nse_b);
    EXPECT_TRUE(lab.taken().empty());
    EXPECT_EQ(lab.count("nse_times_set_back"), 1u);
    EXPECT_EQ(lab.count("nse_times_set_forward"), 1u);
    EXPECT_EQ(lab.count("nse_messages_ahead"), 3u);
    EXPECT_EQ(lab.count("nse_messages_lagging"), 1u);
}

TEST(NseChannel, GoesOnWithALaterTimeAfterATimeWithoutMessages) {
    NseLab lab;
    lab.put_message(book_at(0, 1, 1'000, 3'000));
    lab.time_ns += 3'600'000'000'000;
    lab.put_message(book_at(3'600 * one_second, 2, 1'000, 3'001));
    EXPECT_EQ(lab.count("nse_books"), 2u);
    EXPECT_EQ(lab.count("nse_messages_ahead") + lab.count("nse_times_set_forward"), 0u);
}

TEST(NseChannel, TellsNoTradeOfVolumesThatGoToAndFro) {
    NseLab lab;
    std::uint32_t later = 0;
    const auto told = [&](std::uint32_t volume) {
        lab.put_message(book_at(later, static_cast<std::int32_t>(later), volume, 3'000));
        ++later;
        return text_of(lab.taken().front());
    };
    EXPECT_EQ(told(1'000), "clear");
    for (const std::uint32_t volume : {500u, 1'001u, 501u, 1'002u, 502u})
        EXPECT_EQ(told(volume), "bid=1 3000x75") << volume;
    EXPECT_EQ(told(510), "bid=1 3000x75") << "the first in order";
    EXPECT_EQ(told(520), "trade 5490x10");
    EXPECT_EQ(lab.count("nse_volume_steps_back"), 3u);
}

TEST(NseChannel, LeavesLateTickersAndIndicesAlone) {
    const auto ticker_at = [](std::int64_t later, std::uint32_t token) {
        Bytes message = test::nse_message({.transcode = 7202}, test::nse_ticker_body({token}, 1));
        test::set_time(message, later);
        return message;
    };
    NseLab lab(test::nse_description("all", true));
    lab.put_message(book_at(500, 1, 1'000, 3'000), test::nse_a);
    (void)lab.taken();
    lab.put_message(ticker_at(200, 53'673), test::nse_a);
    EXPECT_EQ(lab.taken().size(), 2u) << "a ticker is not late because a book was sent after it";
    lab.put_message(ticker_at(100, 53'673), test::nse_b);
    EXPECT_TRUE(lab.taken().empty());
    EXPECT_EQ(lab.count("nse_records_older"), 1u);
    lab.put_message(ticker_at(100, 9), test::nse_b);
    EXPECT_EQ(lab.taken().size(), 2u);

    NseLab indices(test::nse_description("all", false, "cm"));
    Bytes body;
    test::put_big(body, 1, 2);
    body.resize(474 - 40);
    body[2] = std::byte{'N'};
    test::set_big(body, 2 + 22, 100, 4);
    Bytes message = test::nse_message({.market = 4, .transcode = 7207}, body);
    indices.put_message(message);
    test::set_time(message, -1);
    indices.put_message(message);
    EXPECT_EQ(texts_of(indices.taken()), (Texts{"index 100x0!"}));
    EXPECT_EQ(indices.count("nse_records_older"), 1u);
}

TEST(NseChannel, ReadsHeadersOfTheirOwnFromBothSources) {
    NseLab lab(test::nse_description("all", true));
    std::vector<std::string> told;
    const auto put = [&](std::uint32_t address, std::uint64_t open_interest) {
        lab.put(
            test::nse_datagram(2, 1, {test::packed_raw(test::nse_underlying_message(777, open_interest))}),
            address);
        for (const Tick& tick : lab.taken())
            told.push_back(text_of(tick));
    };
    put(test::nse_a, 100);
    put(test::nse_b, 105);
    put(test::nse_b, 110);
    put(test::nse_a, 115);
    EXPECT_EQ(told, (Texts{"oi 0x100!", "oi 0x105!", "oi 0x110!", "oi 0x115!"}))
        << "without a number nothing is a twin";
    EXPECT_EQ(lab.count("A.twins") + lab.count("B.twins"), 0u);
    EXPECT_EQ(lab.count("messages_17130_508"), 4u);
    EXPECT_EQ(lab.count("soft_gaps"), 0u);
}

TEST(NseChannel, TakesNoNumberOrTimeFromAHeaderOfItsOwn) {
    NseLab lab;
    lab.put_message(short_message());
    const std::uint64_t said = lab.taken().back().sending_time;
    Bytes own = test::nse_underlying_message(777, 5);
    for (std::uint32_t number = 1; number <= 40; ++number) {
        test::set_big(own, 8 + 14, number, 4);  // where others have BCSeqNo
        lab.put_message(own);
    }
    test::set_big(own, 8 + 14, 1'000, 4);
    test::set_big(own, 8 + 22, test::NseHeader{}.time_stamp_2 + 65'536, 8);
    lab.put_message(own);
    EXPECT_EQ(lab.count("soft_gaps"), 0u);
    EXPECT_EQ(lab.taken().back().sending_time, said);
    lab.put_message(test::nse_message({.transcode = 7130}, Bytes(464)));
    EXPECT_EQ(lab.count("messages_7130_504"), 1u);
}

TEST(NseChannel, TellsFillsOfTheNormalMarketOnly) {
    NseLab lab;
    for (const std::uint16_t market_type : {2, 4, 5}) {
        lab.put_message(test::nse_message({.transcode = 7202}, test::nse_ticker_body({100}, 1, market_type)));
        EXPECT_EQ(texts_of(lab.taken()), (Texts{"oi 0x103!"})) << "market type " << market_type;
    }
    EXPECT_EQ(lab.count("nse_fills_of_other_market"), 3u);
    lab.put_message(test::nse_message({.transcode = 7202}, test::nse_ticker_body({100}, 1)));
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"trade 101x0", "oi 0x103!"}));
}

TEST(NseChannel, CountsEveryMessageByItsTranscode) {
    NseLab lab(test::nse_description("known", true), {test::nse_instrument("fo|53673")});
    Bytes other = short_message();
    test::set_big(other, test::nse_record(0), 5, 4);
    Bytes cut = test::packed(book_at(9, 9, 1'000, 3'000));
    cut.resize(cut.size() - 3);
    test::set_big(cut, 0, cut.size() - 2, 2);
    lab.put_message(short_message(), test::nse_a);
    lab.put_message(short_message(), test::nse_b);
    lab.put_message(other, test::nse_a);
    test::set_sequence(other, 7);
    lab.put(test::nse_datagram(2, 2, {test::packed(other), cut}), test::nse_b);
    EXPECT_EQ(lab.count("messages_7208_470"), 4u) << "all but the broken one";
    EXPECT_EQ(lab.count("B.twins"), 1u);
    EXPECT_EQ(lab.count("messages_of_no_interest"), 2u);
}

TEST(NseChannel, TakesTheGoodCopyAfterABrokenOne) {
    NseLab lab(test::nse_description("all", true));
    const Bytes good = test::packed(short_message());
    Bytes broken = good;
    broken.resize(broken.size() - 3);  // without its end marker
    test::set_big(broken, 0, broken.size() - 2, 2);
    lab.put(test::nse_datagram(2, 1, {broken}), test::nse_a);
    EXPECT_TRUE(lab.taken().empty());
    lab.put(test::nse_datagram(2, 1, {good}), test::nse_b);
    EXPECT_EQ(lab.taken().size(), 4u);
}

TEST(NseChannel, GuessesAtGapsForStatisticsOnly) {
    NseLab lab;
    Bytes message = short_message();
    std::int32_t sequence = 100;
    for (int i = 0; i < 40; ++i) {
        test::set_sequence(message, ++sequence);
        lab.put_message(message);
    }
    EXPECT_EQ(lab.count("soft_gaps"), 0u);
    (void)lab.taken();
    test::set_sequence(message, sequence += 6);
    lab.put_message(message);
    EXPECT_EQ(lab.count("soft_gaps"), 1u);
    EXPECT_EQ(lab.count("soft_gap_messages"), 5u);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"bid=1 3095x75", "ask=1 4565x150!"})) << "no book is touched";
    test::set_sequence(message, 1);
    lab.put_message(message);
    test::set_sequence(message, 50);
    lab.put_message(message);
    EXPECT_EQ(lab.count("soft_gaps"), 1u) << "a counter that steps back is not believed";
}

TEST(NseChannel, CallsAllBooksInvalidAfterASilence) {
    NseLab lab;
    const Bytes message = short_message();
    lab.put_message(message);
    (void)lab.taken();
    lab.time_ns += 17'000'000'000;
    lab.put_message(message);
    EXPECT_EQ(lab.count("feed_silences"), 0u);
    (void)lab.taken();
    lab.time_ns += 18'000'000'000;
    lab.put(test::nse_datagram(2, 1, {test::packed_raw(test::nse_message({.transcode = 6541}, {}))}));
    const std::vector<Tick> ticks = lab.taken();
    EXPECT_EQ(texts_of(ticks), (Texts{"invalid!"}));
    EXPECT_EQ(ticks[0].instrument, model::no_instrument);
    EXPECT_EQ(lab.count("feed_silences"), 1u);
    EXPECT_EQ(lab.bench.report().channels[0].books.valid, 0u);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"clear", "bid+1 3095x75", "ask+1 4565x150", "valid!"}));
}

TEST(NseChannel, TakesBytesThatNobodyUnderstandsForSilence) {
    NseLab lab;
    const Bytes message = short_message();
    const Bytes garbage = test::nse_datagram(2, 1, {test::packed_block(Bytes(50, std::byte{0xFF}))});
    Bytes other_market = message;
    other_market[0] = std::byte{4};
    lab.put_message(message);
    (void)lab.taken();
    for (int second = 1; second <= 17; ++second) {
        lab.time_ns += 1'000'000'000;
        lab.put(second % 2 == 0 ? garbage : test::nse_datagram(2, 1, {test::packed(other_market)}));
    }
    EXPECT_TRUE(lab.taken().empty());
    lab.time_ns += 1'000'000'000;
    lab.put(garbage);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"invalid!"}));
    lab.put(garbage);
    EXPECT_TRUE(lab.taken().empty());
    EXPECT_EQ(lab.count("feed_silences"), 1u);
    lab.put_message(message);
    EXPECT_EQ(texts_of(lab.taken()), (Texts{"clear", "bid+1 3095x75", "ask+1 4565x150", "valid!"}));
}

TEST(NseChannel, ReportsASourceThatIsSilentWhileTheOtherSpeaks) {
    const Bytes garbage = test::nse_datagram(2, 1, {test::packed_block(Bytes(50, std::byte{0xFF}))});
    const Bytes good = test::nse_datagram(2, 1, {test::packed(short_message())});
    for (const std::size_t dead : {0u, 1u}) {
        const std::array<std::uint32_t, 2> addresses = {test::nse_a, test::nse_b};
        NseLab lab(test::nse_description("all", true));
        lab.put(good, addresses[dead]);
        for (int second = 0; second < 18; ++second) {
            lab.put(good, addresses[1 - dead]);
            lab.put(garbage, addresses[dead]);
            lab.time_ns += 998'000'000;
        }
        EXPECT_FALSE(lab.bench.report().lines[dead].is_silent) << "source " << dead;
        lab.put(good, addresses[1 - dead]);
        EXPECT_TRUE(lab.bench.report().lines[dead].is_silent) << "source " << dead;
        EXPECT_FALSE(lab.bench.report().lines[1 - dead].is_silent) << "source " << dead;
        lab.put(good, addresses[dead]);
        EXPECT_FALSE(lab.bench.report().lines[dead].is_silent) << "source " << dead;
    }

    NseLab never(test::nse_description("all", true));
    never.put(good, test::nse_b);
    never.time_ns += 19'000'000'000;
    never.put(good, test::nse_b);
    EXPECT_TRUE(never.bench.report().lines[0].is_silent) << "it was never heard";
    NseLab alone;
    alone.put(good);
    alone.time_ns += 19'000'000'000;
    alone.put(good);
    EXPECT_FALSE(alone.bench.report().lines[0].is_silent) << "there is no other one";
}

TEST(NseChannel, KnowsTheAgeOfEachBook) {
    NseLab lab;
    lab.put_message(test::nse_real_message());
    lab.time_ns += 2'000'000'000;
    lab.put_message(short_message());
    const FeedReport report = lab.bench.report();
    EXPECT_EQ(report.nse[0].oldest_book_age_ns, 2'001'000'000u) << "of token 53682";
    EXPECT_EQ(report.nse[0].datagram_at_ns, lab.time_ns);
    EXPECT_EQ(lab.bench.report_at(lab.time_ns + 7'000).nse[0].datagram_age_ns, 7'000u);
    EXPECT_EQ(NseLab().bench.report().nse[0].datagram_age_ns, 0u) << "none came";
}

TEST(NseChannel, UsesTheLastTimeWhenAMessageSaysNone) {
    NseLab lab;
    Bytes message = short_message();
    lab.put_message(message);
    const std::uint64_t said = lab.taken().back().sending_time;
    test::set_big(message, 8 + 4, 0, 4);
    test::set_big(message, 8 + 22, 0, 8);
    lab.put_message(message);
    EXPECT_EQ(lab.taken().back().sending_time, said);
    test::set_big(message, 8 + 4, 1'284'898'264, 4);
    lab.put_message(message);
    EXPECT_EQ(lab.taken().back().sending_time, framing::nse::unix_ns_of_seconds(1'284'898'264));
}

TEST(NseChannel, PassesOverWhatItDoesNotKnow) {
    NseLab lab;
    Bytes other_length = short_message();
    other_length.resize(8 + 466);
    test::set_big(other_length, 8 + 38, 466, 2);
    Bytes other_market = short_message();
    other_market[0] = std::byte{4};
    lab.put(test::nse_datagram(2, 5,
                               {test::packed(other_length), test::packed(other_length),
                                test::packed_raw(test::nse_message({.transcode = 17'208}, Bytes(438))),
                                test::packed(other_market), test::packed(short_message())}));
    EXPECT_EQ(lab.taken().size(), 4u) << "the last message is read all the same";
    EXPECT_EQ(lab.count("messages_without_layout"), 3u);
    EXPECT_EQ(lab.count("messages_of_other_segment"), 1u);
    EXPECT_EQ(lab.count("prefix_mismatches"), 1u);
    const std::vector<UnknownMessages> unknown = lab.bench.report().nse[0].unknown;
    ASSERT_EQ(unknown.size(), 2u);
    EXPECT_EQ(unknown[0].transcode, 7208);
    EXPECT_EQ(unknown[0].length, 466);
    EXPECT_EQ(unknown[0].count, 2u);
    EXPECT_EQ(unknown[1].transcode, 17'208);
}

TEST(NseChannel, StopsADatagramAtTheFirstInconsistency) {
    const Bytes good = test::packed(short_message());
    struct Case {
        const char* what;
        Bytes bad;
        const char* counter;
    };
    Bytes cut = good;
    cut.resize(cut.size() - 3);
    test::set_big(cut, 0, cut.size() - 2, 2);
    Bytes padded = good;
    padded.resize(padded.size() + 4);
    test::set_big(padded, 0, padded.size() - 2, 2);
    Bytes wrong_length = short_message();
    test::set_big(wrong_length, 8 + 38, 468, 2);
    for (const Case& wrong :
         {Case{"cut", cut, "lzo1z_input_overrun"}, Case{"padded", padded, "lzo1z_trailing_input"},
          Case{"wrong MessageLength", test::packed(wrong_length), "lengths_bad"},
          Case{"too short", test::packed(Bytes(20)), "lengths_bad"},
          Case{"endless", test::packed(Bytes(5'000)), "lzo1z_output_overrun"},
          Case{"another variant", test::from_hex("0005 12 41 5C 00 11"), "lzo1z_lookbehind_overrun"}}) {
        NseLab lab;
        lab.put(test::nse_datagram(2, 3, {good, wrong.bad, good}));
        EXPECT_EQ(lab.taken().size(), 4u) << wrong.what << ": what stands before it stays";
        EXPECT_EQ(lab.count(wrong.counter), 1u) << wrong.what;
        EXPECT_EQ(lab.count("datagrams_cut"), 1u) << wrong.what;
        lab.put(test::nse_datagram(2, 1, {good}));
        EXPECT_EQ(lab.taken().size(), 2u) << wrong.what << ": the next datagram is whole";
    }
}

TEST(NseChannel, HintsAtAnotherVariantWhenMostBlocksLookBackTooFar) {
    NseLab lab;
    const Bytes good = test::nse_datagram(2, 1, {test::packed(short_message())});
    const Bytes bad = test::nse_datagram(2, 1, {test::from_hex("0005 12 41 5C 00 11")});
    lab.put(good);
    lab.put(bad);
    EXPECT_FALSE(lab.bench.report().nse[0].suggests_other_variant) << "one of two";
    lab.put(bad);
    EXPECT_TRUE(lab.bench.report().nse[0].suggests_other_variant);
}

TEST(NseChannel, TakesNoMemoryOnItsWay) {
    NseLab lab(test::nse_description("all", true));
    const Bytes books = test::packed(test::nse_real_message());
    const Bytes ticker =
        test::packed(test::nse_message({.transcode = 7202}, test::nse_ticker_body({1, 2}, 2)));
    Bytes bad = books;
    bad[40] = std::byte{0xFF};
    const std::vector<Bytes> payloads = {
        test::nse_datagram(2, 2, {books, ticker}), test::nse_datagram(2, 2, {bad, ticker}),
        test::nse_datagram(2, 1, {test::packed_raw(test::nse_message({.transcode = 1}, {}))})};
    std::vector<test::TestFrame> frames;
    for (const Bytes& payload : payloads)
        for (const std::uint32_t address : {test::nse_a, test::nse_b})
            frames.push_back({test::build_frame({.address = address, .port = 34'331, .payload = payload}),
                              lab.time_ns, frames.size()});
    test::FeedBench bench({.description = test::nse_description("all", true),
                           .templates_path = {},
                           .channel = {},
                           .ticks_reserved = 4'096});
    const test::AllocationGuard guard;
    for (int i = 0; i < 3; ++i)
        bench.put(frames);
    EXPECT_EQ(guard.count(), 0u);
}

}  // namespace
}  // namespace tickpath::feed
