// The doctor must find the reset rule where no error gives it away, and say so where it cannot.
#include "control/doctor/fast_check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/fast/template_loader.h"
#include "decoders/framing/presets.h"
#include "tests/control/doctor/quote_sender.h"
#include "tests/decoders/framing/framing_bytes.h"

namespace tickpath::doctor {
namespace {

using test::QuoteSender;
using Bytes = std::vector<std::byte>;

constexpr unsigned packets = 100;

std::vector<framing::FeedDescription> presets() {
    std::vector<framing::FeedDescription> feeds;
    Diagnostics diagnostics;
    for (const std::string_view name : framing::preset_names())
        feeds.push_back(*framing::load_description(std::string(name), diagnostics));
    return feeds;
}

CheckReport check(Recording recording, const std::string& templates = test::quote_template) {
    const std::string xml = "<templates>" + templates + "</templates>";
    Diagnostics diagnostics;
    auto loaded = fast::load_templates(xml, "quotes.xml", diagnostics);
    EXPECT_TRUE(loaded) << diagnostics.format();
    return check_fast({.recording = std::move(recording),
                       .templates_file = "quotes.xml",
                       .templates_xml = xml,
                       .templates = std::move(loaded),
                       .feeds = presets()});
}

Recording capture_of(const std::vector<Bytes>& payloads) {
    Recording recording;
    recording.file = "quotes.pcap";
    recording.is_capture = true;
    recording.groups = {"239.0.0.1:9000"};
    for (std::size_t i = 0; i < payloads.size(); ++i)
        recording.payloads.push_back({i, 0, payloads[i]});
    return recording;
}

Recording file_of(const std::vector<Bytes>& pieces) {
    Recording recording = capture_of({{}});
    recording.is_capture = false;
    for (const Bytes& piece : pieces)
        recording.payloads[0].bytes.insert(recording.payloads[0].bytes.end(), piece.begin(), piece.end());
    return recording;
}

// Packets of `messages` quotes; the sender forgets before each packet, or before each quote.
std::vector<Bytes> quotes(bool forgets_by_packet, bool forgets_by_quote, unsigned messages = 1,
                          unsigned count = packets, bool remembers_template = false) {
    QuoteSender sender(5);
    sender.remembers_template = remembers_template;
    std::vector<Bytes> payloads(count);
    for (Bytes& payload : payloads) {
        if (forgets_by_packet) sender.forget();
        for (unsigned i = 0; i < messages; ++i) {
            if (forgets_by_quote) sender.forget();
            sender.append_quote(payload);
        }
    }
    return payloads;
}

Bytes with_number(const Bytes& payload, std::uint32_t number) {
    Bytes out;
    for (unsigned shift = 0; shift < 32; shift += 8)
        out.push_back(static_cast<std::byte>(number >> shift & 0xFF));
    out.insert(out.end(), payload.begin(), payload.end());
    return out;
}

void expect_found(const CheckReport& report, const std::string& options) {
    ASSERT_EQ(report.outcome, Outcome::found) << report.data.dump(2);
    EXPECT_EQ(report.data["options"], options) << report.data.dump(2);
    EXPECT_NE(report.data["confidence"], "none");
    EXPECT_LE(report.lines.size(), 24u) << "more than a screen";
}

const nlohmann::ordered_json& rule(const CheckReport& report, const std::string& name) {
    for (const auto& one : report.data["resets"])
        if (one["options"] == "--reset " + name) return one;
    return report.data["resets"].back();
}

// ---- silence: every rule decodes everything

TEST(FastCheck, FindsThatTheSenderForgetsThoughNothingFails) {
    const CheckReport report = check(capture_of(quotes(true, false)));
    expect_found(report, "--framing none --reset datagram");
    EXPECT_EQ(report.data["confidence"], "high");
    const auto& never = rule(report, "never");
    EXPECT_EQ(never["whole"], packets) << "it decodes, and that is the trap";
    EXPECT_GT(never["datagrams_differing"], packets / 2);
    EXPECT_GT(never["sent_again"], packets / 2);
    EXPECT_NE(never["reason"].get<std::string>().find(" under never"), std::string::npos);
    EXPECT_TRUE(rule(report, "message")["same_values"]) << "each packet is one message";
}

TEST(FastCheck, FindsThatTheSenderRemembersThoughNothingFails) {
    const CheckReport report = check(capture_of(quotes(false, false)));
    expect_found(report, "--framing none --reset never");
    EXPECT_EQ(report.data["confidence"], "high");
    EXPECT_EQ(rule(report, "datagram")["whole"], packets);
    EXPECT_GT(rule(report, "datagram")["left_out"], packets / 4);
    EXPECT_EQ(rule(report, "datagram")["sent_again"], 0);
}

// A value that comes back behind a NULL has to be sent, whoever remembers.
TEST(FastCheck, TakesNoValueBehindNullForARepeat) {
    QuoteSender sender(5);
    sender.has_board_seldom = true;
    std::vector<Bytes> payloads(packets);
    for (Bytes& payload : payloads)
        sender.append_quote(payload);
    const CheckReport report = check(capture_of(payloads));
    expect_found(report, "--framing none --reset never");
    EXPECT_EQ(rule(report, "datagram")["sent_again"], 0);
}

TEST(FastCheck, TellsMessagesFromDatagrams) {
    expect_found(check(capture_of(quotes(false, true, 3))), "--framing none --reset message");
    expect_found(check(capture_of(quotes(true, false, 3))), "--framing none --reset datagram");
}

TEST(FastCheck, FindsAResetMessageWithoutTheAttribute) {
    QuoteSender sender(5);
    std::vector<Bytes> payloads(packets);
    for (std::size_t i = 0; i < payloads.size(); ++i) {
        if (i % 4 == 0) sender.append_reset(payloads[i]);
        sender.append_quote(payloads[i]);
    }
    const std::string reset_in_file =
        std::string(test::quote_template) + R"(<template name="Reset" id="120"/>)";
    expect_found(check(capture_of(payloads), reset_in_file), "--framing none --reset template:120");
}

// ---- errors that tell

TEST(FastCheck, CountsDatagramsThatRelyOnARememberedTemplate) {
    const CheckReport report = check(capture_of(quotes(false, false, 1, packets, true)));
    expect_found(report, "--framing none --reset never");
    EXPECT_EQ(rule(report, "datagram")["remembered_template_missing"], packets - 1);
    EXPECT_EQ(rule(report, "datagram")["errors"]["D5"], packets - 1);
}

TEST(FastCheck, FindsAResetMessageThatTheFileDoesNotHave) {
    QuoteSender sender(5);
    std::vector<Bytes> payloads(packets);
    for (Bytes& payload : payloads) {
        sender.append_reset(payload);
        sender.append_quote(payload);
    }
    expect_found(check(capture_of(payloads)), "--framing none --reset template:120");
}

// ---- framing

TEST(FastCheck, FindsNumbersBeforeDatagramsAndThePresetThatHasThem) {
    std::vector<Bytes> payloads = quotes(true, false);
    for (std::size_t i = 0; i < payloads.size(); ++i)
        payloads[i] = with_number(payloads[i], static_cast<std::uint32_t>(44'360 + i));
    std::string templates = test::quote_template;
    templates.replace(templates.find("id=\"1\""), 6, "id=\"3610\"");
    for (Bytes& payload : payloads) {  // template 3610 in two bytes: 1c 9a
        payload[5] = std::byte{0x1C};
        payload.insert(payload.begin() + 6, std::byte{0x9A});
    }
    const CheckReport report = check(capture_of(payloads), templates);
    expect_found(report, "--framing u32le-sequence --reset datagram");
    EXPECT_EQ(report.data["preset"], "moex-asts");
    expect_found(check(file_of(payloads), templates), "--framing u32le-sequence --reset datagram");
}

TEST(FastCheck, FindsLengthsBeforeBlocks) {
    std::vector<Bytes> payloads = quotes(true, false);
    for (Bytes& payload : payloads)
        payload = with_number(payload, static_cast<std::uint32_t>(payload.size()));
    const CheckReport report = check(file_of(payloads));
    expect_found(report, "--framing u32le-length --reset datagram");
}

TEST(FastCheck, FindsTheFiveBytesOfCme) {
    std::vector<Bytes> payloads = quotes(true, false);
    for (std::size_t i = 0; i < payloads.size(); ++i) {
        Bytes framed = {std::byte{0}, std::byte{1}, std::byte{2}, static_cast<std::byte>(i), std::byte{7}};
        framed.insert(framed.end(), payloads[i].begin(), payloads[i].end());
        payloads[i] = framed;
    }
    expect_found(check(capture_of(payloads)), "--framing cme --reset datagram");
}

TEST(FastCheck, FindsMessagesInChunks) {
    std::vector<Bytes> payloads;
    std::uint32_t number = 0;
    for (const Bytes& message : quotes(true, false)) {
        const auto halves = {std::span(message).first(message.size() / 2),
                             std::span(message).subspan(message.size() / 2)};
        ++number;
        std::uint16_t index = 0;
        for (const std::span<const std::byte> half : halves)
            payloads.push_back(test::umdf_datagram({number, 2, ++index}, half));
    }
    expect_found(check(capture_of(payloads)), "--framing umdf --reset datagram");
    expect_found(check(file_of(payloads)), "--framing umdf --reset datagram");
    payloads.erase(payloads.begin() + 10);  // one chunk of many is no reason to doubt
    expect_found(check(capture_of(payloads)), "--framing umdf --reset datagram");
}

TEST(FastCheck, FindsPacketHeadersThatTheTemplatesDoNotHave) {
    std::vector<Bytes> payloads = quotes(true, false, 3);
    for (std::size_t i = 0; i < payloads.size(); ++i) {
        Bytes framed = test::t7_packet_start();
        framed.resize(19);  // header and Reset
        framed[7] = static_cast<std::byte>(i);
        framed.insert(framed.end(), payloads[i].begin(), payloads[i].end());
        payloads[i] = framed;
    }
    expect_found(check(capture_of(payloads)), "--framing t7 --reset template:120");
}

// ---- where it must not claim anything

TEST(FastCheck, CannotTellFromAFewPackets) {
    const CheckReport report = check(capture_of(quotes(true, false, 1, 3)));
    EXPECT_EQ(report.outcome, Outcome::cannot_tell) << report.data.dump(2);
    EXPECT_FALSE(report.data.contains("options"));
}

TEST(FastCheck, CannotTellWhereValuesDifferAndNothingSpeaksForEither) {
    // Small differences and small values look alike.
    std::vector<Bytes> payloads;
    for (unsigned i = 0; i < packets; ++i)
        payloads.push_back({std::byte{0xC0}, std::byte{0x81}, static_cast<std::byte>(0x80 | (i * 7 % 60))});
    const CheckReport report = check(
        capture_of(payloads), R"(<template name="T" id="1"><int32 name="a"><delta/></int32></template>)");
    EXPECT_EQ(report.outcome, Outcome::cannot_tell) << report.data.dump(2);
    EXPECT_NE(report.lines.back().find("Cannot tell"), std::string::npos);
}

TEST(FastCheck, SaysThatTheRuleDoesNotMatterWhereNothingIsRemembered) {
    std::vector<Bytes> payloads(10, {std::byte{0xC0}, std::byte{0x81}, std::byte{0x85}});
    const CheckReport report =
        check(capture_of(payloads), R"(<template name="T" id="1"><int32 name="a"/></template>)");
    expect_found(report, "--framing none --reset datagram");
    EXPECT_NE(report.data["text"].get<std::string>().find("no field"), std::string::npos);
}

TEST(FastCheck, SaysBadDataWhereNothingDecodes) {
    std::vector<Bytes> payloads(20, {std::byte{0x11}, std::byte{0x22}, std::byte{0x33}});
    const CheckReport report = check(capture_of(payloads));
    EXPECT_EQ(report.outcome, Outcome::bad_data);
    EXPECT_FALSE(report.data.contains("options"));
}

TEST(FastCheck, SaysBadDataWhereNothingIs) {
    EXPECT_EQ(check(capture_of({})).outcome, Outcome::bad_data);
    EXPECT_EQ(check(file_of({})).outcome, Outcome::bad_data);
    Recording broken = capture_of({});
    broken.error = "quotes.pcap: truncated";
    EXPECT_EQ(check(broken).lines.front(), "quotes.pcap: quotes.pcap: truncated");
}

// A packet or two that a recorder damaged do not hide what the others say.
TEST(FastCheck, IsNotMisledByAFewBadPackets) {
    std::vector<Bytes> payloads = quotes(true, false, 1, 300);
    payloads[10] = {std::byte{0x11}};
    payloads[200].resize(3);
    expect_found(check(capture_of(payloads)), "--framing none --reset datagram");
}

// Lines of a feed have a dictionary each.
TEST(FastCheck, KeepsGroupsApart) {
    QuoteSender a(5);
    QuoteSender b(6);
    Recording recording = capture_of({});
    recording.groups = {"239.0.0.1:9000", "239.0.0.2:9000"};
    for (unsigned i = 0; i < packets; ++i) {
        Bytes payload;
        (i % 2 == 0 ? a : b).append_quote(payload);
        recording.payloads.push_back({i, i % 2, payload});
    }
    expect_found(check(recording), "--framing none --reset never");
}

}  // namespace
}  // namespace tickpath::doctor
