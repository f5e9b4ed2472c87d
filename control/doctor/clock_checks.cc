#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/doctor/cpu_list.h"
#include "control/doctor/kernel_parameter.h"
#include "control/doctor/machine_checks.h"

namespace tickpath::doctor {
namespace {

constexpr const char* clock_source_folder = "/sys/devices/system/clocksource/clocksource0";

bool has_word(const std::string& line, std::string_view word) {
    return (' ' + line + ' ').find(' ' + std::string(word) + ' ') != std::string::npos;
}

// Program that keeps a clock (the kernel cuts its name at 15 bytes) and Debian's unit of it.
struct ClockKeeper {
    const char* program;
    const char* unit;
};
constexpr ClockKeeper clock_keepers[] = {{"chronyd", "chrony"},
                                         {"ntpd", "ntpsec"},
                                         {"systemd-timesyn", "systemd-timesyncd"},
                                         {"phc2sys", "phc2sys"}};

bool is_running(const Machine& machine, std::string_view program) {
    const std::vector<std::string> processes = machine.names_in("/proc");
    return std::any_of(processes.begin(), processes.end(), [&](const std::string& process) {
        const bool is_process = process.find_first_not_of("0123456789") == std::string::npos;
        return is_process && machine.line_of("/proc/" + process + "/comm") == program;
    });
}

std::string sync_command(const Machine& machine) {
    for (const ClockKeeper& keeper : clock_keepers)
        if (is_running(machine, keeper.program)) return std::string("sudo systemctl restart ") + keeper.unit;
    return "sudo apt-get install -y chrony";
}

// Interfaces that have a clock of their own, each with its name: {"eth0", "ptp1"}.
std::vector<std::pair<std::string, std::string>> nic_clocks(const Machine& machine) {
    std::vector<std::pair<std::string, std::string>> clocks;
    for (const std::string& interface : machine.names_in("/sys/class/net"))
        for (const std::string& clock : machine.names_in("/sys/class/net/" + interface + "/device/ptp"))
            clocks.emplace_back(interface, clock);
    return clocks;
}

std::string names_of_clocks(const Machine& machine) {
    std::string text;
    for (const std::string& clock : machine.names_in("/sys/class/ptp"))
        text += (text.empty() ? "" : ", ") + clock + " (" +
                machine.line_of("/sys/class/ptp/" + clock + "/clock_name") + ')';
    return text;
}

}  // namespace

MachineFinding check_governor(const Machine& machine) {
    MachineFinding finding{.check = "governor", .state = MachineState::absent, .found = {}, .command = {}};
    CpuList others;
    std::string other;
    for (const std::string& cpu : machine.names_in("/sys/devices/system/cpu")) {
        const auto number = parse_cpu_list(cpu.starts_with("cpu") ? cpu.substr(3) : "x");
        const std::string governor =
            machine.line_of("/sys/devices/system/cpu/" + cpu + "/cpufreq/scaling_governor");
        if (!number || governor.empty()) continue;
        finding.state = MachineState::ok;
        if (governor == "performance") continue;
        others.insert(others.end(), number->begin(), number->end());
        other = governor;
    }
    finding.found =
        finding.state == MachineState::ok ? "performance" : "frequencies are not in the kernel's hands";
    if (others.empty()) return finding;
    finding.state = MachineState::mend;
    finding.found = other + " on CPUs " + to_text(others);
    finding.command = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
    return finding;
}

MachineFinding check_clock_source(const Machine& machine) {
    const std::string folder = clock_source_folder;
    MachineFinding finding{.check = "clock_source",
                           .state = MachineState::ok,
                           .found = machine.line_of(folder + "/current_clocksource"),
                           .command = {}};
    if (finding.found == "tsc") return finding;
    if (finding.found.empty()) {
        finding.state = MachineState::absent;
        finding.found = "the kernel does not say";
        return finding;
    }
    finding.state = MachineState::mend;
    finding.found += ": reading the time costs more than with tsc";
    finding.command = has_word(machine.line_of(folder + "/available_clocksource"), "tsc")
                          ? "echo tsc | sudo tee " + folder + "/current_clocksource"
                          : kernel_parameter_command("clocksource=tsc tsc=reliable");
    return finding;
}

MachineFinding check_clock_sync(const Machine& machine) {
    if (machine.is_clock_synchronised)
        return {.check = "clock_sync",
                .state = MachineState::ok,
                .found = "the system clock is synchronised",
                .command = {}};
    return {.check = "clock_sync",
            .state = MachineState::mend,
            .found = "the system clock is not synchronised: times of different machines do not compare",
            .command = sync_command(machine)};
}

MachineFinding check_ptp(const Machine& machine) {
    MachineFinding finding{
        .check = "ptp", .state = MachineState::ok, .found = names_of_clocks(machine), .command = {}};
    const auto clocks = nic_clocks(machine);
    if (clocks.empty()) {
        finding.state = MachineState::absent;
        finding.found = finding.found.empty() ? "no clock of a network card"
                                              : "no clock of a network card, only " + finding.found;
    } else if (is_running(machine, "ptp4l")) {
        finding.found += ", ptp4l runs";
    } else {
        finding.state = MachineState::mend;
        finding.found += ", and no ptp4l runs: receive times of the card drift";
        finding.command =
            "sudo apt-get install -y linuxptp && sudo systemctl enable --now ptp4l@" + clocks.front().first;
    }
    return finding;
}

}  // namespace tickpath::doctor
