#include "decoders/net/trailer.h"

#include <gtest/gtest.h>

#include "tests/support/packet_builder.h"

namespace tickpath::net {
namespace {

using test::Bytes;

constexpr std::uint64_t seconds = 1'796'049'000;
constexpr std::uint64_t capture_ns = seconds * 1'000'000'000 + 5;
constexpr std::size_t packet_end = 60;

// A frame of 60 bytes and a trailer behind it; with a check sequence of the capture when asked for.
Bytes with_metamako(std::uint64_t at_seconds, std::uint32_t nanoseconds, bool has_fcs = false) {
    Bytes frame(packet_end);
    test::detail::put32(frame, 0xC0FF'EE00u);
    test::detail::put32(frame, static_cast<std::uint32_t>(at_seconds));
    test::detail::put32(frame, nanoseconds);
    test::detail::put8(frame, 1);
    test::detail::put16(frame, 0x0428);
    test::detail::put8(frame, 17);
    if (has_fcs) test::detail::put32(frame, 0xDEAD'BEEFu);
    return frame;
}

Bytes with_exablaze(std::uint64_t at_seconds, std::uint64_t fraction, bool has_fcs = false) {
    Bytes frame(packet_end);
    test::detail::put32(frame, 0xC0FF'EE00u);
    test::detail::put8(frame, 9);
    test::detail::put8(frame, 3);
    test::detail::put32(frame, static_cast<std::uint32_t>(at_seconds));
    test::detail::put8(frame, static_cast<std::uint32_t>(fraction >> 32));
    test::detail::put32(frame, static_cast<std::uint32_t>(fraction));
    test::detail::put8(frame, 0);
    if (has_fcs) test::detail::put32(frame, 0xDEAD'BEEFu);
    return frame;
}

TEST(Trailer, ReadsMetamako) {
    for (const bool has_fcs : {false, true}) {
        const auto stamp = read_trailer(with_metamako(seconds, 999'999'999, has_fcs), packet_end, capture_ns,
                                        {TrailerFormat::metamako, has_fcs});
        ASSERT_TRUE(stamp) << has_fcs;
        EXPECT_EQ(stamp->time_ns, seconds * 1'000'000'000 + 999'999'999);
        EXPECT_EQ(stamp->device, 0x0428);
        EXPECT_EQ(stamp->port, 17);
    }
}

TEST(Trailer, ReadsExablazeToTheNearestNanosecond) {
    struct Case {
        std::uint64_t fraction;  // of 2^40
        std::uint64_t ns;
    };
    for (const Case c :
         {Case{0, 0}, Case{1, 0}, Case{1'100, 1}, Case{std::uint64_t{1} << 39, 500'000'000},
          Case{135'742'175'033, 123'456'789}, Case{(std::uint64_t{1} << 40) - 1, 1'000'000'000}})
        for (const bool has_fcs : {false, true}) {
            const auto stamp = read_trailer(with_exablaze(seconds, c.fraction, has_fcs), packet_end,
                                            capture_ns, {TrailerFormat::exablaze, has_fcs});
            ASSERT_TRUE(stamp) << c.fraction;
            EXPECT_EQ(stamp->time_ns, seconds * 1'000'000'000 + c.ns) << c.fraction;
            EXPECT_EQ(stamp->device, 9);
            EXPECT_EQ(stamp->port, 3);
        }
}

TEST(Trailer, RefusesATimeThatIsNotAboutTheCaptures) {
    constexpr std::uint64_t month = 30 * 86'400;
    for (const std::uint64_t good : {seconds - month, seconds + month}) {
        EXPECT_TRUE(read_trailer(with_metamako(good, 0), packet_end, capture_ns, {}));
        EXPECT_TRUE(
            read_trailer(with_exablaze(good, 0), packet_end, capture_ns, {TrailerFormat::exablaze, false}));
    }
    for (const std::uint64_t bad : {std::uint64_t{0}, seconds - month - 1, seconds + month + 1}) {
        EXPECT_FALSE(read_trailer(with_metamako(bad, 0), packet_end, capture_ns, {})) << bad;
        EXPECT_FALSE(
            read_trailer(with_exablaze(bad, 0), packet_end, capture_ns, {TrailerFormat::exablaze, false}))
            << bad;
    }
    EXPECT_FALSE(read_trailer(with_metamako(0, 0), packet_end, 0, {})) << "zeros are no trailer";
}

TEST(Trailer, RefusesNanosecondsOfASecond) {
    EXPECT_FALSE(read_trailer(with_metamako(seconds, 1'000'000'000), packet_end, capture_ns, {}));
}

TEST(Trailer, NeedsRoomBehindThePacket) {
    const Bytes frame = with_metamako(seconds, 1);
    for (std::size_t end = packet_end + 1; end <= frame.size() + 1; ++end)
        EXPECT_FALSE(read_trailer(frame, end, capture_ns, {})) << end;
    for (const TrailerLayout layout : trailer_layouts)
        EXPECT_FALSE(read_trailer({}, 0, capture_ns, layout));
}

// What finds the layout of a file by trying all: one of another layout fits hardly ever.
TEST(Trailer, OneLayoutIsNotTakenForAnother) {
    for (const TrailerLayout made : trailer_layouts) {
        const Bytes frame = made.format == TrailerFormat::metamako
                                ? with_metamako(seconds, 123'456'789, made.has_fcs_behind)
                                : with_exablaze(seconds, 135'742'175'033, made.has_fcs_behind);
        for (const TrailerLayout read : trailer_layouts)
            EXPECT_EQ(read_trailer(frame, packet_end, capture_ns, read).has_value(), read == made);
    }
}

}  // namespace
}  // namespace tickpath::net
