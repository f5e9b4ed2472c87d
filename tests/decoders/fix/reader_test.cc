#include "decoders/fix/reader.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/allocation_guard.h"
#include "tests/support/fix_text.h"

namespace tickpath::fix {
namespace {

using test::fix_message;
using test::with_bars;
using test::with_soh;

const std::string heartbeat_body = "35=0|34=2|49=ISLD|52=20260105-10:00:00.000|56=TW44|";
const std::string order_body =
    "35=D|34=3|49=A|52=20260105-10:00:00.000|56=B|11=ID|21=3|38=100|40=1|54=1|55=INTC|60=20260105-10:00:00|";

/// The message with another BodyLength, its checksum left as it was.
std::string with_body_length(std::string message, const std::string& length) {
    const std::size_t at = message.find(
                               "\x01"
                               "9=") +
                           3;
    return message.replace(at, message.find('\x01', at) - at, length);
}

/// What a stream gives, as text: one line per message or garbled event.
std::string events_of(std::string_view stream, std::size_t chunk, const ReaderLimits& limits = {}) {
    Reader reader(limits);
    std::string events, buffer;
    for (std::size_t at = 0; at < stream.size() || at == 0; at += chunk) {
        buffer += stream.substr(at, chunk);
        for (bool more = true; more;) {
            const ScanResult result = reader.read({buffer.data(), buffer.size()});
            switch (result.scan) {
                case Scan::message:
                    events += "message " + with_bars(reader.message().bytes());
                    if (reader.fault().is_present)
                        events += " fault " + std::to_string(reader.fault().reason) + " '" +
                                  std::string(reader.fault().tag) + "'";
                    events += '\n';
                    break;
                case Scan::garbled:
                    events += "garbled\n";
                    break;
                case Scan::overlong:
                    return events + "overlong\n";
                case Scan::skipped:
                    break;
                case Scan::incomplete:
                    more = false;
                    break;
            }
            EXPECT_EQ(result.bytes == 0, result.scan == Scan::incomplete)
                << "an answer consumes, or asks for more";
            buffer.erase(0, result.bytes);
        }
    }
    return events;
}

std::string message_event(const std::string& message) {
    return "message " + with_bars(message) + "\n";
}

TEST(FixReader, AcceptsTheWorkedVector) {
    const std::string message =
        with_soh("8=FIX.4.4|9=51|35=0|34=2|49=ISLD|52=20260105-10:00:00.000|56=TW44|10=243|");
    EXPECT_EQ(fix_message(heartbeat_body), message);
    EXPECT_EQ(events_of(message, message.size()), message_event(message));
}

TEST(FixReader, IndexesEveryField) {
    const std::string message = fix_message(order_body);
    Reader reader;
    ASSERT_EQ(reader.read({message.data(), message.size()}).scan, Scan::message);
    const Message& view = reader.message();
    EXPECT_EQ(view.begin_string(), "FIX.4.4");
    EXPECT_EQ(view.msg_type(), "D");
    EXPECT_EQ(view.fields().size(), 15u);
    EXPECT_EQ(view.text(tag::symbol), "INTC");
    EXPECT_EQ(view.number(tag::msg_seq_num), 3u);
    EXPECT_EQ(view.character(tag::side), '1');
    EXPECT_EQ(view.decimal(tag::order_qty), (Decimal{100, 0}));
    EXPECT_EQ(view.timestamp(tag::transact_time), parse_utc_timestamp("20260105-10:00:00"));
    EXPECT_EQ(view.text(tag::price), std::nullopt);
    EXPECT_EQ(view.number(tag::symbol), std::nullopt);
    EXPECT_FALSE(view.flag(tag::poss_dup_flag));
    EXPECT_EQ(view.fields().back().tag, tag::check_sum);
}

TEST(FixReader, SplitsAValueAtItsFirstEqualsSign) {
    const std::string message = fix_message("35=0|34=2|58=a=b=|");
    Reader reader;
    ASSERT_EQ(reader.read({message.data(), message.size()}).scan, Scan::message);
    EXPECT_EQ(reader.message().text(tag::text), "a=b=");
}

TEST(FixReader, AcceptsLeadingZerosInBodyLength) {
    std::string message = with_soh("8=FIX.4.4|9=000051|" + heartbeat_body);
    message += "10=" + test::checksum_text(message) + '\x01';
    EXPECT_EQ(events_of(message, 1), message_event(message));
}

TEST(FixReader, EverySplitGivesTheSameEvents) {
    std::string wrong_checksum = fix_message(order_body);
    wrong_checksum[wrong_checksum.size() - 2] ^= 1;
    const std::string too_short = with_body_length(fix_message(order_body), "30");
    const std::string stream = fix_message(heartbeat_body) + "noise" + with_soh("|8=FIX") +
                               fix_message(order_body) + fix_message(heartbeat_body) + wrong_checksum +
                               fix_message(order_body) + too_short + fix_message("35=0|34=9|-1=x|") +
                               with_soh("8=FIX.4.4|9=52|35=0|10=0|") + fix_message(order_body) +
                               fix_message("35=0|95=4|96=a|=b|34=7|");
    const std::string whole = events_of(stream, stream.size());
    EXPECT_NE(whole.find("garbled"), std::string::npos);
    for (std::size_t chunk = 1; chunk < 300; ++chunk)
        ASSERT_EQ(events_of(stream, chunk), whole) << "chunk " << chunk;
}

TEST(FixReader, WaitsAtEveryTruncationPoint) {
    const std::string message = fix_message(order_body);
    Reader reader;
    for (std::size_t length = 0; length < message.size(); ++length) {
        const ScanResult result = reader.read({message.data(), length});
        ASSERT_EQ(result.scan, Scan::incomplete) << length;
        ASSERT_EQ(result.bytes, 0u);
    }
}

TEST(FixReader, NeverDeliversAMessageWithOneByteChanged) {
    const std::string message = fix_message(order_body);
    const std::string next = fix_message(heartbeat_body);
    for (std::size_t at = 0; at < message.size(); ++at)
        for (int change = 1; change < 256; ++change) {
            std::string stream = message + next + next + next;
            stream[at] =
                static_cast<char>(static_cast<unsigned char>(stream[at]) ^ static_cast<unsigned>(change));
            const std::string events = events_of(stream, stream.size());
            ASSERT_EQ(events.find("35=D"), std::string::npos) << at << " " << change << "\n" << events;
        }
}

TEST(FixReader, ALengthTooShortCostsOneMessage) {
    const std::string bad = with_body_length(fix_message(order_body), "30");
    const std::string good = fix_message(heartbeat_body);
    EXPECT_EQ(events_of(bad + good, 7), "garbled\n" + message_event(good));
}

TEST(FixReader, ALengthTooLongSwallowsTheNextMessage) {
    const std::string bad = with_body_length(fix_message(heartbeat_body), "60");
    const std::string good = fix_message(order_body);
    EXPECT_EQ(events_of(bad + good + good, 5), "garbled\n" + message_event(good));
}

TEST(FixReader, AChecksumOfOneDigitCostsOneMessage) {
    const std::string bad =
        with_soh("8=FIX.4.4|9=52|35=0|34=2|4garbled9=TW|52=20260105-10:00:00|56=ISLD|10=0|");
    const std::string good = fix_message(heartbeat_body);
    EXPECT_EQ(events_of(bad + good, 3), "garbled\n" + message_event(good));
}

TEST(FixReader, DropsTextWhereATagShouldBe) {
    const std::string good = fix_message(heartbeat_body);
    for (const char* body :
         {"35=0|34=2|4garbled9=TW|", "35=0|34=2|49garbled=TW|", "35=0|34=2|novalue|", "35=0|34=2|=x|",
          "35=0|34=2||49=A|", "35=0|34=2|55|", "35=0|34=2|-=1|", "35=0|34=2|+5=1|"})
        EXPECT_EQ(events_of(fix_message(body) + good, 1), "garbled\n" + message_event(good)) << body;
}

TEST(FixReader, DropsVersionsThatDoNotExist) {
    const std::string good = fix_message(heartbeat_body);
    for (const char* version : {"FIX.3.9", "FIX.4.5", "FIX.4", "", "FIXT.1.10", "fix.4.4", "FIX.4.4.4.4.4.4"})
        EXPECT_EQ(events_of(fix_message("35=0|34=2|", version) + good, 1), "garbled\n" + message_event(good))
            << version;
}

TEST(FixReader, ReportsNumbersThatAreNoTag) {
    for (const char* tag : {"0", "-1", "01", "9999999999", "00"}) {
        const std::string message = fix_message("35=0|34=4|" + std::string(tag) + "=HI|112=x|");
        EXPECT_EQ(events_of(message, 2), "message " + with_bars(message) + " fault 0 '" + tag + "'\n");
        Reader reader;
        ASSERT_EQ(reader.read({message.data(), message.size()}).scan, Scan::message);
        EXPECT_EQ(reader.message().text(tag::test_req_id), "x");
    }
}

TEST(FixReader, ReportsAnEmptyValue) {
    const std::string message = fix_message("35=0|34=|112=x|");
    EXPECT_EQ(events_of(message, 2), "message " + with_bars(message) + " fault 4 '34'\n");
}

TEST(FixReader, TakesDataByItsLength) {
    const std::string message = fix_message("35=A|34=1|95=8|96=AB|C=DEF|98=0|");
    Reader reader;
    ASSERT_EQ(reader.read({message.data(), message.size()}).scan, Scan::message);
    EXPECT_FALSE(reader.fault().is_present);
    EXPECT_EQ(reader.message().text(96), with_soh("AB|C=DEF"));
    EXPECT_EQ(reader.message().text(tag::encrypt_method), "0");
    EXPECT_EQ(reader.message().find(67), nullptr);
}

TEST(FixReader, RefusesDataThatBreaksItsLength) {
    struct Case {
        const char* body;
        const char* fault;
    };
    for (const Case c :
         {Case{"35=A|34=1|95=7|96=AB|C=DEF|98=0|", "fault 6 '95'"},
          Case{"35=A|34=1|95=5000|96=AB|98=0|", "fault 6 '95'"},
          Case{"35=A|34=1|95=18446744073709551615|96=AB|98=0|", "fault 6 '95'"},
          Case{"35=A|34=1|95=0|96=|98=0|", "fault 6 '95'"},
          Case{"35=A|34=1|95=-1|96=A|98=0|", "fault 5 '95'"}, Case{"35=A|34=1|96=AB|98=0|", "fault 6 '96'"},
          Case{"35=A|34=1|90=2|96=AB|98=0|", "fault 6 '96'"}}) {
        const std::string message = fix_message(c.body);
        EXPECT_EQ(events_of(message, 1), "message " + with_bars(message) + " " + c.fault + "\n") << c.body;
    }
}

TEST(FixReader, DataMayHoldAWholeMessage) {
    const std::string inner = with_bars(fix_message(heartbeat_body));
    const std::string message =
        fix_message("35=B|34=5|212=" + std::to_string(inner.size()) + "|213=" + inner + "|148=x|");
    EXPECT_EQ(events_of(message, 1), message_event(message));
}

TEST(FixReader, GivesUpOnALengthBeyondTheLimit) {
    for (const char* length : {"70000", "9999999", "2147483647", "4294967295", "9223372036854775807",
                               "99999999999999999999999999"})
        EXPECT_EQ(events_of(with_soh("8=FIX.4.4|9=") + length + with_soh("|35=0|34=2|10=000|"), 1),
                  "overlong\n")
            << length;
    EXPECT_EQ(events_of(fix_message(order_body), 1, {.message_bytes_max = 100}), "overlong\n");
}

TEST(FixReader, DropsALengthThatIsNoNumber) {
    const std::string good = fix_message(heartbeat_body);
    for (const char* length : {"", "-5", "+5", "5a", "0x10", " 5"})
        EXPECT_EQ(events_of(with_soh("8=FIX.4.4|9=") + length + with_soh("|35=0|34=2|10=000|") + good, 1),
                  "garbled\n" + message_event(good))
            << length;
}

TEST(FixReader, BoundsTheNumberOfFields) {
    std::string body = "35=0|34=2|";
    for (int i = 0; i < 50; ++i)
        body += "5000=x|";
    const std::string message = fix_message(body);
    EXPECT_EQ(events_of(message, message.size(), {.fields_max = 20}),
              "message " + with_bars(message) + " fault 99 ''\n");
}

TEST(FixReader, ForgetsANoisyConnectionOnReset) {
    Reader reader;
    EXPECT_EQ(reader.read({"noise", 5}).scan, Scan::garbled);
    reader.reset();
    const std::string message = fix_message(heartbeat_body);
    EXPECT_EQ(reader.read({message.data(), message.size()}).scan, Scan::message);
}

TEST(FixReader, SurvivesRandomBytes) {
    std::mt19937_64 random(3);
    const std::string alphabet = with_soh("8=FIX.4.4|9=51|35=0|10=243|0123456789|=-");
    for (int round = 0; round < 2'000; ++round) {
        std::string stream;
        while (stream.size() < 400)
            stream += random() % 4 == 0 ? fix_message(heartbeat_body).substr(random() % 30)
                                        : std::string(1, alphabet[random() % alphabet.size()]);
        const std::string whole = events_of(stream, stream.size());
        ASSERT_EQ(events_of(stream, 1 + random() % 50), whole) << with_bars(stream);
    }
}

TEST(FixReader, TakesNoMemory) {
    const std::string message = fix_message(order_body);
    Reader reader;
    test::AllocationGuard guard;
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ(reader.read({message.data(), message.size()}).scan, Scan::message);
}

}  // namespace
}  // namespace tickpath::fix
