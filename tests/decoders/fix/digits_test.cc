#include "decoders/fix/digits.h"

#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace tickpath::fix::detail {
namespace {

/// Eight characters, the plain way.
std::string plain(std::uint32_t value) {
    std::string digits = std::to_string(value);
    return digits.insert(0, 8 - digits.size(), '0');
}

std::string text_of(std::uint64_t digits) {
    digits |= eight_ascii_zeros;
    std::string text(8, '\0');
    std::memcpy(text.data(), &digits, 8);
    return text;
}

std::string text_of(__m128i digits) {
    std::uint64_t halves[2];
    std::memcpy(halves, &digits, sizeof halves);
    return text_of(halves[0]) + text_of(halves[1]);
}

TEST(FixDigits, AreThoseOfThePlainWay) {
    for (std::uint32_t value = 0; value < 100'000'000; value += 997)
        ASSERT_EQ(text_of(eight_digits(value)), plain(value));
    for (const std::uint32_t value : {0u, 9u, 10u, 99u, 100u, 9'999u, 10'000u, 99'990'000u, 99'999'999u})
        ASSERT_EQ(text_of(eight_digits(value)), plain(value));
}

TEST(FixDigits, FourAtOnceAreFourTimesOne) {
    std::mt19937 random(9);
    for (int i = 0; i < 200'000; ++i) {
        std::uint32_t values[4];
        for (std::uint32_t& value : values)
            value = (random() % 100'000'000) >> (random() % 27);
        if (i % 16 == 0) values[i / 16 % 4] = 99'999'999;
        if (i % 16 == 1) values[i / 16 % 4] = 9'999u * 10'000u;
        const FourByEight digits = four_by_eight_digits(values[0], values[1], values[2], values[3]);
        ASSERT_EQ(text_of(digits.first), plain(values[0]) + plain(values[1]));
        ASSERT_EQ(text_of(digits.second), plain(values[2]) + plain(values[3]));
    }
}

TEST(FixDigits, FourAtOnceAreRightForEveryFourDigits) {
    for (std::uint32_t low = 0; low < 10'000; ++low) {
        const std::uint32_t value = (9'999 - low) * 10'000 + low;
        const FourByEight digits = four_by_eight_digits(low, value, value, low);
        ASSERT_EQ(text_of(digits.first), plain(low) + plain(value));
        ASSERT_EQ(text_of(digits.second), plain(value) + plain(low));
    }
}

}  // namespace
}  // namespace tickpath::fix::detail
