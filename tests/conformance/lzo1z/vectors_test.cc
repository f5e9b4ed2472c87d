// The vectors of the shared data: pairs, packed pairs and broken blocks. Each test prints how many it passed.
#include <iostream>

#include <gtest/gtest.h>

#include "decoders/lzo1z/compress.h"
#include "decoders/lzo1z/decompress.h"
#include "tests/support/guarded_octets.h"
#include "tests/support/liblzo2.h"
#include "tests/support/lzo1z_vectors.h"
#include "tests/support/test_level.h"

namespace tickpath {
namespace {

using test::Lzo1zPair;
using test::Octets;

lzo1z::DecompressResult decompressed(std::span<const std::uint8_t> block, std::span<std::uint8_t> out) {
    return lzo1z::decompress(std::as_bytes(block), std::as_writable_bytes(out));
}

bool is_right(const Lzo1zPair& pair, std::size_t slack) {
    Octets out(pair.raw.size() + slack);
    const lzo1z::DecompressResult result = decompressed(pair.block, out);
    out.resize(result.written);
    return result.error == Errc::ok && result.consumed == pair.block.size() && out == pair.raw;
}

void expect_all_right(const std::vector<Lzo1zPair>& pairs, const char* what) {
    std::size_t right = 0;
    for (const Lzo1zPair& pair : pairs) {
        const bool is_ok = is_right(pair, 0) && is_right(pair, lzo1z::output_slack_bytes);
        EXPECT_TRUE(is_ok) << pair.name;
        right += is_ok ? 1 : 0;
    }
    std::cout << "lzo1z " << what << ": " << right << " of " << pairs.size() << '\n';
}

TEST(Lzo1zVectors, Pairs) {
    TICKPATH_NEEDS_SHARED_DATA();
    const auto pairs = test::lzo1z_pairs();
    EXPECT_EQ(pairs.size(), 273u);
    expect_all_right(pairs, "pairs");
}

TEST(Lzo1zVectors, PackedPairs) {
    TICKPATH_NEEDS_SHARED_DATA();
    const auto pairs = test::lzo1z_packs();
    EXPECT_EQ(pairs.size(), 4'000u);
    expect_all_right(pairs, "packed pairs");
}

TEST(Lzo1zVectors, BrokenBlocksAreRefusedWithTheirError) {
    TICKPATH_NEEDS_SHARED_DATA();
    const auto folder = test::shared_data() / "lzo1z";
    std::size_t right = 0;
    const auto rows = test::csv_rows(folder / "malformed.csv");
    for (const auto& row : rows) {
        const Octets block = test::octets_of(folder / "malformed" / (row[0] + ".lz"));
        Octets out(std::stoul(row[2]));
        const Errc error = decompressed(block, out).error;
        // Of random damage only the refusal is binding.
        const bool is_ok = row[0].starts_with("nse_flip_") ? error != Errc::ok : code(error) == row[3];
        EXPECT_TRUE(is_ok) << row[0] << ": " << code(error) << " instead of " << row[3];
        right += is_ok ? 1 : 0;
    }
    EXPECT_EQ(rows.size(), 100u);
    std::cout << "lzo1z broken blocks: " << right << " of " << rows.size() << '\n';
}

TEST(Lzo1zVectors, EveryCutIsInputOverrunEveryLackOfRoomOutputOverrun) {
    TICKPATH_NEEDS_SHARED_DATA();
    const test::GuardedOctets in(300'000), out(300'000);
    // Every one of them; the quick tests take a thousand places of each block.
    const std::size_t places = test::at_level(1'000, 1'000'000, 1'000'000);
    for (const Lzo1zPair& pair : test::lzo1z_pairs()) {
        const std::size_t step = 1 + pair.block.size() / places;
        for (std::size_t size = 0; size < pair.block.size(); size += step) {
            const std::span<const std::uint8_t> cut(pair.block.data(), size);
            ASSERT_EQ(decompressed(in.copy(cut), out.last(pair.raw.size())).error, Errc::input_overrun)
                << pair.name << " cut at " << size;
        }
        const std::size_t room_step = 1 + pair.raw.size() / places;
        for (std::size_t room = 0; room < pair.raw.size(); room += room_step)
            ASSERT_EQ(decompressed(in.copy(pair.block), out.last(room)).error, Errc::output_overrun)
                << pair.name << " room " << room;
        Octets longer = pair.block;
        longer.push_back(0);
        ASSERT_EQ(decompressed(in.copy(longer), out.last(pair.raw.size())).error, Errc::trailing_input)
            << pair.name;
    }
}

TEST(Lzo1zVectors, SmallLevelIsWithinFivePercentOfTheLibrary) {
    TICKPATH_NEEDS_SHARED_DATA();
    std::size_t ours = 0, raw = 0, theirs = 0;
    lzo1z::Workspace workspace;
    Octets block(4'096);
    for (const Lzo1zPair& pair : test::lzo1z_pack("nse_like_1000")) {
        ours += lzo1z::compress(std::as_bytes(std::span(pair.raw)), std::as_writable_bytes(std::span(block)),
                                workspace, lzo1z::Level::small)
                    .written;
        theirs += pair.block.size();
        raw += pair.raw.size();
    }
    std::cout << "lzo1z ratio: ours " << static_cast<double>(raw) / static_cast<double>(ours)
              << ", the library's " << static_cast<double>(raw) / static_cast<double>(theirs) << '\n';
    EXPECT_LT(static_cast<double>(ours), 1.05 * static_cast<double>(theirs));
}

TEST(Lzo1zVectors, RealPacket) {
    TICKPATH_NEEDS_SHARED_DATA();
    const auto folder = test::shared_data() / "lzo1z" / "valid";
    const Octets block = test::octets_of(folder / "nse_real_7208.lz");
    Octets out(1'024);
    const lzo1z::DecompressResult result = decompressed(block, out);
    ASSERT_EQ(block.size(), 237u);
    ASSERT_EQ(result.written, 478u);
    EXPECT_EQ(out[18] * 256 + out[19], 7'208);  // transaction code
}

}  // namespace
}  // namespace tickpath
