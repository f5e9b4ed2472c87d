#include <algorithm>
#include <string>
#include <vector>

#include "control/doctor/kernel_parameter.h"
#include "control/doctor/machine_checks.h"
#include "control/doctor/network_card.h"

namespace tickpath::doctor {
namespace {

std::string texts_of(const std::vector<NetworkCard>& cards) {
    std::string text;
    for (const NetworkCard& card : cards)
        text += (text.empty() ? "" : ", ") + card.text();
    return text;
}

bool has_any_offload(const InterfaceFeatures& interface) {
    return interface.transmit_checksum || interface.tcp_segmentation || interface.generic_segmentation ||
           interface.generic_receive;
}

}  // namespace

MachineFinding check_drivers(const Machine& machine) {
    const std::vector<NetworkCard> cards = network_cards(machine);
    MachineFinding finding{
        .check = "drivers", .state = MachineState::absent, .found = texts_of(cards), .command = {}};
    const auto free =
        std::find_if(cards.begin(), cards.end(), [](const auto& card) { return !card.is_in_use; });
    if (cards.empty()) {
        finding.found = "no network card on the PCI bus: mode \"nic\" has nothing to drive";
    } else if (std::any_of(cards.begin(), cards.end(), [](const auto& card) { return card.is_ready(); })) {
        finding.state = MachineState::ok;
    } else if (free == cards.end()) {
        finding.found += ": all are in use by the kernel, mode \"nic\" needs a card of its own";
    } else {
        finding.state = MachineState::mend;
        finding.found += ": none is bound to a driver of mode \"nic\"";
        finding.command = "sudo modprobe vfio-pci && sudo dpdk-devbind.py --bind=vfio-pci " + free->address;
    }
    return finding;
}

MachineFinding check_iommu(const Machine& machine) {
    const std::vector<NetworkCard> cards = network_cards(machine);
    MachineFinding finding{.check = "iommu", .state = MachineState::absent, .found = {}, .command = {}};
    const std::vector<std::string> units = machine.names_in("/sys/class/iommu");
    if (!units.empty()) {
        finding.state = MachineState::ok;
        finding.found = std::to_string(units.size()) + " units, the first is " + units.front();
    } else if (std::none_of(cards.begin(), cards.end(),
                            [](const auto& card) { return card.needs_iommu(); })) {
        finding.found = "no network card that needs one";
    } else {
        const bool is_amd = machine.line_with("/proc/cpuinfo", "vendor_id").ends_with("AuthenticAMD");
        finding.state = MachineState::mend;
        finding.found =
            "none: vfio-pci needs one, switched on in the firmware, or offered by a virtual machine's host, "
            "too";
        finding.command =
            kernel_parameter_command(is_amd ? "amd_iommu=on iommu=pt" : "intel_iommu=on iommu=pt");
    }
    return finding;
}

MachineFinding check_veth_offloads(const Machine& machine) {
    MachineFinding finding{.check = "veth_offloads",
                           .state = MachineState::absent,
                           .found = "no virtual pair in this network namespace",
                           .command = {}};
    std::string with_offloads;
    for (const InterfaceFeatures& interface : machine.interfaces) {
        if (interface.driver != "veth") continue;
        if (finding.state == MachineState::absent) {
            finding.state = MachineState::ok;
            finding.found = "off";
        }
        if (has_any_offload(interface)) with_offloads += ' ' + interface.name;
    }
    if (with_offloads.empty()) return finding;
    finding.state = MachineState::mend;
    finding.found = "on at" + with_offloads + ": frames come joined, or without their checksum";
    finding.command =
        "for i in" + with_offloads + "; do sudo ethtool -K \"$i\" tx off tso off gso off gro off; done";
    return finding;
}

}  // namespace tickpath::doctor
