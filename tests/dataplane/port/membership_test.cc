#include "dataplane/port/membership.h"

#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/own_network.h"

namespace tickpath::port {
namespace {

using test::in_own_network;

std::vector<net::MulticastGroup> groups(std::size_t count) {
    std::vector<net::MulticastGroup> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({static_cast<std::uint32_t>(0xEF01'0001 + i), 9000});
    return all;
}

// Groups of 239.1/16 that this network namespace's kernel is a member of.
std::size_t groups_joined() {
    std::ifstream list("/proc/self/net/igmp");
    std::size_t count = 0;
    for (std::string word; list >> word;)
        count += word.size() == 8 && word.ends_with("01EF");
    return count;
}

TEST(Membership, JoinsMoreGroupsThanOneSocketMayAndLeavesThemAll) {
    in_own_network([]() -> std::string {
        Diagnostics diagnostics;
        {
            const Membership member = Membership::join("mem0", groups(45), "lab.xml", diagnostics);
            if (diagnostics.has_errors()) return diagnostics.format();
            if (member.group_count() != 45 || groups_joined() != 45)
                return "joined " + std::to_string(groups_joined());
        }
        return groups_joined() == 0 ? "" : "left over: " + std::to_string(groups_joined());
    });
}

TEST(Membership, JoinsAnAddressOnceHoweverManyPortsItHas) {
    in_own_network([]() -> std::string {
        Diagnostics diagnostics;
        const std::vector<net::MulticastGroup> same = {{0xEF01'0001, 9000}, {0xEF01'0001, 9001}};
        const Membership member = Membership::join("mem0", same, "lab.xml", diagnostics);
        return member.group_count() == 1 && !diagnostics.has_errors() ? "" : diagnostics.format();
    });
}

TEST(Membership, MovesWithItsOwner) {
    in_own_network([]() -> std::string {
        Diagnostics diagnostics;
        Membership kept;
        {
            Membership member = Membership::join("mem0", groups(3), "lab.xml", diagnostics);
            kept = std::move(member);
        }
        return groups_joined() == 3 && kept.group_count() == 3 ? "" : "lost in the move";
    });
}

TEST(Membership, JoinsOnAnInterfaceThatIsDown) {
    in_own_network([]() -> std::string {
        Diagnostics diagnostics;
        const Membership member = Membership::join("mem1", groups(1), "lab.xml", diagnostics);
        return member.group_count() == 1 ? "" : diagnostics.format();
    });
}

TEST(Membership, NamesTheSettingThatAllowsFewerGroups) {
    in_own_network([]() -> std::string {
        std::ofstream("/proc/sys/net/ipv4/igmp_max_memberships") << "5";
        Diagnostics diagnostics;
        const Membership member = Membership::join("mem0", groups(10), "lab.xml", diagnostics);
        const std::string expected =
            "lab.xml: group 239.1.0.6 cannot be joined on mem0: No buffer space available; sudo sysctl "
            "net.ipv4.igmp_max_memberships=20\n";
        return diagnostics.format() == expected ? "" : diagnostics.format();
    });
}

TEST(Membership, NamesAnInterfaceThatDoesNotExist) {
    Diagnostics diagnostics;
    const Membership member = Membership::join("nosuch0", groups(1), "lab.xml", diagnostics);
    EXPECT_EQ(member.group_count(), 0u);
    EXPECT_EQ(diagnostics.format(),
              "lab.xml: interface nosuch0 does not exist, no group can be joined on it\n");
}

TEST(Membership, NamesAGroupThatIsNone) {
    in_own_network([]() -> std::string {
        Diagnostics diagnostics;
        const std::vector<net::MulticastGroup> unicast = {{0x0A00'0001, 9000}};
        const Membership member = Membership::join("mem0", unicast, "lab.xml", diagnostics);
        const std::string expected = "lab.xml: group 10.0.0.1 cannot be joined on mem0: Invalid argument\n";
        return diagnostics.format() == expected && member.group_count() == 0 ? "" : diagnostics.format();
    });
}

}  // namespace
}  // namespace tickpath::port
