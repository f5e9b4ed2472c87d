#include "control/config/check.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "control/config/loader.h"

namespace tickpath::config {
namespace {

/// A folder with the files that configurations here name, and a machine with CPUs 0 to 2.
class ConfigCheck : public testing::Test {
protected:
    ConfigCheck() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tickpath-check-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        for (const std::string_view name : {"day.pcap", "templates.xml"})
            std::ofstream(folder_ / name) << "x";
        std::ofstream(folder_ / "instruments.csv")
            << "key,symbol,price_places,quantity_places\n1001,DEMO,2,0\n";
    }
    ~ConfigCheck() override { std::filesystem::remove_all(folder_); }

    /// A whole configuration from the inside of its parts.
    [[nodiscard]] static std::string file(std::string_view ports, std::string_view feeds,
                                          std::string_view rest = "") {
        return "<tickpath>\n" + std::string(ports) + "\n" + std::string(feeds) + "\n" + std::string(rest) +
               "\n</tickpath>";
    }

    std::optional<CheckedRun> checked(std::string_view xml) {
        diagnostics_ = Diagnostics();
        const auto config = parse_run(xml, folder_ / "run.xml", diagnostics_);
        if (!config) return std::nullopt;
        CheckedRun run = check(*config, machine_, diagnostics_);
        return diagnostics_.has_errors() ? std::nullopt : std::optional(std::move(run));
    }

    /// What a person reads, without the folder in front.
    std::string findings(std::string_view xml) {
        const bool is_good = checked(xml).has_value();
        EXPECT_EQ(is_good, !diagnostics_.has_errors());
        std::string text = diagnostics_.format();
        const std::string prefix = folder_.string() + "/";
        for (std::size_t at; (at = text.find(prefix)) != std::string::npos;)
            text.erase(at, prefix.size());
        return text;
    }

