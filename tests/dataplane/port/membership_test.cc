#include "dataplane/port/membership.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tickpath::port {
namespace {

constexpr int not_permitted = 77;

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

// A user namespace in which this user is root, then a network namespace of it: needs no privilege.
bool enter_own_network() {
    const std::string map = "0 " + std::to_string(::geteuid()) + " 1\n";
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
    std::ofstream("/proc/self/uid_map") << map;
    return std::system("ip link add mem0 type veth peer name mem1 2>&1 && ip link set mem0 up") == 0;
}

// Runs `body` in a child with a network of its own: interfaces mem0 (up) and mem1 (down), and nothing of this
// machine. The body returns an empty text when all is well.
void in_own_network(const std::function<std::string()>& body) {
    int out[2];
    ASSERT_EQ(::pipe(out), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (!enter_own_network()) ::_exit(not_permitted);
        const std::string trouble = body();
        if (::write(out[1], trouble.data(), trouble.size()) < 0) ::_exit(2);
        ::_exit(trouble.empty() ? 0 : 1);
    }
    ::close(out[1]);
    std::string trouble;
    char buffer[512];
    for (ssize_t count = 0; (count = ::read(out[0], buffer, sizeof buffer)) > 0;)
        trouble.append(buffer, static_cast<std::size_t>(count));
    ::close(out[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == not_permitted)
        GTEST_SKIP() << "skipped: a network namespace of one's own is not permitted here";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << trouble;
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
