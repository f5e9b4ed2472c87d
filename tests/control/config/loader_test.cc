#include "control/config/loader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace tickpath::config {
namespace {

constexpr std::string_view smallest = R"(<tickpath>
  <port name="feed" device="null"/>
  <feed preset="moex-asts" port="feed"/>
</tickpath>)";

constexpr std::string_view everything = R"(<?xml version="1.0"?>
<!-- every element once -->
<tickpath>
  <port name="a" mode="hugepages" device="pcap:day.pcap" pace="x2.5" queue_count="2" descriptors="512"
        frames_max="4095" ring_frames="2048" replay_times_max="1000" check_checksum="yes" eal_extra="-m 64"/>
  <port name="b" mode="hugepages" device="af_packet:veth0"/>
  <feed description="feeds/own.xml" templates="/abs/templates.xml" port="a" window_packets="64" window_us="500"
        line_silence_ms="250">
    <line channel="BOOK" role="snapshot" copy="B" group="239.1.2.3:4000" port="b"/>
  </feed>
  <instruments file="instruments.csv" learned_max="7"/>
  <workers layout="split" idle="yield" tick_ring_slots="128" queued_ticks_max="100" snapshot_ticks_max="200">
    <receive name="r0" cpu="3" ports="a, b"/>
    <trade cpu="1"/>
  </workers>
  <trade armed="yes" order_link="shadow" decide="packet" trade_when="any" max_tick_age_us="5" warm_interval_us="6"
         open_orders_max="7" book_levels_max="8" book_orders_max="9" order_template="orders/own.xml">
    <strategy name="hit-quote" sell_at="107.15"
              own_key="x"/>
    <risk order_quantity_max="1" price_band_percent="2.5" orders_per_second="3" order_burst="4"
          position_gross_max="5" position_net_max="6" notional_max="7000.50" rejects_max="8"/>
    <session sender="TICKPATH" target="EXCH" host="exchange.example" port="9876" store="store/" heartbeat_s="5"
             reset_on_logon="yes" check_latency="no" latency_max_s="9" logon_timeout_ms="10"
             logout_timeout_ms="11" connect_timeout_ms="12" reconnect_ms_first="13" reconnect_ms_max="14"/>
  </trade>
  <report counters="counters.bin" slowest="3" holes="4"/>
</tickpath>
)";

/// All findings of a text, as a person reads them.
std::string findings(std::string_view xml) {
    Diagnostics diagnostics;
    (void)parse_run(xml, "lab/run.xml", diagnostics);
    return diagnostics.format();
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string out(text);
    const std::size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return out.replace(at, from.size(), to);
}

