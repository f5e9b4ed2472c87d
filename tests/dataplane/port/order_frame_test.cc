#include "dataplane/port/order_frame.h"

#include <cstring>
#include <random>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "dataplane/port/byte_ring.h"

namespace tickpath::port {
namespace {

const std::uint32_t ours = ::inet_addr("10.77.0.2");

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values)
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

void put_big(std::vector<std::byte>& frame, std::size_t at, std::uint32_t value) {
    frame[at] = static_cast<std::byte>(value >> 8);
    frame[at + 1] = static_cast<std::byte>(value);
}

/// A segment with three payload bytes and good checksums, from 10.77.0.1:9000 to 10.77.0.2:49152.
std::vector<std::byte> segment(int flags = 0x18) {
    auto frame =
        bytes_of({2,    0,    0,    0,  0, 2, 2,    0, 0,  0, 0, 1, 8,    0,  // Ethernet
                  0x45, 0,    0,    43, 0, 1, 0x40, 0, 64, 6, 0, 0, 10,   77,    0,  1, 10, 77, 0, 2,  // IPv4
                  0x23, 0x28, 0xC0, 0,  0, 0, 0,    7, 0,  0, 0, 9, 0x50, flags, 16, 0, 0,  0,  0, 0,  // TCP
                  'a',  'b',  'c'});
    const auto all = std::span<const std::byte>(frame);
    put_big(frame, 24, ~checksum_sum(all.subspan(14, 20)));
    put_big(frame, 50, ~checksum_sum(all.subspan(34), checksum_sum(all.subspan(26, 8), 6 + 23)));
    return frame;
}

TEST(OrderFrame, KnowsASegmentForUs) {
    EXPECT_EQ(classify(segment(), ours), OrderFrame::tcp);
    EXPECT_EQ(classify(segment(), ::inet_addr("10.77.0.3")), OrderFrame::other);
}

TEST(OrderFrame, IgnoresEthernetPadding) {
    auto frame = segment();
    frame.resize(60, std::byte{0x55});
    EXPECT_EQ(classify(frame, ours), OrderFrame::tcp);
}

TEST(OrderFrame, SeesEveryDamagedByteOfASegment) {
    for (std::size_t at = 14; at < segment().size(); ++at) {
        auto frame = segment();
        frame[at] ^= std::byte{0x21};
        EXPECT_NE(classify(frame, ours), OrderFrame::tcp) << "byte " << at;
    }
}

TEST(OrderFrame, SeesEveryTruncation) {
    const auto frame = segment();
    for (std::size_t size = 0; size < frame.size(); ++size) {
        const std::vector<std::byte> cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_EQ(classify(cut, ours), OrderFrame::malformed) << "size " << size;
    }
}

TEST(OrderFrame, NamesAFragment) {
    auto frame = segment();
    frame[20] = std::byte{0x20};  // more fragments
    put_big(frame, 24, 0);
    put_big(frame, 24, ~checksum_sum(std::span<const std::byte>(frame).subspan(14, 20)));
    EXPECT_EQ(classify(frame, ours), OrderFrame::fragment);
}

TEST(OrderFrame, KnowsWhomArpAsksFor) {
    auto frame = bytes_of({255, 255, 255, 255, 255, 255, 2, 0,  0,  0, 0, 1, 8, 6, 0, 1, 8, 0,  6,  4, 0,
                           1,   2,   0,   0,   0,   0,   1, 10, 77, 0, 1, 0, 0, 0, 0, 0, 0, 10, 77, 0, 2});
    EXPECT_EQ(classify(frame, ours), OrderFrame::arp);
    frame.back() = std::byte{3};
    EXPECT_EQ(classify(frame, ours), OrderFrame::other);
    frame.pop_back();
    EXPECT_EQ(classify(frame, ours), OrderFrame::malformed);
}

TEST(OrderFrame, SaysWhereASegmentStands) {
    const SegmentPlace data = place_of(segment());
    EXPECT_TRUE(data.is_tcp);
    EXPECT_FALSE(data.is_first);
    EXPECT_EQ(data.source_port, 9000);
    EXPECT_EQ(data.sequence, 7u);
    EXPECT_EQ(data.length, 3u);
    EXPECT_EQ(place_of(segment(0x01)).length, 4u);  // FIN counts
    EXPECT_TRUE(place_of(segment(0x02)).is_first);
    EXPECT_FALSE(place_of(std::vector<std::byte>(60)).is_tcp);
}

TEST(OrderFrame, ReadsNothingOutsideRandomFrames) {
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::byte> frame(random() % 80);
        for (std::byte& byte : frame)
            byte = static_cast<std::byte>(random());
        if (frame.size() > 34) {
            std::memcpy(frame.data() + 12, "\x08\x00", 2);
            std::memcpy(frame.data() + 30, &ours, 4);
        }
        EXPECT_NE(classify(frame, ours), OrderFrame::tcp);
        static_cast<void>(place_of(frame));
    }
}

TEST(ByteRing, KeepsTheOrderOfBytesAroundItsEnd) {
    ByteRing ring(7);
    std::vector<std::byte> expected;
    std::vector<std::byte> read;
    std::uint8_t next = 0;
    for (int turn = 0; turn < 1'000; ++turn) {
        std::vector<std::byte> piece(static_cast<std::size_t>(turn % 9));
        for (std::byte& byte : piece)
            byte = static_cast<std::byte>(next++);
        const bool fits = piece.size() <= ring.free_bytes();
        ASSERT_EQ(ring.push(piece), fits);
        if (fits) expected.insert(expected.end(), piece.begin(), piece.end());
        const auto front = ring.front();
        const std::size_t count = std::min<std::size_t>(front.size(), static_cast<std::size_t>(turn % 5));
        read.insert(read.end(), front.begin(), front.begin() + static_cast<std::ptrdiff_t>(count));
        ring.pop(count);
        ASSERT_EQ(ring.size(), expected.size() - read.size());
    }
    while (!ring.empty()) {
        read.insert(read.end(), ring.front().begin(), ring.front().end());
        ring.pop(ring.front().size());
    }
    EXPECT_EQ(read, expected);
}

}  // namespace
}  // namespace tickpath::port
