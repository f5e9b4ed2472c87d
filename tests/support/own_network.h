// A network of the test's own: interfaces that it may take down or away, and nothing of this machine.
#pragma once

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tickpath::test {

inline constexpr int own_network_not_permitted = 77;

// A user namespace in which this user is root, then a network namespace of it: needs no privilege.
inline bool enter_own_network() {
    const std::string map = "0 " + std::to_string(::geteuid()) + " 1\n";
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
    std::ofstream("/proc/self/uid_map") << map;
    return std::system("ip link add mem0 type veth peer name mem1 2>&1 && ip link set mem0 up") == 0;
}

// Whether the interface has its carrier, of which the kernel tells some time after both ends are up. Waits
// for it, five seconds at the most.
inline bool has_carrier_soon(const std::string& interface = "mem0") {
    return std::system(("for i in $(seq 500); do ip link show " + interface +
                        " | grep -q 'state UP' && exit 0; sleep 0.01; done; exit 1")
                           .c_str()) == 0;
}

// Runs `body` in a child with a network of its own: interfaces mem0 (up) and mem1 (down), and nothing of this
// machine. The body returns an empty text when all is well.
inline void in_own_network(const std::function<std::string()>& body) {
    int out[2];
    ASSERT_EQ(::pipe(out), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (!enter_own_network()) ::_exit(own_network_not_permitted);
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
    if (WIFEXITED(status) && WEXITSTATUS(status) == own_network_not_permitted)
        GTEST_SKIP() << "skipped: a network namespace of one's own is not permitted here";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << trouble;
}

}  // namespace tickpath::test
