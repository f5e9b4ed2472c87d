#include <algorithm>

#include <gtest/gtest.h>

#include "control/doctor/interface_features.h"
#include "control/doctor/machine_checks.h"
#include "tests/control/doctor/made_up_machine.h"
#include "tests/support/own_network.h"

namespace tickpath::doctor {
namespace {

constexpr const char* first = "0000:03:00.0";
constexpr const char* second = "0000:04:00.1";

TEST(DriversCheck, SaysWhenThereIsNoNetworkCard) {
    MadeUpMachine made;
    made.file("/sys/bus/pci/devices/0000:00:01.0/class", "0x010000");
    EXPECT_EQ(check_drivers(made.machine).state, MachineState::absent);
}

TEST(DriversCheck, KnowsTheDriversOfModeNic) {
    for (const char* driver : {"vfio-pci", "uio_pci_generic", "igb_uio", "mlx5_core"}) {
        MadeUpMachine made;
        made.card(first, driver);
        EXPECT_EQ(check_drivers(made.machine).state, MachineState::ok) << driver;
    }
}

TEST(DriversCheck, NeverTakesACardThatTheKernelUses) {
    MadeUpMachine made;
    made.card(first, "igb").interface(first, "eth0", "up");
    EXPECT_EQ(check_drivers(made.machine).state, MachineState::absent);
    made.card(second, "igb").interface(second, "eth1", "down");
    EXPECT_EQ(check_drivers(made.machine).command,
              "sudo modprobe vfio-pci && sudo dpdk-devbind.py --bind=vfio-pci 0000:04:00.1");
}

TEST(DriversCheck, FindsTheInterfaceOfAVirtioCardBelowItsOwnDevice) {
    MadeUpMachine made;
    made.card(first, "virtio-pci").folder(std::string("/sys/bus/pci/devices/") + first + "/virtio0/net/eth0");
    made.file("/sys/class/net/eth0/operstate", "unknown");
    EXPECT_EQ(check_drivers(made.machine).state, MachineState::absent);
    EXPECT_NE(check_drivers(made.machine).found.find("virtio-pci (eth0)"), std::string::npos);
}

TEST(IommuCheck, IsForCardsOnVfio) {
    MadeUpMachine made;
    EXPECT_EQ(check_iommu(made.machine).state, MachineState::absent);
    made.card(first, "uio_pci_generic");
    EXPECT_EQ(check_iommu(made.machine).state, MachineState::absent);
    made.card(second, "vfio-pci").file("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel");
    EXPECT_NE(check_iommu(made.machine).command.find(" intel_iommu=on"), std::string::npos);
    made.file("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD");
    EXPECT_NE(check_iommu(made.machine).command.find(" amd_iommu=on"), std::string::npos);
    made.folder("/sys/class/iommu/dmar0");
    EXPECT_EQ(check_iommu(made.machine).state, MachineState::ok);
}

TEST(IommuCheck, LeavesCardsAloneThatTheKernelUses) {
    MadeUpMachine made;
    made.card(first, "igb").interface(first, "eth0", "up").card(second, "mlx5_core");
    EXPECT_EQ(check_iommu(made.machine).state, MachineState::absent);
}

TEST(VethOffloadsCheck, NamesThePairsThatHaveAny) {
    Machine machine;
    EXPECT_EQ(check_veth_offloads(machine).state, MachineState::absent);
    machine.interfaces = {{.name = "eth0", .driver = "igb", .transmit_checksum = true}};
    EXPECT_EQ(check_veth_offloads(machine).state, MachineState::absent);
    machine.interfaces.push_back({.name = "v0", .driver = "veth"});
    EXPECT_EQ(check_veth_offloads(machine).state, MachineState::ok);
    machine.interfaces.push_back({.name = "v1", .driver = "veth", .generic_receive = true});
    machine.interfaces.push_back({.name = "v2", .driver = "veth", .tcp_segmentation = true});
    EXPECT_EQ(check_veth_offloads(machine).command,
              "for i in v1 v2; do sudo ethtool -K \"$i\" tx off tso off gso off gro off; done");
}

TEST(InterfaceFeatures, AreThoseOfTheKernel) {
    test::in_own_network([]() -> std::string {
        const std::vector<InterfaceFeatures> all = features_of_interfaces();
        const auto mem0 =
            std::find_if(all.begin(), all.end(), [](const auto& one) { return one.name == "mem0"; });
        if (mem0 == all.end()) return "mem0 is not among them";
        if (mem0->driver != "veth") return "its driver is " + mem0->driver;
        if (!mem0->transmit_checksum || !mem0->generic_segmentation) return "a new pair has its offloads on";
        Machine machine = Machine::this_one();
        if (check_veth_offloads(machine).state != MachineState::mend) return "the check does not see them";
        return {};
    });
}

}  // namespace
}  // namespace tickpath::doctor
