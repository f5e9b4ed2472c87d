#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/doctor/machine_checks.h"

namespace tickpath::doctor {
namespace {

constexpr std::uint64_t hugepages_kb_min = 64 * 2'048;          // spec/dataplane.md §3: vm.nr_hugepages=64
constexpr std::uint64_t memlock_bytes_min = 2 * 4'096 * 2'048;  // §9: 2 × framecnt × framesz

// The number at the start of `text`, behind blanks.
std::optional<std::uint64_t> leading_number(std::string_view text) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data() + start, text.data() + text.size(), number);
    return failure == std::errc() ? std::optional(number) : std::nullopt;
}

// Of all sizes: folders "hugepages-2048kB" with a file nr_hugepages in each.
std::uint64_t hugepages_kb(const Machine& machine, const std::string& node) {
    constexpr std::string_view prefix = "hugepages-";
    const std::string folder = "/sys/devices/system/node/" + node + "/hugepages/";
    std::uint64_t sum_kb = 0;
    for (const std::string& size : machine.names_in(folder)) {
        if (!size.starts_with(prefix)) continue;
        const auto page_kb = leading_number(std::string_view(size).substr(prefix.size()));
        const auto count = leading_number(machine.line_of((folder + size).append("/nr_hugepages")));
        sum_kb += page_kb.value_or(0) * count.value_or(0);
    }
    return sum_kb;
}

// Nodes without memory of their own cannot have pages.
std::vector<std::string> nodes_with_memory(const Machine& machine) {
    std::vector<std::string> nodes;
    for (const std::string& node : machine.names_in("/sys/devices/system/node"))
        if (node.starts_with("node") && machine.has("/sys/devices/system/node/" + node + "/hugepages"))
            nodes.push_back(node);
    return nodes;
}

}  // namespace

MachineFinding check_hugepages(const Machine& machine) {
    MachineFinding finding{.check = "hugepages", .state = MachineState::ok, .found = {}, .command = {}};
    const std::vector<std::string> nodes = nodes_with_memory(machine);
    for (const std::string& node : nodes) {
        const std::uint64_t there_kb = hugepages_kb(machine, node);
        if (there_kb < hugepages_kb_min) finding.state = MachineState::mend;
        finding.found +=
            (finding.found.empty() ? "" : ", ") + node + ' ' + std::to_string(there_kb / 1'024) + " MiB";
    }
    if (nodes.empty()) {
        finding.state = MachineState::absent;
        finding.found = "the kernel knows no huge pages: mode \"laptop\" works without";
    }
    if (finding.state != MachineState::mend) return finding;
    finding.found += "; modes \"hugepages\" and \"nic\" want 128 MiB on each node";
    finding.command = "sudo sysctl vm.nr_hugepages=" + std::to_string(64 * nodes.size());
    return finding;
}

MachineFinding check_memlock(const Machine& machine) {
    constexpr std::string_view start = "Max locked memory";
    MachineFinding finding{.check = "memlock", .state = MachineState::ok, .found = {}, .command = {}};
    const std::string line = machine.line_with("/proc/self/limits", start);
    const std::string_view soft = std::string_view(line).substr(std::min(start.size(), line.size()));
    const auto bytes = leading_number(soft);
    if (line.empty()) {
        finding.state = MachineState::absent;
        finding.found = "the kernel does not say how much memory may be locked";
    } else if (!bytes) {
        finding.found = "unlimited";
    } else {
        finding.found = std::to_string(*bytes / 1'024) + " KiB";
        if (*bytes >= memlock_bytes_min) return finding;
        finding.state = MachineState::mend;
        finding.found += "; the rings of an af_packet port of 4096 frames are " +
                         std::to_string(memlock_bytes_min / 1'024) + " KiB, so they become shorter";
        finding.command = "sudo prlimit --memlock=unlimited --pid $$  # for this shell and what it starts";
    }
    return finding;
}

}  // namespace tickpath::doctor