    std::filesystem::path folder_;
    Machine machine_{.cpus = {0, 1, 2}, .memory_bytes = 8'000'000'000};
    Diagnostics diagnostics_;
};

constexpr std::string_view one_port = R"(<port name="feed" device="pcap:day.pcap"/>)";
constexpr std::string_view two_ports = R"(<port name="a" device="null"/><port name="b" device="null"/>)";
constexpr std::string_view spectra = R"(<feed preset="moex-spectra-2013" templates="templates.xml"/>)";
constexpr std::string_view session = R"(<session sender="A" target="B" port="1" store="store"/>)";

TEST_F(ConfigCheck, ReturnsWhatTheLauncherGoesOnWith) {
    const auto run =
        checked(file(one_port, R"(<feed preset="moex-spectra-2013" templates="templates.xml" window_us="7">
        <line channel="FUT-BOOK-5" copy="B" group="239.9.9.9:99"/>
        <line channel="FUT-BOOK-5" role="snapshot" copy="B" group="239.9.9.8:98"/></feed>)",
                     R"(<instruments file="instruments.csv"/>)"));
    ASSERT_TRUE(run) << diagnostics_.format();
    ASSERT_EQ(run->feeds.size(), 1u);
    const CheckedFeed& feed = run->feeds[0];
    EXPECT_EQ(feed.templates, folder_ / "templates.xml");
    EXPECT_EQ(feed.description.window.time_us, 7u);
    EXPECT_EQ(feed.description.window.packets, 1024u) << "as described";
    const framing::Channel& channel = feed.description.channels.at(0);
    ASSERT_EQ(channel.lines.size(), 4u) << "one was added";
    EXPECT_EQ(net::to_text(channel.lines[1].group), "239.9.9.9:99") << "one was moved";
    EXPECT_EQ(net::to_text(channel.lines[3].group), "239.9.9.8:98");
    EXPECT_EQ(feed.line_ports.at(0), (std::vector<std::uint16_t>{0, 0, 0, 0}));
    ASSERT_EQ(run->instruments.size(), 1u);
    EXPECT_EQ(run->instruments[0].symbol(), "DEMO");
    ASSERT_EQ(run->plan.receivers.size(), 1u);
    EXPECT_EQ(run->plan.receivers[0].channels.size(), feed.description.channels.size());
}

TEST_F(ConfigCheck, TakesTheTemplatesThatADescriptionOfOnesOwnNames) {
    const std::filesystem::path demo =
        std::filesystem::path(TICKPATH_SOURCE_ROOT) / "templates/feeds/demo.xml";
    const auto run = checked(file(one_port, "<feed description=\"" + demo.string() + "\"/>"));
    ASSERT_TRUE(run) << diagnostics_.format();
    EXPECT_TRUE(std::filesystem::exists(run->feeds[0].templates)) << run->feeds[0].templates;
}

TEST_F(ConfigCheck, PutsEachLineOnItsPort) {
    const auto run =
        checked(file(two_ports, R"(<feed preset="moex-spectra-2013" templates="templates.xml" port="a">
        <line channel="FUT-BOOK-5" copy="B" port="b"/></feed>)"));
    ASSERT_TRUE(run) << diagnostics_.format();
    EXPECT_EQ(run->feeds[0].line_ports.at(0), (std::vector<std::uint16_t>{0, 1, 0}));
}

TEST_F(ConfigCheck, RefusesAPlanThatSplitsTheLinesOfAChannel) {
    EXPECT_EQ(findings(file(two_ports,
                            R"(<feed preset="moex-spectra-2013" templates="templates.xml" port="a">)"
                            R"(<line channel="FUT-BOOK-5" copy="B" port="b"/></feed>)",
                            R"(<workers layout="split">
                               <receive name="r0" ports="a"/><receive name="r1" ports="b"/></workers>)")),
              "run.xml:4: channel \"FUT-BOOK-5\" is split: its lines arrive at ports \"a\" and \"b\", which "
              "different "
              "workers poll; give both ports to one <receive>\n");
}

TEST_F(ConfigCheck, RefusesNamesThatPointNowhere) {
    EXPECT_EQ(findings(file(one_port, R"(<feed preset="moex-spectra" templates="templates.xml" port="fed">
<line channel="FUT"/></feed>)")),
              "run.xml:3: there is no port \"fed\", did you mean \"feed\"?\n"
              "run.xml:3: there is no preset \"moex-spectra\" (there are: moex-asts, moex-spectra-2013, "
              "moex-spectra-2017, nse-cm, nse-fo)\n");
    EXPECT_EQ(findings(file(one_port, R"(<feed preset="moex-spectra-2013" templates="templates.xml">
<line channel="FUT-BOOK-50" port="x"/></feed>)")),
              "run.xml:4: feed \"moex-spectra-2013\" has no channel \"FUT-BOOK-50\", did you mean "
              "\"FUT-BOOK-5\"?\n");
    EXPECT_EQ(findings(file(one_port, spectra, R"(<workers><receive name="r0" ports="feeed"/></workers>)")),
              "run.xml:4: there is no port \"feeed\", did you mean \"feed\"?\n");
}

TEST_F(ConfigCheck, NeedsToKnowThePortWhenThereAreTwo) {
    EXPECT_EQ(findings(file(two_ports, spectra)),
              "run.xml:3: <feed> needs the attribute port: there are 2 ports to choose from\n");
}

TEST_F(ConfigCheck, NeedsAGroupForALineThatTheDescriptionDoesNotHave) {
    EXPECT_EQ(
        findings(file(one_port, R"(<feed preset="moex-spectra-2013" templates="templates.xml">
<line channel="FUT-BOOK-5" role="snapshot" copy="B"/></feed>)")),
        "run.xml:4: channel \"FUT-BOOK-5\" has no such line in its description: a new line needs a group\n");
}

TEST_F(ConfigCheck, RefusesAGroupGivenToTwoLinesAndAChannelInTwoFeeds) {
    EXPECT_EQ(
        findings(file(one_port, R"(<feed preset="moex-spectra-2013" templates="templates.xml">
<line channel="FUT-BOOK-5" copy="B" group="239.192.70.3:40003"/></feed>)")),
        "run.xml:3: group 239.192.70.3:40003 is given to two lines, of channel \"FUT-BOOK-5\" and of channel "
        "\"FUT-BOOK-5\"\n");
    const std::string found = findings(file(one_port, std::string(spectra) + "\n" + std::string(spectra)));
    EXPECT_NE(found.find("run.xml:4: channel \"FUT-BOOK-5\" is also in the feed of line 3"),
              std::string::npos)
        << found;
}

TEST_F(ConfigCheck, RefusesFilesThatAreNotThere) {
    EXPECT_EQ(findings(file(R"(<port name="feed" device="pcap:night.pcap"/>)",
                            R"(<feed preset="moex-spectra-2013" templates="none.xml"/>)")),
              "run.xml:2: night.pcap is not a file\n"
              "run.xml:3: none.xml is not a file\n");
    EXPECT_NE(findings(file(one_port, R"(<feed description="none.xml"/>)")), "");
    EXPECT_NE(findings(file(one_port, spectra, R"(<instruments file="none.csv"/>)")), "");
    EXPECT_EQ(findings(file(one_port, spectra, R"(<report counters="none/counters.bin"/>)")),
              "run.xml:4: the folder none for counters.bin is not there\n");
    EXPECT_EQ(findings(file(one_port, spectra,
                            R"(<instruments file="instruments.csv"/><trade order_link="kernel">
<session sender="A" target="B" port="1" store="none/store"/></trade>)")),
              "run.xml:5: the folder none for store is not there\n");
}

TEST_F(ConfigCheck, NeedsTemplatesFromSomewhere) {
    EXPECT_EQ(findings(file(one_port, R"(<feed preset="moex-spectra-2013"/>)")),
              "run.xml:3: <feed> needs the attribute templates: the description \"moex-spectra-2013\" names "
              "none\n");
}

TEST_F(ConfigCheck, RefusesCpusThatAreNotThereOrTakenTwice) {
    EXPECT_EQ(
        findings(file(one_port, spectra, R"(<workers layout="split"><receive name="r0" cpu="3" ports="feed"/>
<trade cpu="3"/></workers>)")),
        "run.xml:4: cpu 3 is not there for this process (there are: 0 1 2)\n"
        "run.xml:5: cpu 3 is not there for this process (there are: 0 1 2)\n"
        "run.xml:5: cpu 3 is already given to the worker of line 4\n");
    EXPECT_EQ(
        findings(file(one_port, spectra, R"(<workers layout="split"><receive name="r0" cpu="0" ports="feed"/>
<trade cpu="2"/></workers>)")),
        "");
}

TEST_F(ConfigCheck, RefusesSettingsThatExcludeEachOther) {
    EXPECT_EQ(findings(file(one_port, spectra, R"(<workers layout="inline">
<trade cpu="1"/></workers>)")),
              "run.xml:5: layout=\"inline\" has no trade worker; remove <trade> from <workers> or set "
              "layout=\"split\"\n");
    EXPECT_EQ(findings(file(one_port, spectra,
                            R"(<instruments file="instruments.csv"/><trade order_link="kernel"/>)")),
              "run.xml:4: order_link=\"kernel\" needs a <session> inside <trade>\n");
    EXPECT_EQ(findings(file(R"(<port name="feed" mode="laptop" device="0000:03:00.0"/>)", spectra)),
              "run.xml:2: port \"feed\" is a PCI device: it needs mode=\"nic\"\n");
    EXPECT_EQ(findings(file(R"(<port name="a" mode="laptop" device="null"/>
<port name="b" mode="hugepages" device="null"/>)",
                            R"(<feed preset="moex-spectra-2013" templates="templates.xml" port="a"/>)")),
              "run.xml:3: port \"b\" has mode hugepages and port \"a\" laptop: DPDK is started once, so all "
              "ports share "
              "one mode\n");
    EXPECT_EQ(findings(file(one_port, spectra,
                            R"(<instruments file="instruments.csv"/><trade order_link="kernel">
<session sender="A" target="B" port="1" store="store" reconnect_ms_first="200" reconnect_ms_max="100"/></trade>)")),
              "run.xml:5: reconnect_ms_first is larger than reconnect_ms_max\n");
}

TEST_F(ConfigCheck, WarnsWhenNothingMayBeTraded) {
    EXPECT_EQ(findings(file(one_port, spectra,
                            "<trade order_link=\"kernel\">" + std::string(session) + "</trade>")),
              "run.xml:4: warning: no <instruments file=…>: no instrument may be traded\n");
}

TEST_F(ConfigCheck, JudgesTheRestOfAFileWithMistakesOfForm) {
    EXPECT_EQ(findings(file(R"(<port name="feed" device="pcap:night.pcap" pace="fast"/>)",
                            R"(<feed preset="moex-spectra-2013" templates="none.xml" port="fed"/>)",
                            R"(<workers layout="round"/><trade order_link="shadw"/>)")),
              "run.xml:2: pace: \"fast\" is not a pace (expected capture, max, or xN with N from 0.001 to "
              "100000, as in x10)\n"
              "run.xml:4: layout=\"round\": expected one of inline, split\n"
              "run.xml:4: order_link=\"shadw\": expected one of kernel, shadow, none\n"
              "run.xml:2: night.pcap is not a file\n"
              "run.xml:3: there is no port \"fed\", did you mean \"feed\"?\n"
              "run.xml:3: none.xml is not a file\n"
              "run.xml:4: warning: no <instruments file=…>: no instrument may be traded\n");
}

TEST_F(ConfigCheck, SaysNothingThatOnlyFollowsFromAMistakeOfForm) {
    EXPECT_EQ(findings(file("", spectra)), "run.xml:1: no <port>: nothing would be received\n");
    EXPECT_EQ(findings(file(R"(<port device="null"/>)",
                            R"(<feed preset="moex-spectra-2013" templates="templates.xml" port="feed"/>)",
                            R"(<workers><receive name="a" ports="feed"/></workers>)")),
              "run.xml:2: <port> needs the attribute name\n");
    EXPECT_EQ(findings(file(one_port, R"(<feed/>)")),
              "run.xml:3: <feed> needs either preset or description, not both\n");
    EXPECT_EQ(findings(file(one_port,
                            R"(<feed preset="moex-spectra-2013" templates="templates.xml"><line/></feed>)")),
              "run.xml:3: <line> needs the attribute channel\n");
    EXPECT_EQ(
        findings(file(
            two_ports, R"(<feed preset="moex-spectra-2013" templates="templates.xml" port="a"/>)",
            R"(<workers layout="splt"><receive name="r0" ports="a"/><receive name="r1" ports="b"/></workers>)")),
        "run.xml:4: layout=\"splt\": expected one of inline, split\n");
}

TEST_F(ConfigCheck, LoadsTheOrderTemplateThatIsNamed) {
    const auto with = [](std::string_view name) {
        return file(one_port, spectra,
                    "<instruments file=\"instruments.csv\"/><trade order_link=\"shadow\" order_template=\"" +
                        std::string(name) + "\"/>");
    };
    const std::string standard = std::string(TICKPATH_SOURCE_ROOT) + "/templates/orders/new_order_single.xml";
    const auto run = checked(with(standard));
    ASSERT_TRUE(run) << diagnostics_.format();
    EXPECT_EQ(run->order_template.fields.size(), fix::default_order_template().fields.size());

    std::ofstream(folder_ / "order.xml")
        << "<order-template>\n<field tag=\"11\" slot=\"cl_id\"/>\n</order-template>";
    EXPECT_NE(findings(with("order.xml")).find("order.xml:2: "), std::string::npos) << diagnostics_.format();
    EXPECT_NE(findings(with("none.xml")).find("none.xml: "), std::string::npos) << diagnostics_.format();
}

TEST_F(ConfigCheck, FindsCpusAndMemoryOfThisMachine) {
    EXPECT_FALSE(Machine::this_one().cpus.empty());
    EXPECT_GT(Machine::this_one().memory_bytes, std::uint64_t{64} << 20);
}

TEST_F(ConfigCheck, RefusesMoreMemoryThanThereIs) {
    constexpr std::string_view trade = "<trade order_link=\"shadow\" book_levels_max=\"4096\"/>";
    const std::string found =
        findings(file(one_port, spectra, "<instruments learned_max=\"1048576\"/>" + std::string(trade)));
    EXPECT_NE(found.find("run.xml:4: learned_max=1048576 with book_levels_max=4096 needs 206."),
              std::string::npos)
        << found;
    EXPECT_NE(found.find(" in all, this machine has 8.0 GB: make it smaller\n"), std::string::npos) << found;
    EXPECT_EQ(findings(file(one_port, spectra, "<instruments learned_max=\"4096\"/>" + std::string(trade)))
                  .find("GB"),
              std::string::npos);
}

TEST_F(ConfigCheck, RefusesFramesThatDoNotFitTheMemory) {
    const std::string found = findings(
        file(R"(<port name="feed" device="null" queue_count="16" frames_max="1048575"/>)", spectra, ""));
    EXPECT_NE(found.find("run.xml:2: frames_max=1048575 in 16 queues needs 69.0 GB"), std::string::npos)
        << found;
}

TEST_F(ConfigCheck, RefusesMorePortsThanDpdkHas) {
    const auto with_ports = [&](int count) {
        std::string ports;
        for (int i = 0; i < count; ++i)
            ports += "<port name=\"p" + std::to_string(i) + "\" device=\"null\"/>\n";
        return findings(
            file(ports, R"(<feed preset="moex-spectra-2013" templates="templates.xml" port="p0"/>)", ""));
    };
    EXPECT_EQ(with_ports(32).find("at most"), std::string::npos);
    EXPECT_NE(with_ports(33).find("run.xml:34: there are 33 ports, at most 32 are possible\n"),
              std::string::npos);
}

TEST_F(ConfigCheck, RefusesAnEmptyCapture) {
    std::ofstream(folder_ / "day.pcap").close();
    EXPECT_EQ(findings(file(one_port, spectra, "")), "run.xml:2: day.pcap is empty, not a capture\n");
}

TEST_F(ConfigCheck, ChecksTheStoreOfAnExchange) {
    ExchangeConfig config;
    config.file = folder_ / "exchange.xml";
    config.line = 1;
    config.store = folder_ / "store";
    check(config, diagnostics_);
    EXPECT_FALSE(diagnostics_.has_errors()) << diagnostics_.format();
    config.store = folder_ / "none" / "store";
    check(config, diagnostics_);
    ASSERT_TRUE(diagnostics_.has_errors());
    EXPECT_EQ(diagnostics_.all().at(0).line, 1u);
}

}  // namespace
}  // namespace tickpath::config
