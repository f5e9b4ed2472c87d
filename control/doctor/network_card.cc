#include "control/doctor/network_card.h"

#include <algorithm>

namespace tickpath::doctor {
namespace {

constexpr const char* devices_folder = "/sys/bus/pci/devices/";

// A virtio card has its interfaces below a device of its own: virtio2/net/eth0.
std::vector<std::string> interfaces_of(const Machine& machine, const std::string& device) {
    std::vector<std::string> interfaces = machine.names_in(device + "/net");
    for (const std::string& child : machine.names_in(device))
        if (child.starts_with("virtio"))
            for (std::string& name : machine.names_in((device + '/').append(child).append("/net")))
                interfaces.push_back(std::move(name));
    return interfaces;
}

}  // namespace

std::string NetworkCard::text() const {
    std::string text = address + (driver.empty() ? " without driver" : ' ' + driver);
    for (std::size_t i = 0; i < interfaces.size(); ++i)
        text += (i == 0 ? " (" : ", ") + interfaces[i];
    return interfaces.empty() ? text : text + ')';
}

bool NetworkCard::is_ready() const {
    return driver == "vfio-pci" || is_on_uio() || driver == "mlx5_core" || driver == "mlx4_core";
}

bool NetworkCard::needs_iommu() const {
    return driver == "vfio-pci" || (!is_ready() && !is_in_use);
}

bool NetworkCard::is_on_uio() const {
    return driver == "uio_pci_generic" || driver == "igb_uio";
}

std::vector<NetworkCard> network_cards(const Machine& machine) {
    std::vector<NetworkCard> cards;
    for (const std::string& address : machine.names_in(devices_folder)) {
        const std::string device = devices_folder + address;
        if (!machine.line_of(device + "/class").starts_with("0x02")) continue;  // PCI class 2: network
        NetworkCard card{.address = address,
                         .driver = machine.link_name(device + "/driver"),
                         .interfaces = interfaces_of(machine, device),
                         .is_in_use = false};
        card.is_in_use = std::any_of(card.interfaces.begin(), card.interfaces.end(), [&](const auto& name) {
            return machine.line_of("/sys/class/net/" + name + "/operstate") != "down";
        });
        cards.push_back(std::move(card));
    }
    return cards;
}

}  // namespace tickpath::doctor
