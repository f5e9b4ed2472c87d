#include "control/runtime/port_links.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/own_network.h"

namespace tickpath::runtime {
namespace {

using core::CommandKind;
using test::has_carrier_soon;
using test::in_own_network;

/// Port 3, called "feed", on mem0; and what the workers were told.
struct Bench {
    core::CounterPage page = core::CounterPage::anonymous();
    PortLinks links;
    std::vector<std::pair<CommandKind, std::uint64_t>> told;
    bool has_room = true;

    explicit Bench(const std::string& interface = "mem0") {
        port::PortFacts facts;
        facts.name = "feed";
        facts.interface = interface;
        links.watch(3, facts, page);
    }
    std::string look() {
        std::string all;
        for (const std::string& news : links.look([this](core::Command command) {
                 if (has_room) told.emplace_back(command.kind, command.argument);
                 return has_room;
             }))
            all += news + '\n';
        return all;
    }
    [[nodiscard]] std::uint64_t losses() const { return page.value("feed.link_lost"); }
};

// Empty when `found` is what it should be.
std::string unlike(const std::string& found, const std::string& expected) {
    return found == expected ? "" : "found: " + found + "expected: " + expected;
}

bool run(const char* command) {
    return std::system(command) == 0;
}

TEST(PortLinks, TellsOnceOfAnInterfaceThatIsDownAndOnceThatItIsBack) {
    in_own_network([]() -> std::string {
        if (!run("ip link set mem1 up") || !has_carrier_soon()) return "no peer";
        Bench bench;
        std::string trouble = unlike(bench.look(), "");
        if (!run("ip link set mem0 down")) return "not set down";
        trouble +=
            unlike(bench.look(),
                   "port feed: interface mem0 is down; books that only this port feeds are invalid: ip "
                   "link set mem0 up\n");
        trouble += unlike(bench.look(), "");
        if (!run("ip link set mem0 up") || !has_carrier_soon()) return "not set up";
        trouble +=
            unlike(bench.look(),
                   "port feed: interface mem0 is back; books become valid with their next snapshots\n");
        const decltype(bench.told) expected = {{CommandKind::link_lost, 3}, {CommandKind::link_back, 3}};
        if (bench.told != expected) trouble += "told " + std::to_string(bench.told.size());
        if (bench.losses() != 1) trouble += "losses " + std::to_string(bench.losses());
        return trouble;
    });
}

TEST(PortLinks, NeverTakesAnotherInterfaceOfThatNameForTheOneThatIsGone) {
    in_own_network([]() -> std::string {
        Bench bench;
        if (!run("ip link del mem0")) return "not deleted";
        std::string trouble = unlike(bench.look(),
                                     "port feed: interface mem0 is gone; books that only this port feeds are "
                                     "invalid: this run receives nothing from it any more; make it again and "
                                     "restart the run\n");
        if (!run("ip link add mem0 type veth peer name mem1 && ip link set mem0 up && ip link set mem1 up"))
            return "not made again";
        trouble += unlike(bench.look(),
                          "port feed: interface mem0 is there again, but this run received from the one that "
                          "is gone; books that only this port feeds are invalid: restart the run\n");
        if (bench.told.size() != 1 || bench.losses() != 1) trouble += "told or counted more than once";
        return trouble;
    });
}

TEST(PortLinks, SaysItAgainToWorkersThatHadNoRoomForIt) {
    Bench bench("nosuch0");
    bench.has_room = false;
    EXPECT_NE(bench.look(), "");
    EXPECT_TRUE(bench.told.empty());
    bench.has_room = true;
    EXPECT_EQ(bench.look(), "");
    ASSERT_EQ(bench.told.size(), 1u);
    EXPECT_EQ(bench.told[0].first, CommandKind::link_lost);
    EXPECT_EQ(bench.losses(), 1u);
}

}  // namespace
}  // namespace tickpath::runtime
