#include "decoders/net/headers.h"

#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/allocation_guard.h"
#include "tests/support/packet_builder.h"

namespace tickpath::net {
namespace {

using test::build_frame;
using test::Bytes;
using test::bytes_of;
using test::UdpPacket;

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Offsets in a frame without VLAN tags.
constexpr std::size_t ip_at = 14;
constexpr std::size_t udp_at = 34;

Bytes plain_frame() {
    return build_frame({.payload = bytes_of("hello")});
}

TEST(NetHeaders, FindPayloadGroupAndSource) {
    const Bytes frame = plain_frame();
    const UdpParse parse = parse_udp(frame);
    ASSERT_EQ(parse.outcome, UdpOutcome::ok);
    EXPECT_EQ(text_of(parse.udp.payload), "hello");
    EXPECT_EQ(to_text(parse.udp.group), "239.1.1.1:9000");
    EXPECT_EQ(to_text(parse.udp.source_mac), "02:00:00:00:00:01");
    EXPECT_EQ(parse.udp.source_address, 0x0A09'0001u);
    EXPECT_EQ(parse.udp.source_port, 40000);
    EXPECT_EQ(parse.udp.payload_offset(frame), 42u);
}

TEST(NetHeaders, LeaveEthernetPaddingOut) {
    const Bytes frame = plain_frame();
    ASSERT_EQ(frame.size(), 60u) << "5 bytes of payload are padded to the least Ethernet frame";
    EXPECT_EQ(parse_udp(frame).udp.payload.size(), 5u);
}

TEST(NetHeaders, AcceptAnEmptyPayload) {
    const UdpParse parse = parse_udp(build_frame({}));
    EXPECT_EQ(parse.outcome, UdpOutcome::ok);
    EXPECT_TRUE(parse.udp.payload.empty());
}

TEST(NetHeaders, SkipOneAndTwoVlanTags) {
    for (const std::vector<std::uint16_t>& tags : {std::vector<std::uint16_t>{7}, {100, 7}}) {
        const Bytes frame = build_frame({.vlan_ids = tags, .payload = bytes_of("hello")});
        const UdpParse parse = parse_udp(frame);
        ASSERT_EQ(parse.outcome, UdpOutcome::ok) << tags.size() << " tags";
        EXPECT_EQ(parse.udp.vlan_tag_count, tags.size());
        EXPECT_EQ(text_of(parse.udp.payload), "hello");
    }
}

TEST(NetHeaders, DoNotFollowAThirdVlanTag) {
    const Bytes frame = build_frame({.vlan_ids = {1, 2, 3}, .payload = bytes_of("hello")});
    EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::not_ipv4);
}

TEST(NetHeaders, SkipIpOptions) {
    const Bytes frame = build_frame({.payload = bytes_of("hello"), .ip_option_words = 10});
    const UdpParse parse = parse_udp(frame);
    ASSERT_EQ(parse.outcome, UdpOutcome::ok);
    EXPECT_EQ(text_of(parse.udp.payload), "hello");
}

TEST(NetHeaders, CallEveryCutBeforeTheLastPayloadByteTruncated) {
    for (const std::vector<std::uint16_t>& tags : {std::vector<std::uint16_t>{}, {7}, {100, 7}}) {
        const Bytes frame =
            build_frame({.vlan_ids = tags, .payload = bytes_of("hello"), .frame_bytes_min = 0});
        for (std::size_t size = 0; size < frame.size(); ++size) {
            // A copy of its own size, so that ASan sees any read past the cut.
            const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
            EXPECT_EQ(parse_udp(cut).outcome, UdpOutcome::truncated) << size << " bytes, " << tags.size();
        }
        EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::ok);
    }
}

TEST(NetHeaders, DetectADatagramCutByTheRing) {
    // af_packet hands over a reassembled datagram cut at its frame size: the total length says more.
    Bytes frame = build_frame({.payload = Bytes(3000)});
    frame.resize(1982);
    EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::truncated);
}

TEST(NetHeaders, TellOtherEthertypesApart) {
    for (const std::uint16_t ethertype : {0x0806, 0x86DD, 0x88CC, 46}) {
        Bytes frame = plain_frame();
        test::detail::set16(frame, 12, ethertype);
        EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::not_ipv4) << ethertype;
    }
}

