#include "dataplane/port/interface_watch.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/own_network.h"

namespace tickpath::port {
namespace {

using test::has_carrier_soon;
using test::in_own_network;

// What `command` makes of it; `interface` is its name then.
std::string after(const std::string& command, InterfaceWatch& watch, InterfaceState expected,
                  const std::string& interface = "mem0") {
    if (std::system((command + " 2>&1").c_str()) != 0) return "failed: " + command;
    if (expected == InterfaceState::up && !has_carrier_soon(interface)) return "no carrier: " + command;
    const InterfaceState found = watch.look();
    if (found == expected) return {};
    return "after " + command + ": " + std::to_string(static_cast<int>(found));
}

TEST(InterfaceWatch, SeesAnInterfaceSetDownAndUpAgain) {
    in_own_network([]() -> std::string {
        InterfaceWatch watch("mem0");
        std::string trouble = after("ip link set mem1 up", watch, InterfaceState::up);
        trouble += after("ip link set mem0 down", watch, InterfaceState::down);
        trouble += after("ip link set mem0 up", watch, InterfaceState::up);
        return trouble;
    });
}

TEST(InterfaceWatch, SeesThatTheOtherEndIsNotThere) {
    in_own_network([]() -> std::string {
        InterfaceWatch watch("mem0");
        return after("ip link set mem1 down", watch, InterfaceState::no_carrier);
    });
}

TEST(InterfaceWatch, FollowsAnInterfaceThatGetsAnotherName) {
    in_own_network([]() -> std::string {
        InterfaceWatch watch("mem0");
        return after(
            "ip link set mem1 up && ip link set mem0 down && ip link set mem0 name mem7 && "
            "ip link set mem7 up",
            watch, InterfaceState::up, "mem7");
    });
}

TEST(InterfaceWatch, TakesAnotherOfTheSameNameForAnother) {
    in_own_network([]() -> std::string {
        InterfaceWatch watch("mem0");
        std::string trouble = after("ip link del mem0", watch, InterfaceState::gone);
        trouble += after(
            "ip link add mem0 type veth peer name mem1 && ip link set mem0 up && "
            "ip link set mem1 up",
            watch, InterfaceState::replaced);
        trouble += after("ip link del mem0", watch, InterfaceState::gone);
        return trouble;
    });
}

TEST(InterfaceWatch, SaysThatAnInterfaceThatNeverWasIsGone) {
    EXPECT_EQ(InterfaceWatch("nosuch0").look(), InterfaceState::gone);
}

}  // namespace
}  // namespace tickpath::port
