#include <array>

#include <gtest/gtest.h>

#include "dataplane/port/dpdk_port.h"

namespace tickpath::port {
namespace {

TEST(DpdkAbsent, SaysThatTheBuildHasNoDpdk) {
    Diagnostics diagnostics;
    EXPECT_EQ(Environment::open(std::array{PortSettings{}}, diagnostics), nullptr);
    EXPECT_EQ(diagnostics.format(),
              "this build has no DPDK, so no port can be opened: sudo apt install libdpdk-dev, then meson "
              "configure "
              "build -Ddpdk=enabled\n");
}

}  // namespace
}  // namespace tickpath::port