TEST(ConfigLoader, FillsEveryMember) {
    Diagnostics diagnostics;
    const auto config = parse_run(everything, "/lab/run.xml", diagnostics);
    ASSERT_TRUE(config) << diagnostics.format();

    ASSERT_EQ(config->ports.size(), 2u);
    const port::PortSettings& port = config->ports[0];
    EXPECT_EQ(port.name, "a");
    EXPECT_EQ(port.mode, "hugepages");
    EXPECT_EQ(port.device, "pcap:/lab/day.pcap");
    EXPECT_EQ(port.pace, "x2.5");
    EXPECT_EQ(port.queue_count, 2);
    EXPECT_EQ(port.descriptors, 512u);
    EXPECT_EQ(port.frames_max, 4095u);
    EXPECT_EQ(port.ring_frames, 2048u);
    EXPECT_EQ(port.replay_times_max, 1000u);
    EXPECT_EQ(port.eal_extra, "-m 64");
    EXPECT_TRUE(port.check_checksum);
    EXPECT_EQ(port.config_file, "/lab/run.xml");
    EXPECT_EQ(port.config_line, 4u);
    EXPECT_EQ(config->ports[1].device, "af_packet:veth0");

    ASSERT_EQ(config->feeds.size(), 1u);
    const FeedSettings& feed = config->feeds[0];
    EXPECT_EQ(feed.description, "/lab/feeds/own.xml");
    EXPECT_EQ(feed.templates, "/abs/templates.xml");
    EXPECT_EQ(feed.port, "a");
    EXPECT_EQ(feed.window_packets, 64u);
    EXPECT_EQ(feed.window_us, 500u);
    EXPECT_EQ(feed.line_silence_ms, 250u);
    ASSERT_EQ(feed.lines.size(), 1u);
    EXPECT_EQ(feed.lines[0].channel, "BOOK");
    EXPECT_EQ(feed.lines[0].role, framing::Role::snapshot);
    EXPECT_EQ(feed.lines[0].copy, framing::Copy::b);
    EXPECT_EQ(feed.lines[0].group, "239.1.2.3:4000");
    EXPECT_EQ(feed.lines[0].port, "b");
    EXPECT_EQ(feed.lines[0].line, 9u);

    EXPECT_EQ(config->instruments.file, "/lab/instruments.csv");
    EXPECT_EQ(config->instruments.learned_max, 7u);

    const WorkerSettings& workers = config->workers;
    EXPECT_EQ(workers.layout, Layout::split);
    EXPECT_EQ(workers.idle, core::IdlePolicy::yield);
    EXPECT_EQ(workers.tick_ring_slots, 128u);
    EXPECT_EQ(config->feed_limits.queued_ticks_max, 100u);
    EXPECT_EQ(config->feed_limits.snapshot_ticks_max, 200u);
    ASSERT_EQ(workers.receivers.size(), 1u);
    EXPECT_EQ(workers.receivers[0].name, "r0");
    EXPECT_EQ(workers.receivers[0].cpu, 3);
    EXPECT_EQ(workers.receivers[0].ports, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(workers.trade_cpu, 1);
}

TEST(ConfigLoader, FillsEveryMemberOfTheTradeSide) {
    Diagnostics diagnostics;
    const auto config = parse_run(everything, "/lab/run.xml", diagnostics);
    ASSERT_TRUE(config) << diagnostics.format();

    const TradeElement& trade = config->trade;
    EXPECT_EQ(trade.order_link, OrderLinkKind::shadow);
    EXPECT_EQ(trade.settings.order_mode, trade::OrderMode::shadow);
    EXPECT_TRUE(trade.settings.may_trade.armed);
    EXPECT_EQ(trade.settings.decide, trade::DecideAt::packet);
    EXPECT_EQ(trade.settings.may_trade.trade_when, trade::TradeWhen::any);
    EXPECT_EQ(trade.settings.may_trade.max_tick_age_us, 5u);
    EXPECT_EQ(trade.settings.warm_interval_us, 6u);
    EXPECT_EQ(trade.settings.open_orders_max, 7u);
    EXPECT_EQ(trade.settings.books.levels_max, 8u);
    EXPECT_EQ(trade.settings.books.orders_max, 9u);
    EXPECT_EQ(trade.order_template, "/lab/orders/own.xml");
    EXPECT_EQ(trade.settings.slowest_count, 3u);
    EXPECT_EQ(config->feed_limits.holes_kept, 4u);
    EXPECT_EQ(config->report.counters, "/lab/counters.bin");

    EXPECT_EQ(trade.strategy.name, "hit-quote");
    ASSERT_EQ(trade.strategy.values.size(), 2u) << "also those only the strategy knows";
    EXPECT_EQ(trade.strategy.values[0].key, "sell_at");
    EXPECT_EQ(trade.strategy.values[0].text, "107.15");
    EXPECT_EQ(trade.strategy.values[1].key, "own_key");
    EXPECT_EQ(trade.strategy.values[1].line, trade.strategy.line + 1);
    EXPECT_EQ(trade.strategy.file, "/lab/run.xml");

    const trade::RiskSettings& risk = trade.settings.risk;
    EXPECT_EQ(risk.order_quantity_max, (Decimal{1, 0}));
    EXPECT_EQ(risk.price_band_percent, (Decimal{25, -1}));
    EXPECT_EQ(risk.orders_per_second, 3u);
    EXPECT_EQ(risk.order_burst, 4u);
    EXPECT_EQ(risk.position_gross_max, (Decimal{5, 0}));
    EXPECT_EQ(risk.position_net_max, (Decimal{6, 0}));
    EXPECT_EQ(risk.notional_max, (Decimal{700050, -2}));
    EXPECT_EQ(risk.rejects_max, 8u);
    EXPECT_EQ(risk.line, 20u);
    EXPECT_TRUE(config->is_topology_whole && trade.is_whole);

    ASSERT_TRUE(trade.session);
    const OrderSessionSettings& session = *trade.session;
    EXPECT_EQ(session.settings.role, session::Role::initiator);
    EXPECT_EQ(session.settings.sender, "TICKPATH");
    EXPECT_EQ(session.settings.target, "EXCH");
    EXPECT_EQ(session.host, "exchange.example");
    EXPECT_EQ(session.port, 9876);
    EXPECT_EQ(session.store, "/lab/store");
    EXPECT_EQ(session.settings.heartbeat_s, 5u);
    EXPECT_TRUE(session.settings.reset_on_logon);
    EXPECT_FALSE(session.settings.check_latency);
    EXPECT_EQ(session.settings.latency_max_s, 9u);
    EXPECT_EQ(session.settings.logon_timeout_ms, 10u);
    EXPECT_EQ(session.settings.logout_timeout_ms, 11u);
    EXPECT_EQ(session.link.connect_timeout_ms, 12u);
    EXPECT_EQ(session.link.reconnect_ms_first, 13u);
    EXPECT_EQ(session.link.reconnect_ms_max, 14u);
}

TEST(ConfigLoader, KnowsTheThreePointsOfDecision) {
    const auto decide_of = [](const std::string& word) {
        std::string text(everything);
        text.replace(text.find("decide=\"packet\""), 15, "decide=\"" + word + '"');
        Diagnostics diagnostics;
        const auto config = parse_run(text, "/lab/run.xml", diagnostics);
        return config && !diagnostics.has_errors() ? std::optional(config->trade.settings.decide)
                                                   : std::nullopt;
    };
    EXPECT_EQ(decide_of("message"), trade::DecideAt::message);
    EXPECT_EQ(decide_of("packet"), trade::DecideAt::packet);
    EXPECT_EQ(decide_of("entry"), trade::DecideAt::entry);
    EXPECT_EQ(decide_of("entries"), std::nullopt);
    EXPECT_EQ(trade::TradeSettings{}.decide, trade::DecideAt::message);
}

TEST(ConfigLoader, KeepsDefaultsForWhatIsNotWritten) {
    Diagnostics diagnostics;
    const auto config = parse_run(smallest, "run.xml", diagnostics);
    ASSERT_TRUE(config) << diagnostics.format();
    const RunConfig defaults;
    EXPECT_EQ(config->workers.layout, Layout::one_core);
    EXPECT_EQ(config->workers.idle, std::nullopt);
    EXPECT_EQ(config->workers.tick_ring_slots, defaults.workers.tick_ring_slots);
    EXPECT_EQ(config->feeds[0].window_us, std::nullopt);
    EXPECT_EQ(config->trade.order_link, OrderLinkKind::none) << "nobody asked to trade";
    EXPECT_EQ(config->trade.strategy.name, "null");
    EXPECT_FALSE(config->trade.settings.may_trade.armed);
    EXPECT_FALSE(config->trade.session);
}

TEST(ConfigLoader, SaysEverythingThatIsWrongAtOnceWithItsLine) {
    EXPECT_EQ(findings(R"(<tickpath>
  <port nmae="feed"
        device="floppy:A"/>
  <port name="x" device="null" queue_count="65"/>
  <fed/>
  <feed preset="moex-asts" description="own.xml">
    <line channel="BOOK"
          group="239.1.1.300:9000"/>
  </feed>
  <workers tick_ring_slots="100"/>
  <trade armed="maybe"/>
</tickpath>)"),
              "lab/run.xml:2: <port> needs the attribute name\n"
              "lab/run.xml:2: unknown attribute nmae of <port>, did you mean name?\n"
              "lab/run.xml:3: device: \"floppy:A\" is not a device (expected pcap:FILE, af_packet:INTERFACE, "
              "af_xdp:INTERFACE, ring, null or a PCI address such as 0000:01:00.0)\n"
              "lab/run.xml:4: queue_count=\"65\": expected a number from 1 to 16 (queues)\n"
              "lab/run.xml:5: unknown element <fed> in <tickpath>, did you mean <feed>?\n"
              "lab/run.xml:6: <feed> needs either preset or description, not both\n"
              "lab/run.xml:8: group: 239.1.1.300 is not an IPv4 multicast address "
              "(expected 224.0.0.0–239.255.255.255)\n"
              "lab/run.xml:10: tick_ring_slots=\"100\": expected a power of two from 64 to 16777216 (ticks)\n"
              "lab/run.xml:11: armed=\"maybe\": expected yes or no\n");
}

TEST(ConfigLoader, NamesTheNearestSpelling) {
    EXPECT_EQ(findings(replaced(smallest, "device=", "devcie=\"x\" device=")),
              "lab/run.xml:2: unknown attribute devcie of <port>, did you mean device?\n");
    EXPECT_EQ(findings(replaced(smallest, "</tickpath>", "<instrument/></tickpath>")),
              "lab/run.xml:4: unknown element <instrument> in <tickpath>, did you mean <instruments>?\n");
}

TEST(ConfigLoader, RefusesEveryTruncationWithAPlace) {
    const std::string_view text = everything.substr(0, everything.rfind('>') + 1);
    for (std::size_t length = 0; length < text.size(); ++length) {
        Diagnostics diagnostics;
        EXPECT_FALSE(parse_run(text.substr(0, length), "run.xml", diagnostics)) << "length " << length;
        ASSERT_TRUE(diagnostics.has_errors()) << "length " << length;
        EXPECT_TRUE(diagnostics.all()[0].format().starts_with("run.xml:")) << diagnostics.format();
        EXPECT_GE(diagnostics.all()[0].line, 1u) << diagnostics.format();
    }
}

TEST(ConfigLoader, SurvivesEveryByteReplaced) {
    for (std::size_t at = 0; at < everything.size(); ++at) {
        for (const char c : {'<', '"', '\0', 'x', '\xff', '&'}) {
            std::string text(everything);
            text[at] = c;
            Diagnostics diagnostics;
            const auto config = parse_run(text, "run.xml", diagnostics);
            ASSERT_TRUE(config || diagnostics.has_errors()) << "offset " << at;
        }
    }
}

TEST(ConfigLoader, RefusesWhatStandsTwice) {
    EXPECT_EQ(findings(replaced(smallest, "<feed", "<port name=\"feed\" device=\"ring\"/>\n  <feed")),
              "lab/run.xml:3: port \"feed\" stands twice, first in line 2\n");
    EXPECT_EQ(findings(replaced(smallest, "name=\"feed\"", "name=\"feed\" name=\"fed\"")),
              "lab/run.xml:2: attribute name stands twice in <port>\n");
    for (const std::string_view once :
         {"<instruments/>", "<workers/>", "<report/>", "<trade order_link=\"none\"/>"}) {
        const std::string twice = std::string(once) + std::string(once) + "</tickpath>";
        EXPECT_NE(findings(replaced(smallest, "</tickpath>", twice)).find("stands twice, first in line 4"),
                  std::string::npos)
            << once;
    }
    for (const std::string_view once : {"<strategy name=\"null\"/>", "<risk/>",
                                        "<session sender=\"A\" target=\"B\" port=\"1\" store=\"s\"/>"}) {
        const std::string twice = "<trade>" + std::string(once) + std::string(once) + "</trade></tickpath>";
        EXPECT_NE(findings(replaced(smallest, "</tickpath>", twice)).find("stands twice, first in line 4"),
                  std::string::npos)
            << once;
    }
    EXPECT_NE(
        findings(replaced(smallest, "</tickpath>",
                          "<workers><receive name=\"r\" ports=\"feed\"/><receive name=\"r\" ports=\"feed\"/>"
                          "</workers></tickpath>"))
            .find("worker \"r\" stands twice, first in line 4"),
        std::string::npos);
    EXPECT_NE(findings(replaced(smallest, "port=\"feed\"/>",
                                "><line channel=\"C\"/><line channel=\"C\" copy=\"A\"/></feed>"))
                  .find("this line of channel \"C\" stands twice, first in line 3"),
              std::string::npos);
    EXPECT_NE(findings(replaced(smallest, "</tickpath>",
                                "<workers><receive name=\"r\" ports=\"feed feed\"/></workers></tickpath>"))
                  .find("feed stands twice"),
              std::string::npos);
}

TEST(ConfigLoader, RefusesValuesOutOfRangeAndOfTheWrongType) {
    const auto with_workers = [](std::string_view attributes) {
        return findings(
            replaced(smallest, "</tickpath>", "<workers " + std::string(attributes) + "/></tickpath>"));
    };
    for (const std::string_view bad :
         {"tick_ring_slots=\"63\"", "tick_ring_slots=\"96\"", "tick_ring_slots=\"\"",
          "tick_ring_slots=\"-64\"", "tick_ring_slots=\"64 \"", "tick_ring_slots=\"64.0\"",
          "tick_ring_slots=\"0x40\"", "tick_ring_slots=\"99999999999999999999999\"", "layout=\"one\"",
          "idle=\"SPIN\"", "layout=\"\""})
        EXPECT_NE(with_workers(bad), "") << bad;
    EXPECT_EQ(with_workers("tick_ring_slots=\"64\" layout=\"split\" idle=\"sleep\""), "");

    const auto with_risk = [](std::string_view attributes) {
        return findings(replaced(smallest, "</tickpath>",
                                 "<trade><risk " + std::string(attributes) + "/></trade></tickpath>"));
    };
    for (const std::string_view bad :
         {"", ".", "-1", "+1", "1e3", "1.2.3", "1,5", " 1", "1234567890123456789", "x"})
        EXPECT_NE(with_risk("notional_max=\"" + std::string(bad) + "\""), "") << bad;
    for (const std::string_view good : {"0", "1.", ".5", "0.001", "123456789012345678"})
        EXPECT_EQ(with_risk("notional_max=\"" + std::string(good) + "\""), "") << good;
}

TEST(ConfigLoader, RefusesFormsThatNoPartUnderstands) {
    for (const std::string_view bad : {"", "pcap:", "af_packet:", "floppy:A", "null:x"})
        EXPECT_NE(findings(replaced(smallest, "device=\"null\"", "device=\"" + std::string(bad) + "\"")), "")
            << bad;
    for (const std::string_view bad : {"", "x0", "fast", "2", "x"})
        EXPECT_NE(findings(replaced(smallest, "device=", "pace=\"" + std::string(bad) + "\" device=")), "")
            << bad;
    const auto with_session = [](std::string_view attributes) {
        return findings(replaced(smallest, "</tickpath>",
                                 "<trade><session sender=\"A\" target=\"B\" port=\"1\" store=\"s\" " +
                                     std::string(attributes) + "/></trade></tickpath>"));
    };
    EXPECT_EQ(with_session("host=\"127.0.0.1\""), "");
    for (const std::string_view bad : {"", "a b", "-a", "a..b", ".a", "host:1", "http://x"})
        EXPECT_NE(with_session("host=\"" + std::string(bad) + "\""), "") << bad;
}

TEST(ConfigLoader, RefusesCompIdsThatBreakAHeaderOrAFileName) {
    for (const std::string_view bad : {"", "A B", "A/B", "A\xC3\xA4", "012345678901234567890123456789012"})
        EXPECT_NE(
            findings(replaced(everything, "sender=\"TICKPATH\"", "sender=\"" + std::string(bad) + "\"")), "")
            << bad;
}

TEST(ConfigLoader, NeedsAPortAFeedAndOneDescriptionPerFeed) {
    EXPECT_EQ(findings("<tickpath/>"),
              "lab/run.xml:1: no <port>: nothing would be received\n"
              "lab/run.xml:1: no <feed>: every frame would be of an unknown group\n");
    EXPECT_NE(findings(replaced(smallest, "preset=\"moex-asts\"", "")), "");
    EXPECT_NE(findings(replaced(smallest, "preset=", "description=\"own.xml\" preset=")), "");
}

TEST(ConfigLoader, RefusesWhatIsNoConfiguration) {
    EXPECT_NE(findings("").find("lab/run.xml:1: not well-formed XML"), std::string::npos);
    EXPECT_EQ(findings("\n<exchange/>"),
              "lab/run.xml:2: the root element is <exchange>, expected <tickpath>\n");
    EXPECT_NE(findings(std::string(smallest) + "<tickpath/>").find("more than one root element"),
              std::string::npos);
    EXPECT_NE(findings(replaced(smallest, "<feed", "stray text <feed")).find("text inside <tickpath>"),
              std::string::npos);
    EXPECT_NE(findings(replaced(smallest, "device=\"null\"/>", "device=\"null\"><feed/></port>"))
                  .find("unknown element <feed> in <port>"),
              std::string::npos);
}

TEST(ConfigLoader, ReturnsWhatItCouldReadSoThatTheRestCanBeJudged) {
    Diagnostics diagnostics;
    const std::string text = replaced(replaced(everything, "pace=\"x2.5\"", "pace=\"fast\""),
                                      "price_band_percent=\"2.5\"", "price_band_percent=\"wide\"");
    const auto config = parse_run(text, "/lab/run.xml", diagnostics);
    ASSERT_TRUE(config && diagnostics.has_errors());
    EXPECT_EQ(config->ports.at(0).device, "pcap:/lab/day.pcap");
    EXPECT_EQ(config->ports.at(0).pace, "capture") << "the default in its place";
    EXPECT_EQ(config->trade.strategy.name, "hit-quote");
    EXPECT_FALSE(config->is_topology_whole) << "a port is not what the file says";
    EXPECT_TRUE(config->trade.is_whole) << "only a child of <trade> is wrong";
}

TEST(ConfigLoader, AStrategyWithoutANameIsNotTheDefaultOne) {
    Diagnostics diagnostics;
    const auto config = parse_run(replaced(everything, "name=\"hit-quote\"", ""), "run.xml", diagnostics);
    ASSERT_TRUE(config && diagnostics.has_errors());
    EXPECT_EQ(config->trade.strategy.name, "");
}

TEST(ConfigLoader, SaysWhichFileCannotBeRead) {
    Diagnostics diagnostics;
    EXPECT_FALSE(load_run("/nowhere/run.xml", diagnostics));
    EXPECT_EQ(diagnostics.format(), "/nowhere/run.xml: cannot be read: No such file or directory\n");
    Diagnostics of_a_folder;
    EXPECT_FALSE(load_run(std::filesystem::temp_directory_path(), of_a_folder));
    EXPECT_TRUE(of_a_folder.has_errors());
}

TEST(ConfigLoader, RefusesAFileThatIsTooLargeToBeWrittenByHand) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tickpath-config-XXXXXX").string();
    const std::filesystem::path folder = ::mkdtemp(pattern.data());
    std::ofstream(folder / "large.xml") << std::string(file_bytes_max + 1, ' ');
    Diagnostics diagnostics;
    EXPECT_FALSE(load_run(folder / "large.xml", diagnostics));
    EXPECT_EQ(diagnostics.all().at(0).error, Errc::limit);
    std::filesystem::remove_all(folder);
}

TEST(ConfigLoader, ReportsOnlyItsOwnErrors) {
    Diagnostics diagnostics;
    diagnostics.error("other.xml", 1, "something else");
    EXPECT_TRUE(parse_run(smallest, "run.xml", diagnostics));
    EXPECT_EQ(diagnostics.all().size(), 1u);
}

}  // namespace
}  // namespace tickpath::config
