#include "decoders/fix/message_template.h"

#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "decoders/fix/reader.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/fix_text.h"

namespace tickpath::fix {
namespace {

using test::fix_message;
using test::with_bars;

constexpr std::uint64_t time_ns = 1'767'607'200'123'456'789;  // 2026-01-05 10:00:00.123456789 UTC
const TemplateIdentity identity{.begin_string = "FIX.4.4", .sender = "TICKPATH", .target = "EXCH"};

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

OrderPatch order() {
    OrderPatch values;
    values.sequence_number = 42;
    values.sending_time_ns = values.transact_time_ns = time_ns;
    std::memcpy(values.cl_ord_id.data(), "00000000070100000001", values.cl_ord_id.size());
    values.price = 13331;
    values.quantity = 7;
    return values;
}

TEST(FixMessageTemplate, RendersAnOrder) {
    MessageTemplate message(default_order_template(), identity);
    const auto instrument = TemplateInstrument::make("RTS-3.13", 2, 0);
    ASSERT_TRUE(instrument);
    const std::string bytes = text_of(message.patch(*instrument, order()));
    EXPECT_EQ(with_bars(bytes),
              with_bars(fix_message("35=D|34=42|49=TICKPATH|52=20260105-10:00:00.123456|56=EXCH|"
                                    "11=00000000070100000001|55=RTS-3.13|54=1|60=20260105-10:00:00.123456|"
                                    "38=0000000000000007|40=2|44=0000000000133.31|59=3|")));
}

/// The plain twin: the same order composed as text.
std::string plain_order(const TemplateInstrument& instrument, const OrderPatch& values,
                        TimePrecision precision) {
    const auto decimal = [](std::int64_t value, unsigned places) {
        std::string digits = std::to_string(value < 0 ? -value : value);
        const std::size_t width = places == 0 ? 16 : 15;
        digits.insert(0, width - digits.size(), '0');
        if (places != 0) digits.insert(digits.size() - places, ".");
        if (value < 0) digits[0] = '-';
        return digits;
    };
    const auto time = [&](std::uint64_t ns) {
        TimestampWriter writer(precision);
        char buffer[32];
        return std::string(buffer, writer.write(buffer, ns));
    };
    return fix_message("35=D|34=" + std::to_string(values.sequence_number) +
                       "|49=TICKPATH|52=" + time(values.sending_time_ns) +
                       "|56=EXCH|11=" + std::string(values.cl_ord_id.data(), 20) +
                       "|55=" + std::string(instrument.symbol.data(), instrument.symbol_chars) +
                       "|54=" + values.side + "|60=" + time(values.transact_time_ns) +
                       "|38=" + decimal(values.quantity, instrument.quantity_places) +
                       "|40=" + values.ord_type + "|44=" + decimal(values.price, instrument.price_places) +
                       "|59=" + values.time_in_force + "|");
}

TEST(FixMessageTemplate, AgreesWithThePlainTwinOnRandomOrders) {
    std::mt19937_64 random(4);
    for (const TimePrecision precision :
         {TimePrecision::seconds, TimePrecision::milli, TimePrecision::micro, TimePrecision::nano}) {
        TemplateIdentity own = identity;
        own.time_precision = precision;
        MessageTemplate message(default_order_template(), own);
        std::uint64_t now_ns = time_ns;
        for (int i = 0; i < 5'000; ++i) {
            const std::string symbol(1 + random() % symbol_chars_max, static_cast<char>('A' + random() % 26));
            const auto instrument = TemplateInstrument::make(symbol, static_cast<int>(random() % 15),
                                                             static_cast<int>(random() % 15));
            ASSERT_TRUE(instrument);
            OrderPatch values;
            values.sequence_number = 1 + (random() >> (16 + random() % 48));
            now_ns += random() % 3 == 0 ? random() % 90'000'000'000'000 : random() % 1'000'000'000;
            values.sending_time_ns = now_ns;
            values.transact_time_ns = random() % 2 == 0 ? now_ns : now_ns - random() % 5'000'000'000;
            for (char& c : values.cl_ord_id)
                c = "0123456789ABCDEFGHIJKLMNOPQRSTUV"[random() % 32];
            values.price = static_cast<std::int64_t>(random() % 100'000'000'000'000 >> random() % 47) *
                           (random() % 4 == 0 ? -1 : 1);
            values.quantity = static_cast<std::int64_t>(1 + (random() % 99'999'999'999'999 >> random() % 47));
            values.side = random() % 2 == 0 ? '1' : '2';
            values.ord_type = random() % 2 == 0 ? '1' : '2';
            values.time_in_force = random() % 2 == 0 ? '0' : '3';
            ASSERT_TRUE(MessageTemplate::fits(values.price, values.quantity));
            ASSERT_EQ(with_bars(text_of(message.patch(*instrument, values))),
                      with_bars(plain_order(*instrument, values, precision)));
        }
    }
}

TEST(FixMessageTemplate, GrowsWithTheSequenceNumber) {
    MessageTemplate message(default_order_template(), identity);
    const auto instrument = TemplateInstrument::make("SBER", 2, 0);
    for (std::uint64_t number = 1; number < 1'000'000'000'000'000; number *= 10)
        for (const std::uint64_t near : {number - 1, number, number + 1}) {
            if (near == 0) continue;
            OrderPatch values = order();
            values.sequence_number = near;
            const std::string bytes = text_of(message.patch(*instrument, values));
            ASSERT_EQ(bytes, plain_order(*instrument, values, TimePrecision::micro)) << near;
        }
}

TEST(FixMessageTemplate, ReadsBackAsWhatWasOrdered) {
    MessageTemplate message(default_order_template(), identity);
    const auto instrument = TemplateInstrument::make("SBER", 4, 2);
    OrderPatch values = order();
    values.price = -25;
    const std::string bytes = text_of(message.patch(*instrument, values));
    Reader reader;
    ASSERT_EQ(reader.read({bytes.data(), bytes.size()}).scan, Scan::message);
    EXPECT_EQ(reader.message().decimal(tag::price), (Decimal{-25, -4}));
    EXPECT_EQ(reader.message().decimal(tag::order_qty), (Decimal{7, -2}));
}

TEST(FixMessageTemplate, KnowsWhatFits) {
    EXPECT_TRUE(MessageTemplate::fits(99'999'999'999'999, 99'999'999'999'999));
    EXPECT_TRUE(MessageTemplate::fits(-99'999'999'999'999, 1));
    EXPECT_TRUE(MessageTemplate::fits(0, 1));
    EXPECT_FALSE(MessageTemplate::fits(100'000'000'000'000, 1));
    EXPECT_FALSE(MessageTemplate::fits(-100'000'000'000'000, 1));
    EXPECT_FALSE(MessageTemplate::fits(1, 100'000'000'000'000));
    EXPECT_FALSE(MessageTemplate::fits(1, 0));
    EXPECT_FALSE(MessageTemplate::fits(1, -1));
}

TEST(FixMessageTemplate, RefusesInstrumentsItCannotWrite) {
    EXPECT_FALSE(TemplateInstrument::make("", 2, 0));
    EXPECT_FALSE(TemplateInstrument::make(std::string(33, 'A'), 2, 0));
    EXPECT_FALSE(
        TemplateInstrument::make("A\x01"
                                 "B",
                                 2, 0));
    EXPECT_FALSE(TemplateInstrument::make("A", -1, 0));
    EXPECT_FALSE(TemplateInstrument::make("A", 2, 15));
}

TEST(FixMessageTemplate, TakesNoMemoryForOrders) {
    MessageTemplate message(default_order_template(), identity);
    const auto first = TemplateInstrument::make("SBER", 2, 0);
    const auto second = TemplateInstrument::make("GAZP-LONG", 4, 0);
    OrderPatch values = order();
    test::AllocationGuard guard;
    for (std::uint64_t number = 1; number < 2'000; ++number) {
        values.sequence_number = number;
        values.sending_time_ns += 100'000'000;
        ASSERT_FALSE(message.patch(number % 3 == 0 ? *first : *second, values).empty());
    }
}

constexpr std::string_view good_xml = R"(<order-template msgtype="D">
  <field tag="11" slot="cl_ord_id"/>
  <field tag="1" name="Account" value="L01"/>
  <field tag="55" slot="symbol"/>
  <field tag="54" slot="side"/>
  <field tag="60" slot="transact_time"/>
  <field tag="38" slot="order_qty"/>
  <field tag="40" value="2"/>
  <field tag="44" slot="price"/>
  <field tag="59" slot="time_in_force"/>
</order-template>)";

TEST(FixOrderTemplate, LoadsSlotsAndConstants) {
    Diagnostics diagnostics;
    const auto loaded = load_order_template(good_xml, "t.xml", diagnostics);
    ASSERT_TRUE(loaded) << diagnostics.format();
    MessageTemplate message(*loaded, identity);
    const auto instrument = TemplateInstrument::make("SBER", 2, 0);
    OrderPatch values = order();
    values.ord_type = '1';  // the template's constant stands
    EXPECT_EQ(with_bars(text_of(message.patch(*instrument, values))),
              with_bars(fix_message("35=D|34=42|49=TICKPATH|52=20260105-10:00:00.123456|56=EXCH|"
                                    "11=00000000070100000001|1=L01|55=SBER|54=1|60=20260105-10:00:00.123456|"
                                    "38=0000000000000007|40=2|44=0000000000133.31|59=3|")));
}

TEST(FixOrderTemplate, ShippedTemplateIsTheDefault) {
    Diagnostics diagnostics;
    const auto loaded =
        load_order_template_file(TICKPATH_SOURCE_ROOT "/templates/orders/new_order_single.xml", diagnostics);
    ASSERT_TRUE(loaded) << diagnostics.format();
    const OrderTemplate expected = default_order_template();
    ASSERT_EQ(loaded->fields.size(), expected.fields.size());
    for (std::size_t i = 0; i < expected.fields.size(); ++i) {
        EXPECT_EQ(loaded->fields[i].tag, expected.fields[i].tag);
        EXPECT_EQ(loaded->fields[i].slot, expected.fields[i].slot);
    }
}

struct BadTemplate {
    std::string_view from;
    std::string_view to;
    std::string_view complaint;
};

TEST(FixOrderTemplate, NamesEveryMistakeWithItsLine) {
    for (const BadTemplate bad : {
             BadTemplate{"<order-template msgtype=\"D\">", "<order-template>",
                         "t.xml:1: <order-template> needs msgtype"},
             BadTemplate{"</order-template>", "", "not well-formed XML"},
             BadTemplate{"slot=\"symbol\"", "slot=\"symbl\"",
                         "t.xml:4: slot \"symbl\" is not known; did you mean \"symbol\"?"},
             BadTemplate{"tag=\"44\"", "tag=\"45\"", "t.xml:9: slot \"price\" is for field 44, not 45"},
             BadTemplate{"tag=\"1\"", "tag=\"34\"", "t.xml:3: field 34 belongs to the session"},
             BadTemplate{"tag=\"1\"", "tag=\"11\"", "t.xml:3: field 11 is there twice"},
             BadTemplate{"tag=\"1\"", "tag=\"x\"", "t.xml:3: <field> needs a tag number"},
             BadTemplate{"value=\"L01\"", "value=\"\"", "t.xml:3: field 1: the value must not be empty"},
             BadTemplate{"value=\"L01\"", "", "t.xml:3: field 1 needs either slot or value"},
             BadTemplate{"name=\"Account\"", "nmae=\"Account\"",
                         "t.xml:3: attribute nmae is not known; did you mean name?"},
             BadTemplate{"<field tag=\"44\" slot=\"price\"/>", "", "field 44 with slot=\"price\" is missing"},
             BadTemplate{"<field tag=\"1\" name=\"Account\" value=\"L01\"/>", "<group/>",
                         "t.xml:3: <group> is not known here"},
         }) {
        std::string xml(good_xml);
        const std::size_t at = xml.find(bad.from);
        ASSERT_NE(at, std::string::npos) << bad.from;
        xml.replace(at, bad.from.size(), bad.to);
        Diagnostics diagnostics;
        EXPECT_FALSE(load_order_template(xml, "t.xml", diagnostics)) << bad.from;
        EXPECT_NE(diagnostics.format().find(bad.complaint), std::string::npos) << diagnostics.format();
    }
}

TEST(FixOrderTemplate, ReportsAFileThatIsNotThere) {
    Diagnostics diagnostics;
    EXPECT_FALSE(load_order_template_file("no/such.xml", diagnostics));
    EXPECT_NE(diagnostics.format().find("no/such.xml"), std::string::npos);
}

}  // namespace
}  // namespace tickpath::fix
