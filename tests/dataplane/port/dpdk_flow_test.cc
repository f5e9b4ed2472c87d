// Drives dpdk_flow_probe in a network namespace of its own. The driver of net_tap judges rules by itself and
// makes them with the kernel's flower classifier, which not every kernel has.
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "dataplane/port/flow_rule.h"
#include "tests/support/process.h"

namespace tickpath::port {
namespace {

class DpdkFlowTest : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0 || ::access("/dev/net/tun", R_OK | W_OK) != 0)
            GTEST_SKIP() << "skipped: a tap device needs root and /dev/net/tun";
        if (test::run({"unshare", "--net", "true"}).exit_code != 0)
            GTEST_SKIP() << "skipped: a network namespace of one's own is not permitted here";
    }

    static std::string probe(std::vector<std::string> words) {
        words.insert(words.begin(),
                     {"unshare", "--net", TICKPATH_BUILD_ROOT "/tests/dataplane/port/dpdk-flow-probe"});
        const test::Ran ran = test::run(words);
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        return ran.out;
    }
};

TEST_F(DpdkFlowTest, AsksADeviceThatTakesRules) {
    const std::string said = probe({"2"});
    EXPECT_NE(said.find("can steering flow, shared with the kernel, membership by kernel"), std::string::npos)
        << said;
    EXPECT_NE(said.find("receive times cycles, transmit times doorbell"), std::string::npos) << said;
    EXPECT_NE(said.find("\nmade\n"), std::string::npos) << "no rule is none that could be refused: " << said;
}

TEST_F(DpdkFlowTest, HandsRulesToTheDevice) {
    const std::string said = probe({"2", "239.192.70.1:9000=0", "239.192.70.2:9001=1"});
    const bool is_made = said.find("\nmade\n") != std::string::npos;
    const bool kernel_has_no_flower = said.find(
                                          "refused group 239.192.70.1:9000 to queue 0: the device accepted "
                                          "the rule and could not make it (") != std::string::npos;
    EXPECT_TRUE(is_made || kernel_has_no_flower) << said;
}

TEST_F(DpdkFlowTest, IsolatesADeviceAndStartsItAgain) {
    const std::string said = probe({"2", "--isolate", "239.192.70.2:9001=2"});
    const bool is_isolated = said.find("\nisolated\n") != std::string::npos;
    const bool kernel_has_no_flower = said.find("\nit takes no flow isolation (TC rule") != std::string::npos;
    EXPECT_TRUE(is_isolated || kernel_has_no_flower) << said;
    EXPECT_NE(said.find("refused group 239.192.70.2:9001 to queue 2: the device takes no such rule"),
              std::string::npos)
        << "it still judges rules: " << said;
}

TEST_F(DpdkFlowTest, MakesNoneWhenTheDeviceRefusesOne) {
    const std::string said = probe({"2", "239.192.70.1:9000=1", "239.192.70.2:9001=2"});
    EXPECT_NE(said.find("refused group 239.192.70.2:9001 to queue 2: the device takes no such rule ("),
              std::string::npos)
        << said;
}

}  // namespace
}  // namespace tickpath::port
