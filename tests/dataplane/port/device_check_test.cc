#include "dataplane/port/device_check.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temporary_folder.h"

namespace tickpath::port {
namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};
constexpr std::uint64_t mebibyte = 1024 * 1024;

TEST(DeviceCheck, NamesTheInterfacesThereAre) {
    const CheckOutcome outcome = check_interface({DeviceKind::af_packet, "nosuch0"});
    EXPECT_EQ(outcome.error.find("interface nosuch0 does not exist here (there are: lo"), 0u)
        << outcome.error;
    EXPECT_NE(outcome.error.find("ip link add nosuch0"), std::string::npos) << outcome.error;
}

TEST(DeviceCheck, NamesTheCommandThatListsPciDevices) {
    EXPECT_EQ(check_pci("ffff:ff:1f.7").error,
              "there is no PCI device ffff:ff:1f.7; see the addresses with: dpdk-devbind.py --status");
}

// A PCI device as the kernel shows it: a folder with links to its driver and its group.
class PciFolder {
public:
    explicit PciFolder(const std::string& driver) {
        std::filesystem::create_directories(devices() + "/0000:01:00.0");
        std::filesystem::create_directories(vfio());
        if (!driver.empty()) link("driver", "/drivers/" + driver);
        link("iommu_group", "/iommu_groups/26");
    }
    void make_group() const { std::ofstream(vfio() + "/26") << ""; }
    [[nodiscard]] std::string error() const { return check_pci("0000:01:00.0", devices(), vfio()).error; }
    [[nodiscard]] std::string vfio() const { return folder_.file("vfio"); }

private:
    [[nodiscard]] std::string devices() const { return folder_.file("devices"); }
    void link(const std::string& name, const std::string& to) const {
        std::filesystem::create_symlink(to, devices() + "/0000:01:00.0/" + name);
    }
    test::TemporaryFolder folder_;
};

TEST(DeviceCheck, NamesTheCommandThatHandsAPciDeviceOver) {
    EXPECT_EQ(PciFolder("e1000e").error(),
              "PCI device 0000:01:00.0 is bound to e1000e; hand it to user space: sudo dpdk-devbind.py "
              "--bind=vfio-pci 0000:01:00.0");
    EXPECT_EQ(PciFolder("").error(),
              "PCI device 0000:01:00.0 is bound to no driver; hand it to user space: sudo dpdk-devbind.py "
              "--bind=vfio-pci 0000:01:00.0");
}

TEST(DeviceCheck, NamesTheGroupThatMayNotBeOpened) {
    const PciFolder pci("vfio-pci");
    EXPECT_EQ(pci.error(), "PCI device 0000:01:00.0 cannot be opened through " + pci.vfio() +
                               "/26: run with sudo, or: sudo chown $USER " + pci.vfio() + "/26");
    pci.make_group();
    EXPECT_EQ(pci.error(), "");
}

TEST(DeviceCheck, LetsOnlyRootUseUio) {
    const std::string error = PciFolder("uio_pci_generic").error();
    EXPECT_EQ(error, ::geteuid() == 0
                         ? ""
                         : "PCI device 0000:01:00.0 is bound to uio_pci_generic, which only root may "
                           "use: run with sudo");
}

TEST(DeviceCheck, NamesTheHugepagesThatAreMissing) {
    constexpr std::size_t petabyte = 1024 * 1024 * 1024;
    const CheckOutcome outcome = check_hugepages(petabyte);
    EXPECT_EQ(outcome.error.find("hugepages: 1073741824 MiB are needed, "), 0u) << outcome.error;
    EXPECT_NE(outcome.error.find("sudo sysctl vm.nr_hugepages=536870913"), std::string::npos)
        << outcome.error;
    EXPECT_EQ(check_hugepages(0).error, "");
}

TEST(DeviceCheck, GivesRingsWhatIsWantedInWholeBlocks) {
    EXPECT_EQ(ring_size_within(4096, 1, unlimited).frames, 4096u);
    EXPECT_EQ(ring_size_within(4097, 1, unlimited).frames, 4128u);
    EXPECT_EQ(ring_size_within(4096, 1, unlimited).limit_bytes, 0u);
}

TEST(DeviceCheck, ShrinksRingsToTheLockedMemory) {
    // spec/dataplane.md §9: with the usual 8 MiB framecnt 2048 works and 4096 does not.
    const RingSize one = ring_size_within(4096, 1, 8 * mebibyte);
    EXPECT_EQ(one.frames, 2048u);
    EXPECT_EQ(one.limit_bytes, 8 * mebibyte);
    EXPECT_EQ(ring_size_within(4096, 2, 8 * mebibyte).frames, 1024u);
    EXPECT_EQ(ring_size_within(2048, 1, 8 * mebibyte).limit_bytes, 0u) << "what fits is not limited";
    EXPECT_EQ(ring_size_within(4096, 1, 8 * mebibyte - 1).frames, 2048u - 32u);
}

TEST(DeviceCheck, GivesNoRingBelowTheLeast) {
    EXPECT_EQ(ring_size_within(4096, 1, 64 * 4096).frames, 64u);
    EXPECT_EQ(ring_size_within(4096, 1, 64 * 4096 - 1).frames, 0u);
    EXPECT_EQ(ring_size_within(4096, 1, 0).frames, 0u);
}

TEST(DeviceCheck, DescribesALimitedRingWithTheCommandThatMendsIt) {
    const CheckOutcome smaller = describe_ring({2048, 8 * mebibyte}, 4096, 1);
    EXPECT_EQ(smaller.error, "");
    EXPECT_EQ(
        smaller.warning,
        "its af_packet ring has 2048 frames (framecnt) instead of 4096 because RLIMIT_MEMLOCK is 8192 KiB: "
        "ulimit -l 16384 before the start, or sudo prlimit --memlock=unlimited --pid $$");
    const CheckOutcome none = describe_ring({0, 65'536}, 4096, 1);
    EXPECT_EQ(none.error.find("RLIMIT_MEMLOCK is 64 KiB, not enough for an af_packet ring of 64 frames"), 0u)
        << none.error;
    EXPECT_EQ(describe_ring({4096, 0}, 4096, 1).warning, "");
}

}  // namespace
}  // namespace tickpath::port
