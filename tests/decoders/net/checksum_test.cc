#include "decoders/net/checksum.h"

#include <gtest/gtest.h>

#include "tests/support/packet_builder.h"

namespace tickpath::net {
namespace {

using test::build_frame;
using test::Bytes;
using test::bytes_of;

TEST(NetChecksum, FollowsTheExampleOfRfc1071) {
    // RFC 1071 §3: the words 0001 f203 f4f5 f6f7 sum to ddf2.
    const Bytes bytes = {std::byte{0x00}, std::byte{0x01}, std::byte{0xf2}, std::byte{0x03},
                         std::byte{0xf4}, std::byte{0xf5}, std::byte{0xf6}, std::byte{0xf7}};
    EXPECT_EQ(checksum_of(checksum_add(0, bytes)), static_cast<std::uint16_t>(~0xddf2u));
}

TEST(NetChecksum, AcceptsWhatTheTwinComputedForEveryLength) {
    for (std::size_t size = 0; size < 1480; size += 7) {
        Bytes payload(size);
        for (std::size_t i = 0; i < size; ++i)
            payload[i] = static_cast<std::byte>(i * 31 + size);
        const Bytes frame = build_frame({.payload = payload});
        EXPECT_TRUE(has_good_checksum(parse_udp(frame).udp)) << size;
    }
}

TEST(NetChecksum, SeesEveryFlippedPayloadBit) {
    const Bytes frame = build_frame({.payload = bytes_of("hello"), .frame_bytes_min = 0});
    for (std::size_t at = 42; at < frame.size(); ++at)
        for (unsigned bit = 0; bit < 8; ++bit) {
            Bytes changed = frame;
            changed[at] ^= static_cast<std::byte>(1u << bit);
            EXPECT_FALSE(has_good_checksum(parse_udp(changed).udp)) << at << ' ' << bit;
        }
}

TEST(NetChecksum, SeesAnotherAddressOrPort) {
    for (const std::size_t at : {26, 30, 34, 36}) {
        Bytes frame = build_frame({.payload = bytes_of("hello")});
        frame[at] ^= std::byte{1};
        EXPECT_FALSE(has_good_checksum(parse_udp(frame).udp)) << at;
    }
}

TEST(NetChecksum, AcceptsADatagramWithoutOne) {
    const Bytes frame = build_frame({.payload = bytes_of("hello"), .has_udp_checksum = false});
    EXPECT_TRUE(has_good_checksum(parse_udp(frame).udp));
}

}  // namespace
}  // namespace tickpath::net
