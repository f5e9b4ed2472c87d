#include "dataplane/core/packet_ring.h"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/test_level.h"

namespace tickpath::core {
namespace {

struct Meta {
    std::uint64_t number = 0;
};

std::vector<std::byte> bytes_like(std::uint64_t number, std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(number + i * 7);
    return bytes;
}

TEST(PacketRing, CarriesPacketsOfEverySizeThatFits) {
    PacketRing<Meta> ring(2);
    for (std::size_t size = 0; size <= packet_bytes_max; ++size) {
        const auto bytes = bytes_like(size, size);
        ASSERT_TRUE(ring.fits(size));
        ASSERT_TRUE(ring.push({size}, bytes));
        const Packet<Meta>* const packet = ring.front();
        ASSERT_NE(packet, nullptr);
        EXPECT_EQ(packet->meta.number, size);
        ASSERT_EQ(packet->size_bytes, size);
        ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), packet->bytes.begin()));
        ring.pop();
    }
    EXPECT_FALSE(ring.fits(packet_bytes_max + 1));
}

TEST(PacketRing, LeavesRoomForASentinelBehindTheLongest) {
    PacketRing<Meta> ring(2);
    ASSERT_TRUE(ring.push({}, bytes_like(0, packet_bytes_max)));
    const Packet<Meta>& packet = *ring.front();
    EXPECT_GE(packet.bytes.size() - packet.size_bytes, packet_tailroom_bytes);
}

TEST(PacketRing, RefusesWhenFull) {
    PacketRing<Meta> ring(2);
    EXPECT_TRUE(ring.push({0}, bytes_like(0, 10)));
    EXPECT_TRUE(ring.push({1}, bytes_like(1, 10)));
    EXPECT_FALSE(ring.push({2}, bytes_like(2, 10)));
    EXPECT_EQ(ring.front()->meta.number, 0u);
    ring.pop();
    EXPECT_EQ(ring.free_slots(), 1u);
}

TEST(PacketRing, CarriesEveryPacketWholeBetweenThreads) {
    const std::uint64_t count = test::at_level(20'000, 200'000, 2'000'000);
    PacketRing<Meta> ring(16);
    const auto size_of = [](std::uint64_t number) { return static_cast<std::size_t>(number % 300); };
    std::thread producer([&] {
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto bytes = bytes_like(i, size_of(i));
            while (!ring.push({i}, bytes))
                std::this_thread::yield();
        }
    });
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Packet<Meta>* packet = nullptr;
        while ((packet = ring.front()) == nullptr)
            std::this_thread::yield();
        const auto expected = bytes_like(i, size_of(i));
        wrong += packet->meta.number != i || packet->size_bytes != expected.size() ||
                 !std::equal(expected.begin(), expected.end(), packet->bytes.begin());
        ring.pop();
    }
    producer.join();
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace tickpath::core
