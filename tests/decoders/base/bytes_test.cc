#include "decoders/base/bytes.h"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace tickpath {
namespace {

constexpr std::array<std::uint8_t, 9> bytes = {0xFF, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};

TEST(Bytes, LoadInEitherOrderFromAnyAddress) {
    const std::uint8_t* const odd = bytes.data() + 1;
    EXPECT_EQ(load_little<std::uint8_t>(odd), 0x01u);
    EXPECT_EQ(load_big<std::uint8_t>(odd), 0x01u);
    EXPECT_EQ(load_little<std::uint16_t>(odd), 0x0201u);
    EXPECT_EQ(load_big<std::uint16_t>(odd), 0x0102u);
    EXPECT_EQ(load_little<std::uint32_t>(odd), 0x0403'0201u);
    EXPECT_EQ(load_big<std::uint32_t>(odd), 0x0102'0304u);
    EXPECT_EQ(load_little<std::uint64_t>(odd), 0x0807'0605'0403'0201u);
    EXPECT_EQ(load_big<std::uint64_t>(odd), 0x0102'0304'0506'0708u);
}

TEST(Bytes, StoreTouchesOnlyItsOwnBytes) {
    std::array<std::uint8_t, 4> out = {0xAA, 0xAA, 0xAA, 0xAA};
    store_big<std::uint16_t>(out.data() + 1, 0x0102);
    EXPECT_EQ(out, (std::array<std::uint8_t, 4>{0xAA, 0x01, 0x02, 0xAA}));
    store_little<std::uint16_t>(out.data() + 1, 0x0102);
    EXPECT_EQ(out, (std::array<std::uint8_t, 4>{0xAA, 0x02, 0x01, 0xAA}));
}

}  // namespace
}  // namespace tickpath
