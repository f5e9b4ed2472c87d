#include "decoders/fast/block.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/decoders/fast/fast_fixture.h"

namespace tickpath::fast {
namespace {

constexpr std::size_t most = 1'000;

Errc error_of(std::string_view hex) {
    const std::vector<std::byte> bytes = test::from_hex(hex);
    const Block block = next_block(bytes, most);
    EXPECT_TRUE(block.error == Errc::ok || (block.messages.empty() && block.size_bytes == 0)) << hex;
    return block.error;
}

TEST(FastBlock, IsASizeAndThatManyBytesOfMessages) {
    const std::vector<std::byte> bytes = test::from_hex("84 c0 81 85 86  83 c0 81 87");
    Block block = next_block(bytes, most);
    ASSERT_EQ(block.error, Errc::ok);
    EXPECT_EQ(block.size_bytes, 5u);
    EXPECT_EQ(block.messages.data(), bytes.data() + 1);
    EXPECT_EQ(block.messages.size(), 4u);
    block = next_block(std::span(bytes).subspan(block.size_bytes), most);
    EXPECT_EQ(block.messages.size(), 3u);
    EXPECT_EQ(block.size_bytes, 4u);
}

TEST(FastBlock, MayHaveAnOverlongSize) {
    const std::vector<std::byte> bytes = test::from_hex("00 00 82 80 80");
    EXPECT_EQ(next_block(bytes, most).error, Errc::ok);
    EXPECT_EQ(next_block(bytes, most).messages.size(), 2u);
}

TEST(FastBlock, OfSizeZeroIsD12) {
    EXPECT_EQ(error_of("80"), Errc::d12);
    EXPECT_EQ(error_of("00 80"), Errc::d12);
}

TEST(FastBlock, IsTruncatedUntilAllOfItIsThere) {
    EXPECT_EQ(error_of(""), Errc::truncated);
    EXPECT_EQ(error_of("00"), Errc::truncated);
    EXPECT_EQ(error_of("82"), Errc::truncated);
    EXPECT_EQ(error_of("82 80"), Errc::truncated);
    EXPECT_EQ(error_of("82 80 80"), Errc::ok);
}

TEST(FastBlock, BoundsItsSize) {
    EXPECT_EQ(error_of("07 e9"), Errc::limit) << "1,001 bytes";
    EXPECT_EQ(error_of("07 e8"), Errc::truncated) << "1,000 bytes";
    EXPECT_EQ(error_of("0f 7f 7f 7f ff"), Errc::limit);
    EXPECT_EQ(error_of("10 00 00 00 80"), Errc::d2);
    std::string endless;
    for (int i = 0; i < 70; ++i)
        endless += "00 ";
    EXPECT_EQ(error_of(endless + "81"), Errc::limit);
}

}  // namespace
}  // namespace tickpath::fast
