#include "decoders/lzo1z/tickpath_lzo1z.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

extern "C" int comes_back_whole_in_c(const char* text, std::size_t size);

namespace {

TEST(Lzo1zForC, CompilesAndWorksAsC) {
    const std::string text = "bid 107.15 bid 107.15 bid 107.20 bid 107.15 bid 107.15";
    EXPECT_EQ(comes_back_whole_in_c(text.data(), text.size()), 1);
    EXPECT_EQ(comes_back_whole_in_c("", 0), 1);
    EXPECT_EQ(comes_back_whole_in_c(text.data(), 1'001), 0) << "it looks at the size before the bytes";
}

TEST(Lzo1zForC, RoundTripAndErrors) {
    const std::string text = "bid 107.15 bid 107.15 bid 107.20 bid 107.15 bid 107.15";
    alignas(2) unsigned char workspace[TICKPATH_LZO1Z_WORKSPACE_SIZE];
    std::string block(tickpath_lzo1z_max_compressed_size(text.size()), '\0');
    for (const auto level : {TICKPATH_LZO1Z_FAST, TICKPATH_LZO1Z_SMALL}) {
        const tickpath_lzo1z_result packed =
            tickpath_lzo1z_compress(text.data(), text.size(), block.data(), block.size(), workspace, level);
        ASSERT_EQ(packed.error, TICKPATH_LZO1Z_OK);
        EXPECT_EQ(packed.consumed, text.size());
        EXPECT_LT(packed.written, text.size());
        std::string back(text.size() + TICKPATH_LZO1Z_OUTPUT_SLACK, '\0');
        const tickpath_lzo1z_result result =
            tickpath_lzo1z_decompress(block.data(), packed.written, back.data(), back.size());
        EXPECT_EQ(result.error, TICKPATH_LZO1Z_OK);
        EXPECT_EQ(back.substr(0, result.written), text);
        EXPECT_EQ(tickpath_lzo1z_decompress(block.data(), packed.written - 1, back.data(), back.size()).error,
                  TICKPATH_LZO1Z_INPUT_OVERRUN);
        EXPECT_EQ(tickpath_lzo1z_decompress(block.data(), packed.written, back.data(), 5).error,
                  TICKPATH_LZO1Z_OUTPUT_OVERRUN);
    }
    EXPECT_NE(std::strstr(tickpath_lzo1z_describe(TICKPATH_LZO1Z_LOOKBEHIND_OVERRUN), "wrong variant"),
              nullptr);
    EXPECT_STREQ(tickpath_lzo1z_describe(static_cast<tickpath_lzo1z_error>(77)),
                 "the name or number is not known");
}

}  // namespace
