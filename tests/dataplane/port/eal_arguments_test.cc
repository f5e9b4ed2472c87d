#include "dataplane/port/eal_arguments.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::port {
namespace {

using Words = std::vector<std::string>;

DevicePlan plan(DeviceKind kind, std::string argument = {}) {
    return {.device = {kind, std::move(argument)}, .queue_count = 1, .frames_max = 8191, .ring_frames = 4096};
}

TEST(EalArguments, OfALaptopNeedNoPrivilegeAndNoHugepages) {
    EXPECT_EQ(
        eal_arguments(Mode::laptop, {plan(DeviceKind::null)}, {""}, {0, 1}, ""),
        (Words{"tickpath", "--no-huge", "-m", "128", "--no-shconf", "--no-telemetry", "--log-level=lib.eal:4",
               "--vdev=net_null0,size=300", "--no-pci", "--lcores", "0@(0,1)"}));
}

TEST(EalArguments, OfHugepagesNeedNoMount) {
    EXPECT_EQ(eal_arguments(Mode::hugepages, {plan(DeviceKind::ring)}, {""}, {3}, ""),
              (Words{"tickpath", "--in-memory", "-m", "128", "--no-telemetry", "--log-level=lib.eal:4",
                     "--vdev=net_ring0", "--no-pci", "--lcores", "0@(3)"}));
}

TEST(EalArguments, OfANicNameOnlyItsDevices) {
    EXPECT_EQ(eal_arguments(Mode::nic, {plan(DeviceKind::pci, "0000:01:00.0"), plan(DeviceKind::null)},
                            {"", ""}, {0}, ""),
              (Words{"tickpath", "--in-memory", "-m", "128", "--no-telemetry", "--log-level=lib.eal:4", "-a",
                     "0000:01:00.0", "--vdev=net_null1,size=300", "--lcores", "0@(0)"}));
}

TEST(EalArguments, DescribeEachVirtualDevice) {
    const Words words = eal_arguments(Mode::laptop,
                                      {plan(DeviceKind::pcap, "/data/a,b.pcap"),
                                       plan(DeviceKind::af_packet, "eth0"), plan(DeviceKind::af_xdp, "eth1")},
                                      {"/proc/self/fd/7", "", ""}, {0}, "");
    const Words devices(words.begin() + 7, words.begin() + 10);
    EXPECT_EQ(devices, (Words{"--vdev=net_pcap0,rx_pcap=/proc/self/fd/7",
                              "--vdev=net_af_packet1,iface=eth0,blocksz=65536,framesz=2048,framecnt=4096,"
                              "qpairs=1,qdisc_bypass=1",
                              "--vdev=net_af_xdp2,iface=eth1,queue_count=1"}));
}

TEST(EalArguments, FindTheExtraWordThatEndsTheProcess) {
    for (const char* const word : {"-h", "--help", "--hel", "--he"}) {
        EXPECT_EQ(usage_word(word), word);
        EXPECT_EQ(usage_word(std::string("--iova-mode=va  ") + word + " -v"), word);
    }
    for (const char* const harmless :
         {"", " ", "--", "-", "--huge-unlink", "--h=1", "--helper", "-help", "-v"})
        EXPECT_EQ(usage_word(harmless), "") << harmless;
}

TEST(EalArguments, EndWithTheExtraOnes) {
    const Words words =
        eal_arguments(Mode::laptop, {plan(DeviceKind::null)}, {""}, {0}, "  --log-level=8   -d x.so ");
    EXPECT_EQ((Words{words.end() - 3, words.end()}), (Words{"--log-level=8", "-d", "x.so"}));
}

TEST(EalArguments, AskForMemoryForAllBuffers) {
    EXPECT_EQ(memory_megabytes(Mode::nic, {plan(DeviceKind::null)}), 128u);
    DevicePlan large = plan(DeviceKind::null);
    large.queue_count = 4;
    EXPECT_EQ(memory_megabytes(Mode::nic, {large, plan(DeviceKind::null)}), 64u + 5u * 20u);
    EXPECT_GT(memory_megabytes(Mode::laptop, {large, plan(DeviceKind::null)}), 64u + 5u * 32u);
}

}  // namespace
}  // namespace tickpath::port