TEST(NetHeaders, TellOtherProtocolsApart) {
    EXPECT_EQ(parse_udp(build_frame({.payload = Bytes(20), .protocol = 6})).outcome, UdpOutcome::not_udp);
    EXPECT_EQ(parse_udp(build_frame({.payload = Bytes(8), .protocol = 2})).outcome, UdpOutcome::not_udp);
}

TEST(NetHeaders, RefuseFragments) {
    constexpr std::uint16_t more_fragments = 0x2000;
    constexpr std::uint16_t third_kilobyte = 0x0100;
    for (const std::uint16_t word :
         {more_fragments, third_kilobyte, static_cast<std::uint16_t>(more_fragments | third_kilobyte)})
        EXPECT_EQ(parse_udp(build_frame({.payload = Bytes(64), .fragment_word = word})).outcome,
                  UdpOutcome::fragment)
            << word;
    for (const std::uint16_t word : {0x0000, 0x4000})
        EXPECT_EQ(parse_udp(build_frame({.payload = Bytes(64), .fragment_word = word})).outcome,
                  UdpOutcome::ok)
            << word;
}

TEST(NetHeaders, RefuseAnotherIpVersion) {
    Bytes frame = plain_frame();
    frame[ip_at] = std::byte{0x65};
    EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::bad_header);
}

TEST(NetHeaders, RefuseAHeaderLengthBelowTheLeast) {
    for (unsigned words = 0; words < 5; ++words) {
        Bytes frame = plain_frame();
        frame[ip_at] = static_cast<std::byte>(0x40u | words);
        EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::bad_header) << words << " words";
    }
}

TEST(NetHeaders, RefuseATotalLengthBelowTheHeader) {
    for (std::uint16_t total = 0; total < 20; ++total) {
        Bytes frame = plain_frame();
        test::detail::set16(frame, ip_at + 2, total);
        EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::bad_header) << total;
    }
}

TEST(NetHeaders, RefuseATotalLengthWithoutRoomForUdp) {
    for (std::uint16_t total = 20; total < 28; ++total) {
        Bytes frame = plain_frame();
        test::detail::set16(frame, ip_at + 2, total);
        EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::bad_header) << total;
    }
}

TEST(NetHeaders, RefuseAUdpLengthThatLies) {
    for (const std::uint16_t length : {0, 7, 14, 60, 65535}) {
        Bytes frame = plain_frame();
        test::detail::set16(frame, udp_at + 4, length);
        EXPECT_EQ(parse_udp(frame).outcome, UdpOutcome::bad_header) << length;
    }
}

TEST(NetHeaders, CutByUdpLengthWhenItIsShorter) {
    Bytes frame = plain_frame();
    test::detail::set16(frame, udp_at + 4, 8 + 3);
    const UdpParse parse = parse_udp(frame);
    ASSERT_EQ(parse.outcome, UdpOutcome::ok);
    EXPECT_EQ(text_of(parse.udp.payload), "hel");
}

TEST(NetHeaders, KnowTheSourceEvenOfOtherTraffic) {
    Bytes frame = build_frame({.source_mac = {2, 3, 4, 5, 6, 7}});
    test::detail::set16(frame, 12, 0x0806);
    EXPECT_EQ(parse_udp(frame).udp.source_mac, (MacAddress{0x0203'0405'0607}));
}

TEST(NetHeaders, SurviveEveryFlippedHeaderByte) {
    const Bytes frame = build_frame({.vlan_ids = {7}, .payload = bytes_of("hello"), .frame_bytes_min = 0});
    for (std::size_t at = 0; at < frame.size(); ++at)
        for (unsigned value = 0; value < 256; ++value) {
            Bytes changed = frame;
            changed[at] = static_cast<std::byte>(value);
            const UdpParse parse = parse_udp(changed);
            if (parse.outcome != UdpOutcome::ok) continue;
            const std::size_t end = parse.udp.payload_offset(changed) + parse.udp.payload.size();
            ASSERT_LE(end, changed.size()) << "byte " << at << " = " << value;
        }
}

TEST(NetHeaders, TakeNoMemory) {
    const Bytes frame = plain_frame();
    const test::AllocationGuard guard;
    ASSERT_EQ(parse_udp(frame).outcome, UdpOutcome::ok);
}

TEST(NetHeaders, NameEveryOutcomeOnce) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < udp_outcome_count; ++i) {
        const std::string_view text = name(static_cast<UdpOutcome>(i));
        EXPECT_EQ(std::count(names.begin(), names.end(), text), 0) << text;
        names.push_back(text);
    }
}

}  // namespace
}  // namespace tickpath::net
