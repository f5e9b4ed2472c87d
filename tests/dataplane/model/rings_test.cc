#include "dataplane/model/rings.h"

#include <array>
#include <cstddef>

#include <gtest/gtest.h>

namespace tickpath::model {
namespace {

TEST(ModelRings, TickAndSequenceWordFillTwoCacheLines) {
    EXPECT_EQ(TickRing::slot_bytes(), 128u);
}

TEST(ModelRings, ATickComesOutAsItWentIn) {
    TickRing ring(4);
    Tick tick;
    tick.price = 13331;
    tick.flags = tick_flag::last_of_event;
    ASSERT_TRUE(ring.push(tick));
    ASSERT_NE(ring.front(), nullptr);
    EXPECT_EQ(ring.front()->price, 13331);
    EXPECT_TRUE(ring.front()->has(tick_flag::last_of_event));
}

TEST(ModelRings, AFrameKeepsItsOriginAndGainsATailroom) {
    FrameRing ring(4);
    const std::array<std::byte, 3> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
    const Frame frame = {.data = bytes.data(),
                         .size_bytes = bytes.size(),
                         .tailroom_bytes = 0,
                         .frame_number = 77,
                         .rx_time = {123, TimeDomain::capture_ns},
                         .rx_cycles = 456,
                         .port = 2,
                         .queue = 1};
    ASSERT_TRUE(push(ring, frame));
    ASSERT_NE(ring.front(), nullptr);
    const Frame copy = frame_of(*ring.front());
    EXPECT_NE(copy.data, frame.data);
    ASSERT_EQ(copy.size_bytes, 3u);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), copy.data));
    EXPECT_EQ(copy.frame_number, 77u);
    EXPECT_EQ(copy.rx_time, frame.rx_time);
    EXPECT_EQ(copy.rx_cycles, 456u);
    EXPECT_EQ(copy.port, 2);
    EXPECT_EQ(copy.queue, 1);
    EXPECT_GE(copy.tailroom_bytes, 64u);
}

}  // namespace
}  // namespace tickpath::model
