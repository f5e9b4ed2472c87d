#include "decoders/fast/presence_map.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hex.h"

namespace tickpath::fast {
namespace {

struct MapRead {
    std::uint64_t bits = 0;
    std::ptrdiff_t consumed = 0;
    Errc error = Errc::ok;
    unsigned reports = 0;
};

enum class Use { narrow, wide };

MapRead read(std::string_view hex, Use use = Use::narrow, WideMap* wide = nullptr) {
    static std::vector<std::uint8_t> bytes;  // outlives the WideMap that points into it
    bytes.clear();
    for (const std::byte byte : test::from_hex(hex))
        bytes.push_back(static_cast<std::uint8_t>(byte));
    const std::size_t size = bytes.size();
    bytes.resize(size + 80, sentinel_byte);
    Input input;
    input.begin = bytes.data();
    input.end = bytes.data() + size;
    input.map_bytes_max = 64;
    Cursor cursor(input.begin, input);
    MapRead result;
    WideMap unused;
    const bool ok = use == Use::narrow ? read_map(cursor, result.bits)
                                       : read_wide_map(cursor, result.bits, wide != nullptr ? *wide : unused);
    if (!ok) result.bits = 0;
    result.consumed = cursor.at() - input.begin;
    result.error = input.error;
    result.reports = input.reports;
    return result;
}

constexpr std::uint64_t top = std::uint64_t{1} << 63;
constexpr unsigned r7 = 1u << static_cast<unsigned>(Report::r7);
constexpr unsigned r8 = 1u << static_cast<unsigned>(Report::r8);

TEST(FastPresenceMap, PutsTheFirstBitOnTop) {
    EXPECT_EQ(read("c0").bits, top);
    EXPECT_EQ(read("a0").bits, top >> 1);
    EXPECT_EQ(read("81").bits, top >> 6);
    EXPECT_EQ(read("80").bits, 0u);
}

TEST(FastPresenceMap, JoinsTheGroupsOfLongerMaps) {
    EXPECT_EQ(read("40 c0").bits, top | top >> 7);
    EXPECT_EQ(read("01 00 81").bits, top >> 6 | top >> 20);
    EXPECT_EQ(read("00 00 00 00 00 00 00 00 81").bits, top >> 62);
    EXPECT_EQ(read("00 00 00 00 00 00 00 00 81").consumed, 9);
}

TEST(FastPresenceMap, ReportsOverlongMaps) {
    EXPECT_EQ(read("40 80").reports, r7);
    EXPECT_EQ(read("40 80").bits, top);
    EXPECT_EQ(read("40 00 80").reports, r7);
    EXPECT_EQ(read("80").reports, 0u) << "one group is never overlong";
}

TEST(FastPresenceMap, ReportsBitsBeyondTheRegisterWhereTheyCannotBeUsed) {
    EXPECT_EQ(read("00 00 00 00 00 00 00 00 00 81").reports, r8);
    EXPECT_EQ(read("01 00 00 00 00 00 00 00 00 80").reports, r7);
}

TEST(FastPresenceMap, KeepsTheRestOfAWideMap) {
    WideMap wide;
    const MapRead map = read("01 00 00 00 00 00 00 00 00 40 81", Use::wide, &wide);
    EXPECT_EQ(map.bits, top >> 6);
    EXPECT_EQ(map.consumed, 11);
    EXPECT_EQ(map.reports, 0u);
    EXPECT_EQ(wide.bits_left, 63u);
    EXPECT_TRUE(has_bits_left(wide));
    EXPECT_EQ(map_register(wide.next, wide.end), top | top >> 13);
    EXPECT_EQ(map_register(wide.end, wide.end), 0u) << "behind the last bit there are zeros for ever";
}

TEST(FastPresenceMap, EndsEndlessMapsAtTheLimit) {
    std::string endless;
    for (int i = 0; i < 70; ++i)
        endless += "01 ";
    EXPECT_EQ(read(endless + "81").error, Errc::limit);
}

TEST(FastPresenceMap, FindsTruncatedMaps) {
    EXPECT_EQ(read("40").error, Errc::truncated) << "a sentinel would make it overlong";
    EXPECT_EQ(read("").consumed, 1) << "a sentinel: the position gives it away";
}

}  // namespace
}  // namespace tickpath::fast
