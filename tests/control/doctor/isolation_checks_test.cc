#include <gtest/gtest.h>

#include "control/doctor/machine_checks.h"
#include "tests/control/doctor/made_up_machine.h"

namespace tickpath::doctor {
namespace {

constexpr const char* cpus = "/sys/devices/system/cpu/";

// Four CPUs, and what the kernel was told of them.
class IsolationChecks : public ::testing::Test {
protected:
    void isolate(const std::string& isolated, const std::string& nohz_full, const std::string& line) {
        made.file(std::string(cpus) + "present", "0-3")
            .file(std::string(cpus) + "isolated", isolated)
            .file(std::string(cpus) + "nohz_full", nohz_full)
            .file("/proc/cmdline", line);
    }
    void irq(const std::string& number, const std::string& may, const std::string& does) {
        const std::string folder = "/proc/irq/" + number;
        made.file(folder + "/smp_affinity_list", may).file(folder + "/effective_affinity_list", does);
    }
    void handled_irq(const std::string& number, const std::string& may, const std::string& does) {
        irq(number, may, does);
        made.folder("/proc/irq/" + number + "/eth0-rx");
    }

    MadeUpMachine made;
};

TEST_F(IsolationChecks, AreOkOnAMachineSetUpForThePath) {
    isolate("2-3", "2-3", "quiet isolcpus=2-3 nohz_full=2-3 rcu_nocbs=2-3");
    for (const auto check : {check_isolcpus, check_nohz_full, check_rcu_nocbs, check_irq_affinity})
        EXPECT_EQ(check(made.machine).state, MachineState::ok) << check(made.machine).check;
    EXPECT_EQ(check_isolcpus(made.machine).found, "CPUs 2-3");
}

TEST_F(IsolationChecks, WantAllCpusButTheFirstWhereNoneIsIsolated) {
    isolate("", "(null)", "quiet");
    EXPECT_NE(check_isolcpus(made.machine).command.find("isolcpus=managed_irq,domain,1-3/"),
              std::string::npos);
    EXPECT_NE(check_nohz_full(made.machine).command.find("nohz_full=1-3/"), std::string::npos);
    EXPECT_NE(check_rcu_nocbs(made.machine).command.find("rcu_nocbs=1-3/"), std::string::npos);
}

TEST_F(IsolationChecks, WantTickAndCallbacksAwayFromEveryIsolatedCpu) {
    isolate("1-3", "1-2", "rcu_nocbs=2");
    EXPECT_EQ(check_nohz_full(made.machine).found, "not on CPUs 3");
    EXPECT_NE(check_nohz_full(made.machine).command.find("nohz_full=1-3/"), std::string::npos);
    EXPECT_EQ(check_rcu_nocbs(made.machine).found, "not on CPUs 3");  // nohz_full implies the other two
}

TEST_F(IsolationChecks, ReadEveryFormOfRcuNocbs) {
    for (const char* line : {"rcu_nocbs=1-3", "rcu_nocbs=all", "rcu_nocbs", "quiet rcu_nocbs=0-3 panic=1",
                             "rcu_nocbs=9 rcu_nocbs=1,2,3"}) {
        isolate("1-3", "", line);
        EXPECT_EQ(check_rcu_nocbs(made.machine).state, MachineState::ok) << line;
    }
    for (const char* line :
         {"rcu_nocbs=1", "xrcu_nocbs=1-3", "rcu_nocbs_poll", "rcu_nocbs=all rcu_nocbs=1", "rcu_nocbs=1-"}) {
        isolate("1-3", "", line);
        EXPECT_EQ(check_rcu_nocbs(made.machine).state, MachineState::mend) << line;
    }
}

TEST_F(IsolationChecks, HaveNothingToSayOnOneCpu) {
    made.file(std::string(cpus) + "present", "0")
        .file(std::string(cpus) + "isolated", "")
        .file(std::string(cpus) + "nohz_full", "");
    for (const auto check : {check_isolcpus, check_nohz_full, check_rcu_nocbs, check_irq_affinity})
        EXPECT_EQ(check(made.machine).state, MachineState::absent) << check(made.machine).check;
}

TEST_F(IsolationChecks, KnowKernelsWithoutNohzFull) {
    made.file(std::string(cpus) + "present", "0-3").file(std::string(cpus) + "isolated", "");
    EXPECT_EQ(check_nohz_full(made.machine).state, MachineState::absent);
}

TEST_F(IsolationChecks, SendInterruptsAwayFromIsolatedCpus) {
    isolate("2-3", "", "");
    handled_irq("9", "0-3", "0");   // may reach CPU 2, is sent to CPU 0
    handled_irq("24", "0-3", "3");  // is sent to an isolated one
    handled_irq("102", "2", "");    // does not say where it is sent
    handled_irq("25", "0-1", "1");
    irq("5", "0-3", "2");  // nobody handles it: it never comes
    const MachineFinding finding = check_irq_affinity(made.machine);
    EXPECT_EQ(finding.state, MachineState::mend);
    EXPECT_EQ(finding.found, "2 interrupts reach CPUs 2-3");
    EXPECT_EQ(finding.command,
              "for irq in 24 102; do echo 0-1 | sudo tee /proc/irq/$irq/smp_affinity_list; done");
}

}  // namespace
}  // namespace tickpath::doctor
