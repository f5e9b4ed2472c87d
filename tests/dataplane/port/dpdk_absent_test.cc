#include <array>

#include <gtest/gtest.h>

#include "dataplane/port/dpdk_port.h"

namespace tickpath::port {
namespace {

TEST(DpdkAbsent, SaysThatTheBuildHasNoDpdk) {
    PortSettings settings;
    settings.name = "feed";
    settings.device = "pcap:/none.pcap";
    Diagnostics diagnostics;
    EXPECT_EQ(Environment::open(std::array{settings}, diagnostics), nullptr);
    EXPECT_EQ(diagnostics.format(),
              "port feed: capture /none.pcap cannot be read: No such file or directory\n"
              "this build has no DPDK, so no port can be opened: sudo apt install libdpdk-dev, then meson "
              "configure "
              "build -Ddpdk=enabled\n");
}

}  // namespace
}  // namespace tickpath::port
