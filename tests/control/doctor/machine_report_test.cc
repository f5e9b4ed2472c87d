#include "control/doctor/machine_report.h"

#include <gtest/gtest.h>

#include "control/doctor/machine_checks.h"
#include "tests/control/doctor/made_up_machine.h"

namespace tickpath::doctor {
namespace {

const MachineFinding good{
    .check = "governor", .state = MachineState::ok, .found = "performance", .command = {}};
const MachineFinding bad{
    .check = "hugepages", .state = MachineState::mend, .found = "none", .command = "sudo x"};
const MachineFinding nothing{
    .check = "ptp", .state = MachineState::absent, .found = "no clock", .command = {}};

TEST(MachineReport, HasTheCommandBelowWhatItMends) {
    const MachineFinding all[] = {good, bad, nothing};
    EXPECT_EQ(to_text(all),
              "ok      governor       performance\n"
              "mend    hugepages      none\n"
              "          sudo x\n"
              "absent  ptp            no clock\n"
              "1 of 3 checks found something to mend.\n");
}

TEST(MachineReport, SaysTheSameInJson) {
    const MachineFinding all[] = {good, bad, nothing};
    EXPECT_EQ(to_json(all).dump(),
              R"({"ok":false,"checks":[{"check":"governor","state":"ok","found":"performance"},)"
              R"({"check":"hugepages","state":"mend","found":"none","command":"sudo x"},)"
              R"({"check":"ptp","state":"absent","found":"no clock"}]})");
}

TEST(MachineReport, IsOkWithNothingToMend) {
    const MachineFinding all[] = {good, nothing};
    EXPECT_TRUE(is_ok(all));
    EXPECT_TRUE(to_json(all)["ok"]);
    EXPECT_TRUE(to_text(all).ends_with("Nothing to mend.\n"));
}

// An empty tree is the poorest machine; this one is a real one. Whatever they find, each finding to be mended
// has one command.
TEST(MachineChecks, GiveACommandForWhateverIsToBeMended) {
    for (const Machine& machine : {MadeUpMachine().machine, Machine::this_one()}) {
        const std::vector<MachineFinding> findings = check_machine(machine);
        EXPECT_EQ(findings.size(), 13U);
        for (const MachineFinding& finding : findings) {
            EXPECT_FALSE(finding.found.empty()) << finding.check;
            EXPECT_EQ(finding.command.empty(), finding.state != MachineState::mend) << finding.check;
            EXPECT_EQ(finding.command.find('\n'), std::string::npos) << finding.check;
        }
    }
}

}  // namespace
}  // namespace tickpath::doctor
