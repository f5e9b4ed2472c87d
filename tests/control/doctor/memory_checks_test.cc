#include <gtest/gtest.h>

#include "control/doctor/machine_checks.h"
#include "tests/control/doctor/made_up_machine.h"

namespace tickpath::doctor {
namespace {

std::string pages(int node, const std::string& size) {
    return "/sys/devices/system/node/node" + std::to_string(node) + "/hugepages/hugepages-" + size +
           "/nr_hugepages";
}

TEST(HugepagesCheck, IsOkWhenEveryNodeHasEnough) {
    MadeUpMachine made;
    made.file(pages(0, "2048kB"), "64").file(pages(1, "2048kB"), "0").file(pages(1, "1048576kB"), "1");
    const MachineFinding finding = check_hugepages(made.machine);
    EXPECT_EQ(finding.state, MachineState::ok);
    EXPECT_EQ(finding.found, "node0 128 MiB, node1 1024 MiB");
}

TEST(HugepagesCheck, OneNodeWithTooFewIsToBeMended) {
    MadeUpMachine made;
    made.file(pages(0, "2048kB"), "64").file(pages(1, "2048kB"), "63");
    const MachineFinding finding = check_hugepages(made.machine);
    EXPECT_EQ(finding.state, MachineState::mend);
    EXPECT_EQ(finding.command, "sudo sysctl vm.nr_hugepages=128");
}

TEST(HugepagesCheck, SaysWhenThereIsNothingToCount) {
    EXPECT_EQ(check_hugepages(MadeUpMachine().machine).state, MachineState::absent);
    MadeUpMachine garbled;
    garbled.file(pages(0, "2048kB"), "many");
    EXPECT_EQ(check_hugepages(garbled.machine).state, MachineState::mend);
}

MachineFinding memlock(const std::string& soft) {
    MadeUpMachine made;
    made.file("/proc/self/limits",
              "Limit                     Soft Limit           Hard Limit           Units     \n"
              "Max locked memory         " +
                  soft + "              8388608              bytes     ");
    return check_memlock(made.machine);
}

TEST(MemlockCheck, ComparesWithTheRingsOfAPort) {
    EXPECT_EQ(memlock("unlimited").state, MachineState::ok);
    EXPECT_EQ(memlock("16777216").state, MachineState::ok);
    EXPECT_EQ(memlock("16777215").state, MachineState::mend);
    EXPECT_EQ(memlock("8388608").found.substr(0, 8), "8192 KiB");
    EXPECT_NE(memlock("0").command.find("prlimit --memlock=unlimited"), std::string::npos);
}

TEST(MemlockCheck, SaysWhenTheKernelDoesNot) {
    EXPECT_EQ(check_memlock(MadeUpMachine().machine).state, MachineState::absent);
}

}  // namespace
}  // namespace tickpath::doctor
