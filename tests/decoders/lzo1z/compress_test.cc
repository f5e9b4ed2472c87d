#include "decoders/lzo1z/compress.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/lzo1z/decompress.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/hex.h"
#include "tests/support/lzo1z_inputs.h"

namespace tickpath {
namespace {

std::vector<std::byte> compressed(std::string_view text, lzo1z::Level level = lzo1z::Level::fast) {
    static lzo1z::Workspace workspace;
    std::vector<std::byte> out(lzo1z::max_compressed_size(text.size()));
    const auto result = lzo1z::compress(std::as_bytes(std::span(text)), out, workspace, level);
    EXPECT_EQ(result.error, Errc::ok);
    out.resize(result.written);
    return out;
}

TEST(Lzo1zCompress, SmallestBlocks) {
    EXPECT_EQ(compressed(""), test::from_hex("11 00 00"));
    EXPECT_EQ(compressed("A"), test::from_hex("12 41 11 00 00"));
    EXPECT_EQ(compressed("ABC"), test::from_hex("14 41 42 43 11 00 00"));
}

TEST(Lzo1zCompress, LongRunsTakeTheFewBytesTheFormatNeeds) {
    EXPECT_LT(compressed(std::string(60'000, 'x')).size(), 260u);
}

TEST(Lzo1zCompress, NoInputGrowsPastTheBound) {
    test::Lzo1zInputs inputs(7);
    for (int i = 0; i < 3'000; ++i) {
        const std::vector<std::uint8_t> input = inputs.next(i % 100 == 0 ? 150'000 : 3'000);
        const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
        for (const lzo1z::Level level : {lzo1z::Level::fast, lzo1z::Level::small})
            ASSERT_LE(compressed(text, level).size(), lzo1z::max_compressed_size(input.size()));
    }
}

TEST(Lzo1zCompress, TooLittleRoomIsAnErrorAtEverySize) {
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "price " + std::to_string(i * i) + ';';
    const std::vector<std::byte> whole = compressed(text);
    lzo1z::Workspace workspace;
    for (std::size_t capacity = 0; capacity < whole.size(); ++capacity) {
        std::vector<std::byte> out(capacity);
        EXPECT_EQ(lzo1z::compress(std::as_bytes(std::span(text)), out, workspace).error,
                  Errc::output_overrun);
    }
    std::vector<std::byte> exact(whole.size());
    EXPECT_EQ(lzo1z::compress(std::as_bytes(std::span(text)), exact, workspace).written, whole.size());
    EXPECT_EQ(exact, whole);
}

// Nothing of an earlier block, and nothing that happens to lie in the workspace, shows in the bytes.
TEST(Lzo1zCompress, SameInputGivesSameBytesWhateverTheWorkspaceHeld) {
    test::Lzo1zInputs inputs(8);
    std::vector<std::byte> first(lzo1z::max_compressed_size(4'000)), second = first;
    for (int i = 0; i < 300; ++i) {
        const std::vector<std::uint8_t> input = inputs.next(4'000);
        lzo1z::Workspace clean{};
        lzo1z::Workspace dirty;
        std::fill_n(reinterpret_cast<std::uint8_t*>(&dirty), sizeof dirty,
                    static_cast<std::uint8_t>(i * 37 + 1));
        const std::size_t a = lzo1z::compress(std::as_bytes(std::span(input)), first, clean).written;
        const std::size_t b = lzo1z::compress(std::as_bytes(std::span(input)), second, dirty).written;
        ASSERT_EQ(a, b);
        ASSERT_TRUE(
            std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(a), second.begin()));
    }
}

TEST(Lzo1zCompress, NeitherWayAllocates) {
    const std::string text(2'000, 'q');
    lzo1z::Workspace workspace;
    std::vector<std::byte> block(lzo1z::max_compressed_size(text.size()));
    std::vector<std::byte> back(text.size());
    const test::AllocationGuard guard;
    const auto packed =
        lzo1z::compress(std::as_bytes(std::span(text)), block, workspace, lzo1z::Level::small);
    const auto result = lzo1z::decompress(std::span(block).first(packed.written), back);
    EXPECT_EQ(guard.count(), 0u);
    EXPECT_EQ(result.error, Errc::ok);
}

}  // namespace
}  // namespace tickpath
