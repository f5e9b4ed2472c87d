#include "decoders/net/erf.h"

#include <gtest/gtest.h>

#include "tests/support/packet_builder.h"

namespace tickpath::net {
namespace {

using test::Bytes;

struct Record {
    std::uint64_t fixed_point = 0;  // seconds in the upper half
    std::uint8_t type = 2;
    std::size_t extensions = 0;
    std::size_t frame_bytes = 60;
    std::size_t wire_bytes = 60;
};

Bytes build(const Record& record) {
    Bytes bytes;
    for (int i = 0; i < 8; ++i)
        test::detail::put8(bytes, static_cast<std::uint32_t>(record.fixed_point >> (8 * i)));
    test::detail::put8(bytes, record.type | (record.extensions != 0 ? 0x80u : 0u));
    test::detail::put8(bytes, 4);
    test::detail::put16(bytes,
                        static_cast<std::uint32_t>(16 + 8 * record.extensions + 2 + record.frame_bytes));
    test::detail::put16(bytes, 0);
    test::detail::put16(bytes, static_cast<std::uint32_t>(record.wire_bytes));
    for (std::size_t i = 0; i < record.extensions; ++i) {
        test::detail::put8(bytes, i + 1 < record.extensions ? 0x83 : 0x03);
        for (int b = 0; b < 7; ++b)
            test::detail::put8(bytes, 0xEE);
    }
    test::detail::put16(bytes, 0);
    for (std::size_t i = 0; i < record.frame_bytes; ++i)
        test::detail::put8(bytes, static_cast<std::uint32_t>(i));
    return bytes;
}

TEST(Erf, ReadsTimeAndFrame) {
    const Bytes bytes = build({.fixed_point = (std::uint64_t{1'796'049'000} << 32) | 0x8000'0001u});
    const Result<ErfRecord> record = read_erf(bytes);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->time_ns, 1'796'049'000'500'000'000u);
    ASSERT_EQ(record->frame.size(), 60u);
    EXPECT_EQ(record->frame[0], std::byte{0});
    EXPECT_EQ(record->frame[59], std::byte{59});
    EXPECT_FALSE(record->is_cut);
}

TEST(Erf, RoundsToTheNearestNanosecond) {
    EXPECT_EQ(read_erf(build({.fixed_point = 4}))->time_ns, 1u) << "0.93 ns";
    EXPECT_EQ(read_erf(build({.fixed_point = 2}))->time_ns, 0u) << "0.47 ns";
    EXPECT_EQ(read_erf(build({.fixed_point = 0xFFFF'FFFFu}))->time_ns, 1'000'000'000u);
}

TEST(Erf, PassesExtensionHeaders) {
    for (std::size_t count = 1; count < 4; ++count) {
        const Bytes bytes = build({.extensions = count});
        const Result<ErfRecord> record = read_erf(bytes);
        ASSERT_TRUE(record) << count;
        EXPECT_EQ(record->frame.size(), 60u);
        EXPECT_EQ(record->frame[1], std::byte{1});
    }
}

TEST(Erf, SaysWhenTheFrameIsNotWhole) {
    EXPECT_TRUE(read_erf(build({.frame_bytes = 60, .wire_bytes = 64}))->is_cut);
    Bytes bytes = build({});
    bytes.pop_back();  // the capture file kept less than the card
    EXPECT_TRUE(read_erf(bytes)->is_cut);
    EXPECT_EQ(read_erf(bytes)->frame.size(), 59u);
    // Records are padded to eight bytes: what is longer than the wire is padding.
    EXPECT_EQ(read_erf(build({.frame_bytes = 66, .wire_bytes = 60}))->frame.size(), 60u);
}

TEST(Erf, RefusesOtherTypesAndBrokenRecords) {
    for (unsigned type = 0; type < 128; ++type) {
        const bool is_ethernet = type == 2 || type == 11 || type == 16 || type == 20;
        EXPECT_EQ(read_erf(build({.type = static_cast<std::uint8_t>(type)})).has_value(), is_ethernet)
            << type;
    }
    const Bytes bytes = build({.extensions = 2});
    for (std::size_t length = 0; length < 16 + 16 + 2; ++length)
        EXPECT_EQ(read_erf(std::span(bytes).first(length)).error(), Errc::truncated) << length;
    Bytes short_record = build({});
    short_record[10] = short_record[11] = std::byte{0};
    EXPECT_EQ(read_erf(short_record).error(), Errc::truncated)
        << "a length that does not hold its own header";
    Bytes endless = build({.extensions = 3});
    for (std::size_t i = 16; i < endless.size(); ++i)
        endless[i] = std::byte{0xFF};
    EXPECT_EQ(read_erf(endless).error(), Errc::truncated);
}

}  // namespace
}  // namespace tickpath::net
