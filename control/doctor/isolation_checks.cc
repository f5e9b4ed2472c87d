#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/doctor/cpu_list.h"
#include "control/doctor/kernel_parameter.h"
#include "control/doctor/machine_checks.h"

namespace tickpath::doctor {
namespace {

constexpr const char* isolated_file = "/sys/devices/system/cpu/isolated";
constexpr const char* nohz_full_file = "/sys/devices/system/cpu/nohz_full";

// "(null)" stands in some of these files for no CPU.
CpuList cpus_in(const Machine& machine, std::string_view path) {
    return parse_cpu_list(machine.line_of(path)).value_or(CpuList{});
}

// Those that are isolated, else those that should be: all but the first, which keeps the kernel's own work.
CpuList wanted_cpus(const Machine& machine) {
    CpuList isolated = cpus_in(machine, isolated_file);
    return isolated.empty() ? difference(cpus_in(machine, "/sys/devices/system/cpu/present"), {0}) : isolated;
}

// The value of a parameter of the kernel's command line; the last one counts.
std::optional<std::string> kernel_parameter(const Machine& machine, const std::string& name) {
    std::optional<std::string> value;
    const std::string line = machine.line_of("/proc/cmdline");
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::string word = line.substr(at, end - at);
        if (word == name) value = "";
        if (word.starts_with(name + '=')) value = word.substr(name.size() + 1);
        at = end + 1;
    }
    return value;
}

// Without a list, or with "all", the parameter holds for every CPU. nohz_full includes its CPUs here.
CpuList cpus_without_callbacks(const Machine& machine) {
    CpuList cpus = cpus_in(machine, nohz_full_file);
    const std::optional<std::string> value = kernel_parameter(machine, "rcu_nocbs");
    if (!value) return cpus;
    const bool is_all = value->empty() || *value == "all";
    const CpuList named = is_all ? cpus_in(machine, "/sys/devices/system/cpu/present")
                                 : parse_cpu_list(*value).value_or(CpuList{});
    cpus.insert(cpus.end(), named.begin(), named.end());
    std::sort(cpus.begin(), cpus.end());
    return cpus;
}

// What all three checks of the kernel's command line say, once it is known which CPUs they hold for.
MachineFinding isolation_finding(const Machine& machine, const std::string& parameter, const CpuList& there,
                                 const std::string& value_prefix) {
    MachineFinding finding{.check = parameter, .state = MachineState::ok, .found = {}, .command = {}};
    const CpuList wanted = wanted_cpus(machine);
    const CpuList missing = difference(wanted, there);
    if (wanted.empty()) {
        finding.state = MachineState::absent;
        finding.found = "one CPU: none can be set apart";
    } else if (missing.empty()) {
        finding.found = "CPUs " + to_text(there);
    } else {
        finding.state = MachineState::mend;
        finding.found = "not on CPUs " + to_text(missing);
        finding.command = kernel_parameter_command(parameter + '=' + value_prefix + to_text(wanted));
    }
    return finding;
}

// CPUs that an interrupt reaches: where it is sent to, else where it may be sent.
CpuList cpus_of_irq(const Machine& machine, const std::string& irq) {
    const CpuList effective = cpus_in(machine, "/proc/irq/" + irq + "/effective_affinity_list");
    return effective.empty() ? cpus_in(machine, "/proc/irq/" + irq + "/smp_affinity_list") : effective;
}

std::vector<std::string> irqs_on(const Machine& machine, const CpuList& cpus) {
    std::vector<std::string> irqs;
    for (const std::string& irq : machine.names_in("/proc/irq")) {
        if (!machine.has_folder_in("/proc/irq/" + irq))
            continue;  // a folder a handler: without, it never comes
        const CpuList reached = cpus_of_irq(machine, irq);
        if (difference(reached, cpus).size() != reached.size()) irqs.push_back(irq);
    }
    return irqs;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace

MachineFinding check_isolcpus(const Machine& machine) {
    return isolation_finding(machine, "isolcpus", cpus_in(machine, isolated_file), "managed_irq,domain,");
}

MachineFinding check_nohz_full(const Machine& machine) {
    // The file is there whenever the kernel can do it, whatever it was started with.
    if (!machine.has(nohz_full_file))
        return {.check = "nohz_full",
                .state = MachineState::absent,
                .found = "this kernel is built without (CONFIG_NO_HZ_FULL)",
                .command = {}};
    return isolation_finding(machine, "nohz_full", cpus_in(machine, nohz_full_file), "");
}

MachineFinding check_rcu_nocbs(const Machine& machine) {
    return isolation_finding(machine, "rcu_nocbs", cpus_without_callbacks(machine), "");
}

MachineFinding check_irq_affinity(const Machine& machine) {
    MachineFinding finding{.check = "irq_affinity", .state = MachineState::ok, .found = {}, .command = {}};
    const CpuList isolated = cpus_in(machine, isolated_file);
    const CpuList others = difference(cpus_in(machine, "/sys/devices/system/cpu/present"), isolated);
    if (isolated.empty() || others.empty()) {
        finding.state = MachineState::absent;
        finding.found = "no CPU is isolated, so none is to be kept free";
        return finding;
    }
    const std::vector<std::string> irqs = irqs_on(machine, isolated);
    finding.found = std::to_string(irqs.size()) + " interrupts reach CPUs " + to_text(isolated);
    if (irqs.empty()) return finding;
    finding.state = MachineState::mend;
    finding.command = "for irq in " + joined(irqs) + "; do echo " + to_text(others) +
                      " | sudo tee /proc/irq/$irq/smp_affinity_list; done";
    return finding;
}

}  // namespace tickpath::doctor
