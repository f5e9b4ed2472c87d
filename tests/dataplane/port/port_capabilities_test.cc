#include "dataplane/port/port_capabilities.h"

#include <gtest/gtest.h>

namespace tickpath::port {
namespace {

TEST(PortCapabilities, ReadAsOneLine) {
    EXPECT_EQ(to_text(PortCapabilities{.steering = Steering::rss,
                                       .is_shared_with_kernel = false,
                                       .membership = MembershipBy::own_igmp,
                                       .receive_stamp = ReceiveStamp::ptp_frames,
                                       .transmit_stamp = TransmitStamp::timesync,
                                       .has_checksum_flag = true,
                                       .receive_queues_max = 16,
                                       .receive_descriptors = {.least = 32, .most = 4096, .multiple_of = 8},
                                       .transmit_descriptors = {.least = 512, .most = 4096, .multiple_of = 1},
                                       .numa_node = 1}),
              "steering rss, not shared with the kernel, membership by own_igmp, receive times ptp_frames, "
              "transmit times timesync, checksum flag, receive queues up to 16, descriptors 32-4096 by 8 to "
              "receive, 512-4096 to transmit, NUMA node 1");
}

TEST(PortCapabilities, HaveAWordForEachValue) {
    EXPECT_STREQ(name(Steering::none), "none");
    EXPECT_STREQ(name(Steering::flow), "flow");
    EXPECT_STREQ(name(MembershipBy::nobody), "nobody");
    EXPECT_STREQ(name(MembershipBy::kernel), "kernel");
    EXPECT_STREQ(name(ReceiveStamp::cycles), "cycles");
    EXPECT_STREQ(name(ReceiveStamp::capture), "capture");
    EXPECT_STREQ(name(ReceiveStamp::every_frame), "every_frame");
    EXPECT_STREQ(name(TransmitStamp::doorbell), "doorbell");
}

TEST(LongestRing, IsWhatTheDeviceAllows) {
    EXPECT_EQ(longest_ring({.least = 32, .most = 4096, .multiple_of = 8}, 8191), 4096);
    EXPECT_EQ(longest_ring({.least = 64, .most = 2050, .multiple_of = 32}, 8191), 2048) << "in its steps";
}

TEST(LongestRing, IsNoLongerThanBuffersFill) {
    EXPECT_EQ(longest_ring({.least = 0, .most = 65535, .multiple_of = 1}, 8191), 4096);
    EXPECT_EQ(longest_ring({.least = 0, .most = 65535, .multiple_of = 1}, 255), 64);
    EXPECT_EQ(longest_ring({.least = 0, .most = 65535, .multiple_of = 1}, 1u << 20), 65535u);
    EXPECT_EQ(longest_ring({.least = 32, .most = 4096, .multiple_of = 8}, 1023), 512);
}

TEST(LongestRing, IsNeverLessThanTheDeviceNeeds) {
    EXPECT_EQ(longest_ring({.least = 512, .most = 4096, .multiple_of = 1}, 255), 512);
}

}  // namespace
}  // namespace tickpath::port
