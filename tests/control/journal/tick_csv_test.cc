#include "control/journal/tick_csv.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::journal {
namespace {

using model::Tick;
namespace flag = model::tick_flag;

model::Instrument instrument(std::string_view key, std::string_view symbol, int price_places,
                             int quantity_places) {
    model::Instrument made;
    std::memcpy(made.feed_key.data(), key.data(), key.size());
    std::memcpy(made.fix_symbol.data(), symbol.data(), symbol.size());
    made.price_places = static_cast<std::int8_t>(price_places);
    made.quantity_places = static_cast<std::int8_t>(quantity_places);
    return made;
}

struct Fixture {
    std::vector<model::Instrument> instruments = {instrument("49664582", "RIU3", 2, 0),
                                                  instrument("SBER,\"x\"", "", 0, 3)};
    TickNames names{.channels = {"FUT-BOOK-5", "OLR"}, .instruments = instruments};

    [[nodiscard]] std::string line(const Tick& tick) const {
        std::string out;
        append_tick_csv(out, tick, names);
        return out;
    }
};

Tick full_tick() {
    Tick tick;
    tick.rx_time = 1'375'356'277'937'941'000;
    tick.exchange_time = 142411770;
    tick.sending_time = 20130801142437941;
    tick.entry_id = 14234;
    tick.price = 13331;
    tick.quantity = 12;
    tick.frame_number = 7;
    tick.instrument = 0;
    tick.packet_sequence = 482727;
    tick.instrument_sequence = 226148;
    tick.channel = 0;
    tick.flags = flag::last_of_event | flag::last_of_packet;
    tick.entry_index = 3;
    tick.message_index = 1;
    tick.line = 1;
    tick.kind = model::TickKind::quote;
    tick.side = model::Side::ask;
    tick.action = model::TickAction::change;
    tick.level = 2;
    tick.rx_domain = model::TimeDomain::capture_ns;
    return tick;
}

std::string cell(const std::string& line, std::size_t column) {
    std::size_t from = 0;
    for (std::size_t i = 0; i < column; ++i)
        from = line.find(',', from) + 1;
    return line.substr(from, line.find_first_of(",\n", from) - from);
}
constexpr std::size_t price_column = 12, quantity_column = 13, flags_column = 20;

TEST(TickCsv, WritesEveryColumnInTheOrderOfTheHeader) {
    EXPECT_EQ(Fixture().line(full_tick()),
              "FUT-BOOK-5,B,482727,1,3,49664582,RIU3,quote,ask,change,2,14234,133.31,12,226148,142411770,"
              "20130801142437941,1375356277937941000,capture_ns,7,last_of_event|last_of_packet\n");
}

TEST(TickCsv, HasAsManyCellsAsTheHeaderForEveryKindOfTick) {
    const Fixture fixture;
    const auto cells = [](std::string_view line) { return std::count(line.begin(), line.end(), ','); };
    Tick status;
    status.kind = model::TickKind::status;
    status.action = model::TickAction::set_invalid;
    for (const Tick& tick : {Tick{}, full_tick(), status})
        EXPECT_EQ(cells(fixture.line(tick)), cells(tick_csv_header)) << fixture.line(tick);
}

TEST(TickCsv, LeavesAbsentNumbersEmpty) {
    Tick tick = full_tick();
    tick.level = 0;
    tick.entry_id = 0;
    tick.instrument_sequence = 0;
    tick.exchange_time = 0;
    tick.sending_time = 0;
    tick.flags = flag::no_price | flag::no_quantity;
    EXPECT_EQ(
        Fixture().line(tick),
        "FUT-BOOK-5,B,482727,1,3,49664582,RIU3,quote,ask,change,,,,,,,,1375356277937941000,capture_ns,7,"
        "no_price|no_quantity\n");
}

TEST(TickCsv, WritesPricesExactlyAtEveryScale) {
    struct Case {
        std::int64_t scaled;
        int places;
        const char* text;
    };
    constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
    for (const Case& c : {Case{0, 0, "0"}, Case{0, 2, "0.00"}, Case{5, 3, "0.005"}, Case{-5, 3, "-0.005"},
                          Case{500, 2, "5.00"}, Case{-13331, 2, "-133.31"}, Case{123, 3, "0.123"},
                          Case{lowest, 0, "-9223372036854775808"}, Case{lowest, 18, "-9.223372036854775808"},
                          Case{1, 20, "0.00000000000000000001"}}) {
        Fixture fixture;
        fixture.instruments[0].price_places = static_cast<std::int8_t>(c.places);
        Tick tick = full_tick();
        tick.price = c.scaled;
        EXPECT_EQ(cell(fixture.line(tick), price_column), c.text);
    }
}

TEST(TickCsv, WritesNoValueWhereItIsNotExactOrMeansNothing) {
    Tick inexact = full_tick();
    inexact.price = 0;
    inexact.flags = flag::inexact;
    Tick clear = full_tick();
    clear.kind = model::TickKind::clear;
    for (const Tick& tick : {inexact, clear}) {
        EXPECT_EQ(cell(Fixture().line(tick), price_column), "");
        EXPECT_EQ(cell(Fixture().line(tick), quantity_column), "");
    }
}

TEST(TickCsv, KeepsZeroAsAPriceThatWasSent) {
    Tick tick = full_tick();
    tick.price = 0;
    tick.quantity = 0;
    EXPECT_EQ(cell(Fixture().line(tick), price_column), "0.00");
    EXPECT_EQ(cell(Fixture().line(tick), quantity_column), "0");
}

TEST(TickCsv, QuotesKeysThatHoldCommasOrQuotes) {
    Tick tick = full_tick();
    tick.instrument = 1;
    EXPECT_NE(Fixture().line(tick).find(",\"SBER,\"\"x\"\"\",,quote"), std::string::npos)
        << Fixture().line(tick);
}

TEST(TickCsv, NamesEveryFlagOnce) {
    Tick tick = full_tick();
    tick.flags = 0x3FF;
    EXPECT_EQ(
        cell(Fixture().line(tick), flags_column),
        "last_of_event|last_of_packet|snapshot|stale|unused|replayed|no_price|no_quantity|inexact|own_event");
}

TEST(TickCsv, SurvivesNumbersWithoutAName) {
    Tick tick = full_tick();
    tick.channel = 65535;
    tick.instrument = model::no_instrument;
    tick.line = 200;
    tick.kind = static_cast<model::TickKind>(77);
    EXPECT_EQ(Fixture().line(tick).substr(0, 30), "65535,,482727,1,3,,,,ask,chang");
}

TEST(TickCsv, StaysWithinItsGreatestLineLength) {
    Fixture fixture;
    fixture.names.channels[0] = std::string(64, 'c');
    fixture.instruments[0] = instrument(std::string(31, '"'), std::string(23, '"'), 127, 127);
    Tick tick = full_tick();
    tick.rx_time = tick.exchange_time = tick.sending_time = tick.entry_id = tick.frame_number =
        std::numeric_limits<std::uint64_t>::max();
    tick.price = tick.quantity = std::numeric_limits<std::int64_t>::min();
    tick.packet_sequence = tick.instrument_sequence = std::numeric_limits<std::uint32_t>::max();
    tick.flags = 0x3FF & ~(flag::no_price | flag::no_quantity | flag::inexact);
    tick.kind = model::TickKind::status;
    tick.action = model::TickAction::set_invalid;
    tick.rx_domain = model::TimeDomain::nic_realtime_ns;
    EXPECT_LE(fixture.line(tick).size(), tick_csv_line_bytes_max);
    tick.kind = model::TickKind::quote;
    EXPECT_LE(fixture.line(tick).size(), tick_csv_line_bytes_max);
}

}  // namespace
}  // namespace tickpath::journal
