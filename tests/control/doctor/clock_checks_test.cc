#include <gtest/gtest.h>

#include "control/doctor/machine_checks.h"
#include "tests/control/doctor/made_up_machine.h"

namespace tickpath::doctor {
namespace {

void govern(MadeUpMachine& made, int cpu, const std::string& governor) {
    made.file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor", governor);
}

TEST(GovernorCheck, NamesTheCpusThatSaveEnergy) {
    MadeUpMachine made;
    EXPECT_EQ(check_governor(made.machine).state, MachineState::absent);
    govern(made, 0, "performance");
    made.folder("/sys/devices/system/cpu/cpufreq").folder("/sys/devices/system/cpu/cpuidle");
    EXPECT_EQ(check_governor(made.machine).state, MachineState::ok);
    for (const int cpu : {2, 9, 10})
        govern(made, cpu, "powersave");
    EXPECT_EQ(check_governor(made.machine).found, "powersave on CPUs 2,9-10");
    EXPECT_NE(check_governor(made.machine).command.find("echo performance"), std::string::npos);
}

MachineFinding clock_source(const std::string& current, const std::string& available) {
    MadeUpMachine made;
    const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
    made.file(folder + "current_clocksource", current).file(folder + "available_clocksource", available);
    return check_clock_source(made.machine);
}

TEST(ClockSourceCheck, WantsTheTimeStampCounter) {
    EXPECT_EQ(clock_source("tsc", "tsc hpet acpi_pm ").state, MachineState::ok);
    EXPECT_NE(clock_source("hpet", "tsc hpet ").command.find("echo tsc"), std::string::npos);
    EXPECT_NE(clock_source("kvm-clock", "kvm-clock tsc-early").command.find("clocksource=tsc"),
              std::string::npos);
    EXPECT_EQ(check_clock_source(MadeUpMachine().machine).state, MachineState::absent);
}

TEST(ClockSyncCheck, RestartsTheProgramThatShouldKeepTheClock) {
    MadeUpMachine made;
    EXPECT_EQ(check_clock_sync(made.machine).command, "sudo apt-get install -y chrony");
    made.file("/proc/12/comm", "bash")
        .file("/proc/x12/comm", "chronyd")
        .file("/proc/345/comm", "systemd-timesyn");
    EXPECT_EQ(check_clock_sync(made.machine).command, "sudo systemctl restart systemd-timesyncd");
    made.machine.is_clock_synchronised = true;
    EXPECT_EQ(check_clock_sync(made.machine).state, MachineState::ok);
}

TEST(PtpCheck, WantsPtp4lWhereACardHasAClock) {
    MadeUpMachine made;
    EXPECT_EQ(check_ptp(made.machine).state, MachineState::absent);
    made.file("/sys/class/ptp/ptp0/clock_name", "KVM virtual PTP");
    EXPECT_EQ(check_ptp(made.machine).state, MachineState::absent);
    EXPECT_NE(check_ptp(made.machine).found.find("ptp0 (KVM virtual PTP)"), std::string::npos);
    made.folder("/sys/class/net/eth1/device/ptp/ptp1");
    EXPECT_EQ(check_ptp(made.machine).state, MachineState::mend);
    EXPECT_NE(check_ptp(made.machine).command.find("ptp4l@eth1"), std::string::npos);
    made.file("/proc/77/comm", "ptp4l");
    EXPECT_EQ(check_ptp(made.machine).state, MachineState::ok);
}

}  // namespace
}  // namespace tickpath::doctor
