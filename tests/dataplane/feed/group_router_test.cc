#include "dataplane/feed/group_router.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/packet_builder.h"

namespace tickpath::feed {
namespace {

using test::build_frame;
using test::Bytes;
using test::bytes_of;
using test::UdpPacket;

constexpr net::MulticastGroup group_a{0xEF01'0101, 9000};
constexpr net::MulticastGroup group_b{0xEF01'0201, 9000};

struct Bench {
    core::CounterPage page = core::CounterPage::anonymous();
    GroupRouter router;

    explicit Bench(std::vector<RoutedGroup> groups = {{0, group_a, 7}, {1, group_b, 8}})
        : router(groups, std::vector<net::MacAddress>{{0x02'0000'0000'AAu}, {0}}, page, "r") {}

    RoutedDatagram route(const Bytes& bytes, std::uint16_t port = 0, std::uint32_t tailroom_bytes = 0) {
        model::Frame frame;
        frame.data = bytes.data();
        frame.size_bytes = static_cast<std::uint32_t>(bytes.size());
        frame.tailroom_bytes = tailroom_bytes;
        frame.port = port;
        return router.route(frame);
    }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return page.value("r.router." + std::string(name));
    }
};

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(GroupRouter, FindsTheLineBehindAnyNumberOfVlanTags) {
    Bench bench;
    for (const std::vector<std::uint16_t>& tags : {std::vector<std::uint16_t>{}, {5}, {5, 6}}) {
        const Bytes frame = build_frame({.vlan_ids = tags, .payload = bytes_of("hello")});
        const RoutedDatagram datagram = bench.route(frame);
        EXPECT_EQ(datagram.line_index, 7u);
        EXPECT_EQ(text_of(datagram.payload), "hello");
    }
    EXPECT_EQ(bench.count("routed"), 3u);
}

TEST(GroupRouter, CountsGroupsItDoesNotKnow) {
    Bench bench;
    EXPECT_EQ(bench.route(build_frame({.address = 0xEF01'0102})).line_index, RoutedDatagram::no_line);
    EXPECT_EQ(bench.route(build_frame({.port = 9001})).line_index, RoutedDatagram::no_line);
    // B is joined on port 1 only.
    EXPECT_EQ(bench.route(build_frame({.address = group_b.address})).line_index, RoutedDatagram::no_line);
    EXPECT_EQ(bench.count("unknown_group"), 3u);
    EXPECT_EQ(bench.route(build_frame({.address = group_b.address}), 1).line_index, 8u);
}

TEST(GroupRouter, CountsOurOwnFramesEcho) {
    Bench bench;
    const Bytes own = build_frame({.source_mac = {0x02, 0, 0, 0, 0, 0xAA}});
    EXPECT_EQ(bench.route(own).line_index, RoutedDatagram::no_line);
    EXPECT_EQ(bench.count("own_frame"), 1u);
    // The other port has no address of its own, and an unknown port none that we know.
    EXPECT_EQ(bench.route(build_frame({.source_mac = {}, .address = group_b.address}), 1).line_index, 8u);
    EXPECT_EQ(bench.route(own, 9).line_index, RoutedDatagram::no_line);
    EXPECT_EQ(bench.count("unknown_group"), 1u);
}

TEST(GroupRouter, LooksAtChecksumsOnlyWhereItIsAskedTo) {
    const Bytes good = build_frame({.payload = bytes_of("hello")});
    Bytes damaged = good;
    damaged[14 + 20 + 8] ^= std::byte{0x01};  // behind the payload is padding
    Bytes without = damaged;
    without[14 + 20 + 6] = without[14 + 20 + 7] = std::byte{0};
    Bench strict{{{.port = 0, .group = group_a, .line_index = 7, .check_checksum = true}}};
    EXPECT_EQ(strict.route(good).line_index, 7u);
    EXPECT_EQ(strict.route(damaged).line_index, RoutedDatagram::no_line);
    EXPECT_EQ(strict.route(without).line_index, 7u) << "the sender computed none";
    EXPECT_EQ(strict.count("bad_checksum"), 1u);
    Bench lenient;
    EXPECT_EQ(lenient.route(damaged).line_index, 7u);
    EXPECT_EQ(lenient.count("bad_checksum"), 0u);
}

TEST(GroupRouter, CountsEveryOtherCause) {
    Bench bench;
    (void)bench.route(build_frame({.fragment_word = 0x2000}));
    (void)bench.route(build_frame({.fragment_word = 0x0001}));
    (void)bench.route(build_frame({.protocol = 6}));
    Bytes arp = build_frame({});
    arp[12] = std::byte{0x08}, arp[13] = std::byte{0x06};
    (void)bench.route(arp);
    Bytes lying = build_frame({.payload = bytes_of("hello")});
    lying[14 + 2] = std::byte{0x40};  // IPv4 total length
    (void)bench.route(lying);
    Bytes bad = build_frame({.payload = bytes_of("hello")});
    bad[14 + 20 + 4] = std::byte{0x40};  // UDP length
    (void)bench.route(bad);
    EXPECT_EQ(bench.count("fragment"), 2u);
    EXPECT_EQ(bench.count("not_udp"), 1u);
    EXPECT_EQ(bench.count("not_ipv4"), 1u);
    EXPECT_EQ(bench.count("truncated"), 1u);
    EXPECT_EQ(bench.count("bad_header"), 1u);
    EXPECT_EQ(bench.count("routed"), 0u);
}

TEST(GroupRouter, CountsEachFrameOnceAtEveryLength) {
    Bench bench;
    const Bytes whole = build_frame({.payload = Bytes(100)});
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_EQ(
            bench.route(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))).line_index,
            RoutedDatagram::no_line)
            << "length " << length;
    EXPECT_EQ(bench.count("truncated"), whole.size());
}

TEST(GroupRouter, PromisesTailroomOnlyBehindThePayloadItself) {
    Bench bench;
    EXPECT_EQ(bench.route(build_frame({.payload = Bytes(100)}), 0, 128).tailroom_bytes, 128u);
    // Ethernet padding is part of the frame, which is never written to.
    EXPECT_EQ(bench.route(build_frame({.payload = Bytes(4)}), 0, 128).tailroom_bytes, 0u);
}

TEST(GroupRouter, KeepsManyGroupsApart) {
    std::vector<RoutedGroup> groups;
    for (std::uint32_t i = 0; i < 1000; ++i)
        groups.push_back({static_cast<std::uint16_t>(i % 3),
                          {0xEF00'0000 + i, static_cast<std::uint16_t>(9000 + i % 7)},
                          i});
    Bench bench(groups);
    for (const RoutedGroup& group : groups) {
        const Bytes frame = build_frame({.address = group.group.address, .port = group.group.port});
        EXPECT_EQ(bench.route(frame, group.port).line_index, group.line_index);
        EXPECT_EQ(bench.route(frame, static_cast<std::uint16_t>(group.port + 1)).line_index,
                  RoutedDatagram::no_line);
    }
}

TEST(GroupRouter, FindsNothingInAnEmptyTable) {
    Bench bench{std::vector<RoutedGroup>{}};
    EXPECT_EQ(bench.route(build_frame({})).line_index, RoutedDatagram::no_line);
}

}  // namespace
}  // namespace tickpath::feed
