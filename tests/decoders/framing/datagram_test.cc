#include "decoders/framing/datagram.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::framing {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values)
        out.push_back(static_cast<std::byte>(value));
    return out;
}

// A real ASTS packet of 2017: spec/fast-feeds.md §2.
const std::vector<std::byte> asts = bytes({0x48, 0xAD, 0x00, 0x00, 0xC0, 0x1C, 0x9A});
constexpr Preamble asts_preamble = {.bytes = 4, .sequence_offset = 0, .sequence_bytes = 4};

TEST(Datagram, StripsTheMoexPreamble) {
    const Datagram datagram = split(asts, asts_preamble);
    EXPECT_EQ(datagram.error, Errc::ok);
    ASSERT_TRUE(datagram.has_sequence);
    EXPECT_EQ(datagram.sequence, 44'360u);
    EXPECT_EQ(datagram.body.data(), asts.data() + 4);
    EXPECT_EQ(datagram.body.size(), 3u);
}

TEST(Datagram, ReadsNumbersOfEveryWidthAndOrder) {
    const std::vector<std::byte> payload = bytes({0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 0xEE});
    const auto number = [&](std::uint32_t width, ByteOrder order) {
        return split(payload,
                     {.bytes = 9, .sequence_offset = 1, .sequence_bytes = width, .sequence_order = order})
            .sequence;
    };
    EXPECT_EQ(number(1, ByteOrder::little), 1u);
    EXPECT_EQ(number(2, ByteOrder::little), 0x0201u);
    EXPECT_EQ(number(4, ByteOrder::little), 0x0403'0201u);
    EXPECT_EQ(number(8, ByteOrder::little), 0x0807'0605'0403'0201u);
    EXPECT_EQ(number(2, ByteOrder::big), 0x0102u);
    EXPECT_EQ(number(4, ByteOrder::big), 0x0102'0304u);
    EXPECT_EQ(number(8, ByteOrder::big), 0x0102'0304'0506'0708u);
}

TEST(Datagram, HasNoNumberWithoutAPreamble) {
    const Datagram datagram = split(asts, {});
    EXPECT_FALSE(datagram.has_sequence);
    EXPECT_EQ(datagram.body.size(), asts.size());
}

TEST(Datagram, FailsAtEveryTruncationOfThePreamble) {
    for (std::size_t length = 0; length < 4; ++length) {
        const Datagram datagram = split(std::span(asts).first(length), asts_preamble);
        EXPECT_EQ(datagram.error, Errc::truncated) << "length " << length;
        EXPECT_TRUE(datagram.body.empty()) << "length " << length;
    }
    EXPECT_EQ(split(std::span(asts).first(4), asts_preamble).error, Errc::ok);
}

}  // namespace
}  // namespace tickpath::framing
