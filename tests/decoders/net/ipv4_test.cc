#include "decoders/net/ipv4.h"

#include <gtest/gtest.h>

#include "decoders/net/tcp.h"
#include "tests/support/packet_builder.h"

namespace tickpath::net {
namespace {

using test::build_frame;
using test::Bytes;
using test::bytes_of;

Bytes tcp_header(std::uint8_t words, std::uint8_t flags) {
    Bytes tcp;
    test::detail::put16(tcp, 40'001);
    test::detail::put16(tcp, 9876);
    test::detail::put32(tcp, 0xFFFF'FFF0u);
    test::detail::put32(tcp, 1);
    test::detail::put8(tcp, static_cast<std::uint32_t>(words) << 4);
    test::detail::put8(tcp, flags);
    for (int i = 0; i < 6; ++i)
        test::detail::put8(tcp, 0);
    return tcp;
}

Ipv4Packet tcp_packet(const Bytes& bytes) {
    return {.source_address = 1, .address = 2, .protocol = tcp_protocol, .payload = bytes};
}

TEST(Ipv4, FindsThePacketBehindVlanTagsAndOptions) {
    for (const std::vector<std::uint16_t>& vlans : {std::vector<std::uint16_t>{}, {7}, {7, 8}}) {
        const Bytes frame =
            build_frame({.vlan_ids = vlans, .payload = bytes_of("hello"), .ip_option_words = 2});
        const Result<Ipv4Packet> packet = find_ipv4(frame);
        ASSERT_TRUE(packet) << vlans.size();
        EXPECT_EQ(packet->protocol, 17);
        EXPECT_EQ(packet->source_address, 0x0A09'0001u);
        EXPECT_EQ(packet->address, 0xEF01'0101u);
        EXPECT_FALSE(packet->is_fragment);
        EXPECT_EQ(packet->payload.size(), 8u + 5u);
        EXPECT_EQ(packet->end, 14 + 4 * vlans.size() + 28 + 8 + 5);
        EXPECT_LE(packet->end, frame.size()) << "padding is not part of it";
    }
}

TEST(Ipv4, FailsAtEveryTruncationPoint) {
    const Bytes frame = build_frame({.vlan_ids = {7}, .payload = Bytes(40)});
    for (std::size_t length = 0; length < frame.size(); ++length) {
        const Result<Ipv4Packet> packet = find_ipv4(std::span(frame).first(length));
        EXPECT_FALSE(packet) << length;
        EXPECT_EQ(packet.error(), Errc::truncated) << length;
    }
}

TEST(Ipv4, RefusesOtherEthertypesAndHeadersThatContradictThemselves) {
    Bytes frame = build_frame({.payload = bytes_of("x")});
    Bytes arp = frame;
    arp[13] = std::byte{0x06};
    EXPECT_EQ(find_ipv4(arp).error(), Errc::unknown);
    Bytes version = frame;
    version[14] = std::byte{0x65};
    EXPECT_EQ(find_ipv4(version).error(), Errc::bad_length);
    Bytes header = frame;
    header[14] = std::byte{0x44};
    EXPECT_EQ(find_ipv4(header).error(), Errc::bad_length);
    Bytes total = frame;
    total[16] = std::byte{0};
    total[17] = std::byte{19};
    EXPECT_EQ(find_ipv4(total).error(), Errc::bad_length);
}

TEST(Ipv4, MarksFragments) {
    EXPECT_TRUE(find_ipv4(build_frame({.payload = bytes_of("x"), .fragment_word = 0x2000}))->is_fragment);
    EXPECT_TRUE(find_ipv4(build_frame({.payload = bytes_of("x"), .fragment_word = 0x0001}))->is_fragment);
}

TEST(Tcp, ReadsPortsSequenceAndPayloadBehindOptions) {
    Bytes bytes = tcp_header(6, 0x02);
    test::detail::put32(bytes, 0x0101'0101);
    const Bytes text = bytes_of("8=FIX");
    bytes.insert(bytes.end(), text.begin(), text.end());
    const Result<TcpSegment> segment = parse_tcp(tcp_packet(bytes));
    ASSERT_TRUE(segment);
    EXPECT_EQ(segment->source_port, 40'001);
    EXPECT_EQ(segment->port, 9876);
    EXPECT_EQ(segment->sequence, 0xFFFF'FFF0u);
    EXPECT_TRUE(segment->is_syn);
    EXPECT_EQ(segment->payload.size(), 5u);
}

TEST(Tcp, RefusesWhatIsNoWholeSegment) {
    const Bytes bytes = tcp_header(5, 0x10);
    ASSERT_TRUE(parse_tcp(tcp_packet(bytes)));
    EXPECT_FALSE(parse_tcp(tcp_packet(bytes))->is_syn);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        Ipv4Packet packet = tcp_packet(bytes);
        packet.payload = packet.payload.first(length);
        EXPECT_EQ(parse_tcp(packet).error(), Errc::truncated) << length;
    }
    const Bytes short_header = tcp_header(4, 0x10), long_header = tcp_header(15, 0x10);
    EXPECT_EQ(parse_tcp(tcp_packet(short_header)).error(), Errc::bad_length);
    EXPECT_EQ(parse_tcp(tcp_packet(long_header)).error(), Errc::truncated);
    Ipv4Packet udp = tcp_packet(bytes);
    udp.protocol = 17;
    EXPECT_EQ(parse_tcp(udp).error(), Errc::unknown);
    Ipv4Packet fragment = tcp_packet(bytes);
    fragment.is_fragment = true;
    EXPECT_EQ(parse_tcp(fragment).error(), Errc::unknown);
}

}  // namespace
}  // namespace tickpath::net
