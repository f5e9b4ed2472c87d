#include "dataplane/port/port_wire.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::port {
namespace {

/// Has one received frame, and remembers what is done to it.
struct RememberingPort {
    std::size_t rx_burst(std::uint16_t queue, std::span<model::Frame> out) noexcept {
        polled_queue = queue;
        out.front() = {.data = frame.data(), .size_bytes = static_cast<std::uint32_t>(frame.size())};
        return 1;
    }
    void release(std::uint16_t queue) noexcept { released_queue = queue; }
    [[nodiscard]] bool finished() const noexcept { return false; }
    [[nodiscard]] std::uint16_t queue_count() const noexcept { return 4; }
    std::size_t tx(std::span<const std::byte> out) noexcept {
        if (!has_room) return 0;
        sent.assign(out.begin(), out.end());
        return out.size();
    }

    std::vector<std::byte> frame = std::vector<std::byte>(60);
    std::vector<std::byte> sent;
    bool has_room = true;
    int polled_queue = -1;
    int released_queue = -1;
};

TEST(PortWire, SendsWhatWasWritten) {
    RememberingPort port;
    PortWire wire(port, 0);
    const auto frame = wire.tx_alloc(60);
    ASSERT_EQ(frame.size(), 60u);
    std::fill(frame.begin(), frame.end(), std::byte{7});
    EXPECT_TRUE(wire.tx_send());
    EXPECT_EQ(port.sent, std::vector<std::byte>(60, std::byte{7}));
}

TEST(PortWire, SaysWhenThePortHasNoRoom) {
    RememberingPort port;
    port.has_room = false;
    PortWire wire(port, 0);
    ASSERT_EQ(wire.tx_alloc(60).size(), 60u);
    EXPECT_FALSE(wire.tx_send());
}

TEST(PortWire, HasNoBufferForMoreThanAFrame) {
    RememberingPort port;
    PortWire wire(port, 0);
    EXPECT_EQ(wire.tx_alloc(1536).size(), 1536u);
    EXPECT_TRUE(wire.tx_alloc(1537).empty());
}

TEST(PortWire, PollsAndReleasesItsQueue) {
    RememberingPort port;
    PortWire wire(port, 3);
    std::vector<model::Frame> frames(4);
    ASSERT_EQ(wire.rx_burst(frames), 1u);
    EXPECT_EQ(frames.front().data, port.frame.data());
    EXPECT_EQ(port.polled_queue, 3);
    EXPECT_EQ(port.released_queue, -1);
    wire.rx_free();
    EXPECT_EQ(port.released_queue, 3);
}

}  // namespace
}  // namespace tickpath::port
