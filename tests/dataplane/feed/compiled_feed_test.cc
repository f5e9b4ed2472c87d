#include "dataplane/feed/compiled_feed.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "decoders/fast/template_loader.h"

namespace tickpath::feed {
namespace {

const std::string templates_xml = R"(<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
<template name="X-A" id="1">
  <uInt32 name="Seq"/> <uInt64 name="Sent"/> <string name="Board"/>
  <sequence name="Entries"><length name="No"/>
    <uInt32 name="Action"/> <string name="Type"/> <string name="Symbol"/> <string name="Board"/> <uInt32 name="Rpt"/>
    <decimal name="Px"/> <int64 name="Qty"/> <byteVector name="Raw"/>
  </sequence>
</template>
<template name="W" id="2">
  <uInt32 name="Seq"/> <string name="Symbol"/> <string name="Board"/> <uInt32 name="Rpt"/> <uInt32 name="Last"/>
  <sequence name="Entries"><length name="No"/> <string name="Type"/> <decimal name="Px"/> </sequence>
</template>
<template name="Heartbeat" id="3"><uInt32 name="Seq"/></template>
</templates>)";

const std::string description_xml = R"(<feed name="lab">
<framing preamble_bytes="4" sequence_bytes="4" sequence_order="little" messages="one"/>
<fast reset="template" reset_template="99"/>
<numbering source="preamble"/>
<instrument_numbering contiguous="yes"/>
<learned price_places="2" quantity_places="0"/>
<message kind="incremental" templates="X-*" entries="Entries" key="Symbol Board" price="Px" quantity="Qty" instrument_sequence="Rpt">
<action field="Action" add="0" change="1" remove="2"/>
<type field="Type" bid="0" ask="1" trade="2 z" empty_book="J"/>
</message>
<message kind="snapshot" templates="2 X-OTHER" entries="Entries" key="Symbol Board" last_number_processed="Last">
<type field="Type" bid="0" ask="1"/>
</message>
<channel name="C" book="level" start="empty"><line role="incremental" copy="A" group="239.1.1.1:9000"/></channel>
</feed>)";

std::shared_ptr<const fast::Templates> templates() {
    Diagnostics diagnostics;
    auto loaded = fast::load_templates(templates_xml, "t.xml", diagnostics);
    EXPECT_NE(loaded, nullptr) << diagnostics.format();
    return loaded;
}

std::shared_ptr<const CompiledFeed> compiled(const std::string& xml, Diagnostics& diagnostics) {
    const auto description = framing::parse_description(xml, "f.xml", diagnostics);
    return description ? compile_feed(*description, templates(), diagnostics) : nullptr;
}

/// What is wrong when `from` is replaced by `to` in the good description.
std::string findings(const std::string& from, const std::string& to) {
    std::string xml = description_xml;
    EXPECT_NE(xml.find(from), std::string::npos) << from;
    xml.replace(xml.find(from), from.size(), to);
    Diagnostics diagnostics;
    const bool is_refused = compiled(xml, diagnostics) == nullptr;
    EXPECT_EQ(is_refused, diagnostics.has_errors());
    return diagnostics.format();
}

TEST(CompiledFeed, MapsTemplatesByNameAndNumber) {
    Diagnostics diagnostics;
    const auto feed = compiled(description_xml, diagnostics);
    ASSERT_NE(feed, nullptr) << diagnostics.format();
    const auto index = [&](std::string_view name) {
        return feed->templates()->index_of(*feed->templates()->find_template(name));
    };
    ASSERT_NE(feed->message(index("X-A")), nullptr);
    EXPECT_EQ(feed->message(index("X-A"))->kind, framing::MessageKind::incremental);
    EXPECT_EQ(feed->message(index("W"))->kind, framing::MessageKind::snapshot);
    EXPECT_EQ(feed->message(index("Heartbeat")), nullptr);
    EXPECT_EQ(feed->message(fast::Message::no_template), nullptr);
    EXPECT_EQ(feed->decoder_options().reset, fast::ResetRule::template_id);
    EXPECT_EQ(feed->decoder_options().reset_template_id, 99u);
}

