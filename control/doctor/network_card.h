// Network cards on the PCI bus, by what the kernel says of them. Cold.
#pragma once

#include <string>
#include <vector>

#include "control/doctor/machine.h"

namespace tickpath::doctor {

struct NetworkCard {
    std::string address;  ///< "0000:03:00.0"
    std::string driver;   ///< of the kernel; empty when bound to none
    std::vector<std::string> interfaces;
    bool is_in_use = false;  ///< an interface of it is up, or does not say

    /// For a person: "0000:03:00.0 igb (eth0)".
    [[nodiscard]] std::string text() const;
    /// DPDK drives it: through vfio or uio, or beside the kernel's own driver (bifurcated).
    [[nodiscard]] bool is_ready() const;
    /// It is on vfio-pci, or could be.
    [[nodiscard]] bool needs_iommu() const;
    /// Its driver gives it to a process without an IOMMU.
    [[nodiscard]] bool is_on_uio() const;
};

/// In the order of their addresses.
[[nodiscard]] std::vector<NetworkCard> network_cards(const Machine& machine);

}  // namespace tickpath::doctor
