#include "decoders/framing/description.h"

#include <string>

#include <gtest/gtest.h>

#include "decoders/framing/presets.h"

namespace tickpath::framing {
namespace {

// A small good description; tests break one thing of it.
const std::string good = R"(<feed name="lab">
<framing preamble_bytes="4" sequence_offset="0" sequence_bytes="4" sequence_order="big" messages="many"/>
<fast templates="lab.xml" reset="datagram"/>
<numbering source="preamble"/>
<instrument_numbering contiguous="yes"/>
<window packets="64" time_us="500" line_silence_ms="250" reorder_packets="5"/>
<learned price_places="2" quantity_places="1"/>
<message kind="incremental" templates="X-* 7" entries="Entries" key="Symbol Board" price="Px">
<action field="Action" add="0" change="1" remove="2"/>
<type field="Type" bid="0" ask="1" trade="2 z" empty_book="J"/>
</message>
<message kind="snapshot" templates="W" entries="Entries" key="Symbol" last_number_processed="Last">
<type field="Type" bid="0" ask="1"/>
</message>
<message kind="restart" templates="49" next_number="Next"/>
<channel name="FUT" book="level" depth="5" start="empty">
<line role="incremental" copy="A" group="239.1.1.1:9000"/>
<line role="incremental" copy="B" group="239.1.2.1:9000"/>
<line role="snapshot" copy="A" group="239.1.1.2:9000"/>
</channel>
<channel name="TRADES" book="none">
<line role="incremental" copy="A" group="239.1.1.3:9000"/>
</channel>
</feed>
)";

std::string replaced(const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string findings(const std::string& xml) {
    Diagnostics diagnostics;
    const auto feed = parse_description(xml, "f.xml", diagnostics);
    EXPECT_EQ(feed.has_value(), !diagnostics.has_errors());
    return diagnostics.format();
}

TEST(FeedDescription, ReadsEverythingItIsTold) {
    Diagnostics diagnostics;
    const auto feed = parse_description(good, "f.xml", diagnostics);
    ASSERT_TRUE(feed) << diagnostics.format();
    EXPECT_EQ(feed->name, "lab");
    EXPECT_EQ(feed->file, "f.xml");
    EXPECT_EQ(feed->preamble, (Preamble{.bytes = 4, .sequence_bytes = 4, .sequence_order = ByteOrder::big}));
    EXPECT_EQ(feed->messages, MessagesPerDatagram::many);
    EXPECT_EQ(feed->trailing, TrailingBytes::error);
    EXPECT_EQ(feed->templates_file, "lab.xml");
    EXPECT_EQ(feed->reset, ResetRule::datagram);
    EXPECT_TRUE(feed->instrument_sequence_contiguous);
    EXPECT_EQ(feed->window.packets, 64u);
    EXPECT_EQ(feed->window.time_us, 500u);
    EXPECT_EQ(feed->window.line_silence_ms, 250u);
    EXPECT_EQ(feed->window.reorder_packets, 5u);
    EXPECT_EQ(feed->scale.price_places, 2);
    EXPECT_EQ(feed->scale.quantity_places, 1);

    ASSERT_EQ(feed->messages_mapped.size(), 3u);
    const MessageMapping& incremental = feed->messages_mapped[0];
    EXPECT_EQ(incremental.line, 8u);
    EXPECT_EQ(incremental.key, (std::vector<std::string>{"Symbol", "Board"}));
    EXPECT_EQ(incremental.price, "Px");
    EXPECT_EQ(incremental.action.remove, (std::vector<std::string>{"2"}));
    EXPECT_EQ(incremental.type.trade, (std::vector<std::string>{"2", "z"}));
    EXPECT_EQ(feed->messages_mapped[1].kind, MessageKind::snapshot);
    EXPECT_EQ(feed->messages_mapped[2].next_number, "Next");

    ASSERT_EQ(feed->channels.size(), 2u);
    const Channel& futures = feed->channels[0];
    EXPECT_EQ(futures.book, (BookSettings{BookModel::level, 5, BookStart::empty}));
    ASSERT_EQ(futures.lines.size(), 3u);
    EXPECT_EQ(futures.lines[1].index(), 1);
    EXPECT_EQ(futures.lines[2].index(), 2);
    EXPECT_EQ(futures.lines[2].group, (net::MulticastGroup{0xEF01'0102, 9000}));
    EXPECT_EQ(feed->find_channel("TRADES")->book.model, BookModel::none);
    EXPECT_EQ(feed->find_channel("FU"), nullptr);
}

TEST(FeedDescription, MatchesTemplatesByNumberNameAndPrefix) {
    const TemplateSelector by_prefix{"X-*", std::nullopt};
    EXPECT_TRUE(by_prefix.matches("X-OLR-CURR", 3610));
    EXPECT_FALSE(by_prefix.matches("W-OLS-CURR", 3610));
    const TemplateSelector by_number{"3610", 3610};
    EXPECT_TRUE(by_number.matches("any", 3610));
    EXPECT_FALSE(by_number.matches("any", 361));
    const TemplateSelector by_name{"W", std::nullopt};
    EXPECT_TRUE(by_name.matches("W", 1));
    EXPECT_FALSE(by_name.matches("W-OLS", 1));
}

TEST(FeedDescription, NeverGuessesTheResetRule) {
    EXPECT_EQ(findings(replaced(" reset=\"datagram\"", "")),
              "f.xml:3: <fast> needs reset=\"…\": message, datagram, template, never\n");
    EXPECT_EQ(findings(replaced("reset=\"datagram\"", "reset=\"packet\"")),
              "f.xml:3: reset=\"packet\" is not one of message, datagram, template, never\n");
    EXPECT_EQ(findings(replaced("reset=\"datagram\"", "reset=\"template\"")),
              "f.xml:3: reset_template goes with reset=\"template\", and only with it\n");
    EXPECT_EQ(findings(replaced("reset=\"datagram\"", "reset=\"template\" reset_template=\"120\"")), "");
}

TEST(FeedDescription, BoundsWhatAMessageMayCost) {
    Diagnostics diagnostics;
    EXPECT_EQ(parse_description(good, "f.xml", diagnostics)->fast_limits, (FastLimits{65'536, 16'384, 64}));
    const std::string limits =
        R"(reset="datagram" sequence_length_max="100" string_bytes_max="8" map_bytes_max="2")";
    const auto feed = parse_description(replaced("reset=\"datagram\"", limits), "f.xml", diagnostics);
    ASSERT_TRUE(feed) << diagnostics.format();
    EXPECT_EQ(feed->fast_limits, (FastLimits{100, 8, 2}));
}

TEST(FeedDescription, RefusesBoundsThatBoundNothing) {
    const auto with = [](const char* attribute) {
        return findings(replaced("reset=\"datagram\"", std::string("reset=\"datagram\" ") + attribute));
    };
    EXPECT_EQ(with(R"(sequence_length_max="0")"),
              "f.xml:3: sequence_length_max=\"0\" is not a number from 1 to 262144\n");
    EXPECT_EQ(with(R"(sequence_length_max="262145")"),
              "f.xml:3: sequence_length_max=\"262145\" is not a number from 1 to 262144\n");
    EXPECT_EQ(with(R"(string_bytes_max="7")"),
              "f.xml:3: string_bytes_max=\"7\" is not a number from 8 to 65536\n");
    EXPECT_EQ(with(R"(string_bytes_max="16k")"),
              "f.xml:3: string_bytes_max=\"16k\" is not a number from 8 to 65536\n");
    EXPECT_EQ(with(R"(map_bytes_max="1")"), "f.xml:3: map_bytes_max=\"1\" is not a number from 2 to 65536\n");
    EXPECT_EQ(with(R"(map_bytes_max="")"), "f.xml:3: map_bytes_max=\"\" is not a number from 2 to 65536\n");
    EXPECT_EQ(with(R"(map_byte_max="9")"),
              "f.xml:3: unknown attribute map_byte_max of <fast> (did you mean map_bytes_max?)\n");
}

TEST(FeedDescription, SuggestsTheNearestSpelling) {
    EXPECT_EQ(findings(replaced("<window", "<windo")),
              "f.xml:6: unknown element windo in <feed> (did you mean window?)\n");
    EXPECT_EQ(findings(replaced("price=\"Px\"", "prise=\"Px\"")),
              "f.xml:8: unknown attribute prise of <message> (did you mean price?)\n");
}

TEST(FeedDescription, ReportsEveryProblemAtItsLine) {
    std::string xml = replaced("sequence_bytes=\"4\"", "sequence_bytes=\"3\"");
    xml.replace(xml.find("packets=\"64\""), 12, "packets=\"65\"");
    xml.replace(xml.find("239.1.1.2:9000"), 14, "239.1.1.300:90");
    xml.replace(xml.find("239.1.1.3:9000"), 14, "239.1.1.1:9000");
    xml.replace(xml.find("copy=\"B\""), 8, "copy=\"A\"");
    EXPECT_EQ(findings(xml),
              "f.xml:2: sequence_bytes is 1, 2, 4 or 8\n"
              "f.xml:6: packets is a power of two\n"
              "f.xml:18: channel FUT has a second line of this role and copy\n"
              "f.xml:19: group 239.1.1.300 is not an IPv4 multicast address (expected "
              "224.0.0.0–239.255.255.255)\n"
              "f.xml:21: group 239.1.1.1:9000 belongs to channel FUT already\n");
}

TEST(FeedDescription, KnowsWhatBelongsTogether) {
    EXPECT_EQ(
        findings(replaced("preamble_bytes=\"4\"", "preamble_bytes=\"3\"")),
        "f.xml:2: the packet number does not lie inside the preamble: sequence_offset + sequence_bytes is 4, "
        "preamble_bytes is 3\n");
    EXPECT_EQ(findings(replaced("source=\"preamble\"", "source=\"field\"")),
              "f.xml:4: <numbering> needs field=\"…\"\n"
              "f.xml:4: source=\"field\" numbers packets only where <framing> says messages=\"one\"\n");
    EXPECT_EQ(findings(replaced("last_number_processed=\"Last\"", "")),
              "f.xml:12: a snapshot needs last_number_processed or instrument_sequence: without one nobody "
              "can tell "
              "whether it is new enough\n");
    EXPECT_EQ(findings(replaced("next_number=\"Next\"", "price=\"P\"")),
              "f.xml:15: price has no meaning in a message of kind restart\n");
    EXPECT_EQ(findings(replaced("add=\"0\"", "add=\"00x 256\"")),
              "f.xml:9: add: \"00x\" is neither one character nor a number below 256\n"
              "f.xml:9: add: \"256\" is neither one character nor a number below 256\n");
    EXPECT_EQ(findings(replaced(" start=\"empty\"", "")),
              "f.xml:16: <channel> needs start=\"…\": empty, unsynchronised\n");
}

TEST(FeedDescription, ReadsChunksAndPacketHeaders) {
    const auto preamble_of = [](const std::string& framing) {
        Diagnostics diagnostics;
        const auto feed =
            parse_description(replaced("preamble_bytes=\"4\" sequence_offset=\"0\" sequence_bytes=\"4\" "
                                       "sequence_order=\"big\"",
                                       framing),
                              "f.xml", diagnostics);
        EXPECT_TRUE(feed) << diagnostics.format();
        return feed ? feed->preamble : Preamble{};
    };
    EXPECT_EQ(preamble_of(R"(preamble_bytes="10" sequence_bytes="4" sequence_order="big" chunk_offset="4")"),
              (Preamble{.form = PreambleForm::chunked,
                        .bytes = 10,
                        .sequence_bytes = 4,
                        .sequence_order = ByteOrder::big,
                        .chunk_offset = 4}));
    EXPECT_EQ(preamble_of(R"(header_template="73" sender="30")"),
              (Preamble{.form = PreambleForm::header, .header_template = 73, .sender = 30}));
    EXPECT_EQ(preamble_of(R"(header_template="73")").sender, std::nullopt);
}

TEST(FeedDescription, KnowsWhatBelongsToChunksAndPacketHeaders) {
    EXPECT_EQ(findings(replaced("preamble_bytes=\"4\"", "preamble_bytes=\"9\" chunk_offset=\"4\"")),
              "f.xml:2: the numbers of chunks, 6 bytes from chunk_offset, do not lie inside the preamble\n");
    EXPECT_EQ(findings(replaced("preamble_bytes=\"4\"", "header_template=\"73\"")),
              "f.xml:2: sequence_offset has no meaning beside header_template: the header says it\n"
              "f.xml:2: sequence_bytes has no meaning beside header_template: the header says it\n"
              "f.xml:2: sequence_order has no meaning beside header_template: the header says it\n");
    EXPECT_EQ(findings(replaced("preamble_bytes=\"4\"", "preamble_bytes=\"4\" sender=\"30\"")),
              "f.xml:2: sender goes with header_template only\n");
    std::string xml = replaced("preamble_bytes=\"4\"", "preamble_bytes=\"10\" chunk_offset=\"4\"");
    xml.replace(xml.find("messages=\"many\""), 15, "messages=\"one\"");
    xml.replace(xml.find("source=\"preamble\""), 17, "source=\"field\" field=\"Seq\"");
    EXPECT_EQ(findings(xml),
              "f.xml:4: source=\"field\" cannot tell chunks apart; their number is in the preamble\n");
}

TEST(FeedDescription, MissesWholeElements) {
    EXPECT_EQ(findings("<feed name=\"x\">\n</feed>"),
              "f.xml:1: <feed> needs a <framing>\n"
              "f.xml:1: <feed> needs a <fast>\n"
              "f.xml:1: <feed> needs a <numbering>\n"
              "f.xml:1: <feed> needs a <instrument_numbering>\n"
              "f.xml:1: <feed> needs a <learned>\n"
              "f.xml:1: <feed> needs a <message>\n"
              "f.xml:1: <feed> needs a <channel>\n");
}

TEST(FeedDescription, RefusesWhatIsNotADescription) {
    EXPECT_EQ(findings("<templates/>"), "f.xml:1: the outermost element is <templates>, expected <feed>\n");
    EXPECT_EQ(findings("<feed>\n<framing></feed>"),
              "f.xml:2: not well-formed XML: Start-end tags mismatch\n");
    EXPECT_NE(findings(""), "");
}

TEST(FeedDescription, NeitherCrashesNorAcceptsAtEveryTruncation) {
    for (std::size_t length = 0; length + 2 < good.size(); ++length) {
        Diagnostics diagnostics;
        EXPECT_FALSE(parse_description(good.substr(0, length), "f.xml", diagnostics)) << "length " << length;
        EXPECT_TRUE(diagnostics.has_errors()) << "length " << length;
    }
}

TEST(FeedPresets, AreGoodDescriptionsOfTheirName) {
    ASSERT_EQ(preset_names(), (std::vector<std::string_view>{"moex-asts", "moex-spectra-2013",
                                                             "moex-spectra-2017", "nse-cm", "nse-fo"}));
    for (const std::string_view name : preset_names()) {
        Diagnostics diagnostics;
        const auto feed = load_description(std::string(name), diagnostics);
        ASSERT_TRUE(feed) << diagnostics.format();
        EXPECT_EQ(feed->name, name);
    }
}

TEST(FeedPresets, AreNamedWhenNoneIsMeant) {
    Diagnostics diagnostics;
    EXPECT_FALSE(load_description("moex-ast", diagnostics));
    EXPECT_EQ(diagnostics.format(),
              "moex-ast: neither a preset nor a readable file (presets: moex-asts, moex-spectra-2013, "
              "moex-spectra-2017, nse-cm, nse-fo); did you mean moex-asts?\n");
}

// A small good NSE description; tests break one thing of it.
const std::string good_nse = R"(<feed name="nse">
<nse segment="cd" interest="known" layouts="own.xml"/>
<learned price_places="4" quantity_places="0"/>
<channel name="NSE" book="level" depth="5" start="unsynchronised">
<line role="incremental" copy="A" group="233.1.2.5:34331"/>
<line role="incremental" copy="B" group="233.1.3.5:34331"/>
</channel>
</feed>
)";

TEST(FeedDescription, ReadsAnNseFeed) {
    Diagnostics diagnostics;
    const auto feed = parse_description(good_nse, "folder/nse.xml", diagnostics);
    ASSERT_TRUE(feed) << diagnostics.format();
    EXPECT_EQ(feed->codec, Codec::nse);
    EXPECT_EQ(feed->nse.segment, nse::Segment::cd);
    EXPECT_EQ(feed->nse.price_places, 7) << "of currencies";
    EXPECT_EQ(feed->nse.interest, Interest::known);
    EXPECT_EQ(layouts_path(*feed), "folder/own.xml");
    EXPECT_EQ(feed->window.line_silence_ms, 18'000u);
    EXPECT_EQ(feed->channels[0].lines.size(), 2u);
}

TEST(FeedDescription, KnowsThePresetsOfNse) {
    for (const char* name : {"nse-fo", "nse-cm"}) {
        Diagnostics diagnostics;
        const auto feed = load_description(name, diagnostics);
        ASSERT_TRUE(feed) << diagnostics.format();
        EXPECT_EQ(feed->codec, Codec::nse);
        EXPECT_EQ(feed->nse.price_places, 2);
        EXPECT_EQ(layouts_path(*feed), "");
    }
}

TEST(FeedDescription, SaysWhatAnNseFeedCannotHave) {
    struct Case {
        std::string from, to, finding;
    };
    for (const Case& wrong : std::initializer_list<Case>{
             {"segment=\"cd\"", "segment=\"eq\"", "segment=\"eq\" is not one of fo, cm, cd"},
             {"interest=\"known\"", "interest=\"some\"", "not one of all, known"},
             {"book=\"level\"", "book=\"order\"", "an NSE book is of levels, or none"},
             {"incremental\" copy=\"B\"", "snapshot\" copy=\"B\"", "NSE has no snapshot lines"},
             {"<learned", "<fast reset=\"datagram\"/><learned", "unknown element fast"},
         }) {
        std::string text = good_nse;
        text.replace(text.find(wrong.from), wrong.from.size(), wrong.to);
        const std::string found = findings(text);
        EXPECT_NE(found.find(wrong.finding), std::string::npos) << wrong.to << "\n" << found;
    }
}

}  // namespace
}  // namespace tickpath::framing