TEST(CompiledFeed, GivesTheDecoderTheLimitsOfTheDescription) {
    Diagnostics diagnostics;
    const fast::Limits usual = compiled(description_xml, diagnostics)->decoder_options().limits;
    EXPECT_EQ(usual.sequence_length_max, fast::Limits{}.sequence_length_max);
    EXPECT_EQ(usual.string_bytes_max, fast::Limits{}.string_bytes_max);
    EXPECT_EQ(usual.map_bytes_max, fast::Limits{}.map_bytes_max);
    std::string xml = description_xml;
    xml.replace(xml.find("<fast "), 6,
                R"(<fast sequence_length_max="9" string_bytes_max="10" map_bytes_max="11" )");
    const auto feed = compiled(xml, diagnostics);
    ASSERT_NE(feed, nullptr) << diagnostics.format();
    EXPECT_EQ(feed->decoder_options().limits.sequence_length_max, 9u);
    EXPECT_EQ(feed->decoder_options().limits.string_bytes_max, 10u);
    EXPECT_EQ(feed->decoder_options().limits.map_bytes_max, 11u);
}

TEST(CompiledFeed, LooksFieldsUpInTheEntryFirst) {
    Diagnostics diagnostics;
    const auto feed = compiled(description_xml, diagnostics);
    const CompiledMessage& incremental = *feed->message(0);
    EXPECT_EQ(incremental.key[1].place, FieldAt::Place::entry);
    EXPECT_EQ(incremental.key_count, 2u);
    EXPECT_EQ(feed->message(1)->key[1].place, FieldAt::Place::message);
    EXPECT_FALSE(incremental.level.exists());
    EXPECT_EQ(incremental.action.meaning_of[2], ActionMeaning::remove);
    EXPECT_EQ(incremental.type.meaning_of['2'], EntryMeaning::trade);
    EXPECT_EQ(incremental.type.meaning_of[2], EntryMeaning::other);
}

TEST(CompiledFeed, NamesFieldsThatTheTemplatesDoNotHave) {
    EXPECT_EQ(findings("price=\"Px\"", "price=\"Pxx\""),
              "f.xml:7: template X-A has no field Pxx (did you mean Px?)\n");
    EXPECT_EQ(findings("entries=\"Entries\" key=\"Symbol Board\" price",
                       "entries=\"Seq\" key=\"Symbol Board\" price"),
              "f.xml:7: template X-A has no sequence Seq\n");
    // A snapshot's instrument is named by the message.
    EXPECT_EQ(findings("last_number_processed=\"Last\"", "last_number_processed=\"Px\""),
              "f.xml:11: template W has no field Px\n");
}

TEST(CompiledFeed, RefusesFieldsThatCannotHoldTheirMeaning) {
    EXPECT_EQ(findings("price=\"Px\"", "price=\"Type\""),
              "f.xml:7: field Type of template X-A is not a decimal or an integer\n");
    EXPECT_EQ(findings("instrument_sequence=\"Rpt\"", "instrument_sequence=\"Px\""),
              "f.xml:7: field Px of template X-A is not an integer\n");
    EXPECT_EQ(findings("key=\"Symbol Board\" price", "key=\"Raw\" price"),
              "f.xml:7: field Raw of template X-A is not a string or an integer\n");
    EXPECT_EQ(findings("trade=\"2 z\"", "trade=\"22\""),
              "f.xml:7: value 22 cannot occur in its field of template X-A\n");
    EXPECT_EQ(findings("remove=\"2\"", "remove=\"z\""),
              "f.xml:7: value z cannot occur in its field of template X-A\n");
    EXPECT_EQ(findings("remove=\"2\"", "remove=\"1\""), "f.xml:7: value 1 has two meanings\n");
}

TEST(CompiledFeed, RefusesTemplatesOfAnotherFeed) {
    EXPECT_EQ(
        findings("X-*", "Y-*"),
        "f.xml: feed lab: none of its incremental messages is in the templates; are they this feed's?\n");
    EXPECT_EQ(findings("templates=\"2 X-OTHER\"", "templates=\"2 1\""),
              "f.xml:11: template X-A is mapped by an earlier <message>\n");
}

TEST(CompiledFeed, RefusesAResetRuleThatCannotSurviveLoss) {
    EXPECT_EQ(findings("reset=\"template\" reset_template=\"99\"", "reset=\"never\""),
              "f.xml: reset=\"never\" cannot work on datagrams: after a lost one every value that an "
              "operator derives "
              "is wrong, without a sign\n");
}

TEST(CompiledFeed, NeedsThePacketNumberInEveryMappedMessage) {
    EXPECT_EQ(findings("source=\"preamble\"", "source=\"field\" field=\"Last\""),
              "f.xml: template X-A has no integer field Last, which numbers the packets\n");
    EXPECT_EQ(findings("source=\"preamble\"", "source=\"field\" field=\"Seq\""), "");
}

}  // namespace
}  // namespace tickpath::feed
