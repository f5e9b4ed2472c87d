#include "decoders/base/decimal.h"

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace tickpath {
namespace {

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();

/// The same rule in 128 bits, one power of ten at a time.
std::optional<std::int64_t> plain_at_places(Decimal d, int places) {
    if (d.mantissa == 0) return 0;
    __extension__ typedef __int128 Wide;
    Wide value = d.mantissa;
    for (int shift = places + d.exponent; shift != 0; shift += shift > 0 ? -1 : 1) {
        if (shift > 0) value *= 10;
        if (shift < 0 && value % 10 != 0) return std::nullopt;
        if (shift < 0) value /= 10;
        if (value > int64_max || value < int64_min) return std::nullopt;
    }
    return static_cast<std::int64_t>(value);
}

TEST(Decimal, RescalesLikeItsPlainTwin) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        std::int64_t mantissa = static_cast<std::int64_t>(random()) >> (random() % 64);
        for (std::uint64_t zeros = random() % 6; zeros != 0 && mantissa % 1'000 != 0; --zeros)
            mantissa = mantissa / 10 * 10;
        const Decimal d{mantissa, static_cast<std::int32_t>(random() % 127) - 63};
        const int places = static_cast<int>(random() % 19);
        ASSERT_EQ(at_places(d, places), plain_at_places(d, places))
            << mantissa << "e" << d.exponent << " at " << places;
    }
}

TEST(Decimal, RefusesWhatItWouldHaveToRound) {
    EXPECT_EQ(at_places({10715, -2}, 2), 10715);
    EXPECT_EQ(at_places({10710, -2}, 1), 1071) << "a zero may go";
    EXPECT_EQ(at_places({10715, -2}, 1), std::nullopt);
    EXPECT_EQ(at_places({-10715, -2}, 1), std::nullopt);
}

TEST(Decimal, RefusesWhatDoesNotFit) {
    EXPECT_EQ(at_places({int64_max, 0}, 0), int64_max);
    EXPECT_EQ(at_places({int64_min, 0}, 0), int64_min);
    EXPECT_EQ(at_places({int64_max, 0}, 1), std::nullopt);
    EXPECT_EQ(at_places({int64_min, 0}, 1), std::nullopt);
    EXPECT_EQ(at_places({1, 63}, 18), std::nullopt);
    EXPECT_EQ(at_places({1, -63}, 18), std::nullopt);
}

TEST(Decimal, ZeroFitsEveryScale) {
    EXPECT_EQ(at_places({0, 63}, 18), 0);
    EXPECT_EQ(at_places({0, -63}, 0), 0);
}

TEST(Decimal, EqualPairsAndEqualNumbersAreTwoThings) {
    EXPECT_NE((Decimal{10, 1}), (Decimal{100, 0}));
    EXPECT_TRUE(same_value({10, 1}, {100, 0}));
    EXPECT_TRUE(same_value({0, 5}, {0, -5}));
    EXPECT_FALSE(same_value({1, 0}, {-1, 0}));
}

TEST(Decimal, NormalisesAsTheSpecificationSays) {
    EXPECT_EQ(normalised({12000, 0}), (Decimal{12, 3}));  // FAST 1.1, 6.3.2
    EXPECT_EQ(normalised({50, -2}), (Decimal{5, -1}));
    EXPECT_EQ(normalised({0, 7}), (Decimal{0, 0}));
    EXPECT_EQ(normalised({-100, 0}), (Decimal{-1, 2}));
}

TEST(Decimal, ComparesAsNumbersWhateverThePairs) {
    EXPECT_EQ(compare_values({10715, -2}, {1071500, -4}), std::strong_ordering::equal);
    EXPECT_TRUE(compare_values({10714, -2}, {1071500, -4}) < 0);
    EXPECT_TRUE(compare_values({1, -63}, {0, 63}) > 0);
    EXPECT_TRUE(compare_values({-1, 63}, {-1, -63}) < 0);
    EXPECT_TRUE(compare_values({1, 18}, {999'999'999'999'999'999, 0}) > 0);
}

TEST(Decimal, ComparesExactlyAtTheEndsOfTheirRanges) {
    constexpr std::int32_t exponent_max = std::numeric_limits<std::int32_t>::max();
    constexpr std::int32_t exponent_min = std::numeric_limits<std::int32_t>::min();
    EXPECT_TRUE(compare_values({int64_min, 0}, {int64_max, 0}) < 0);
    EXPECT_TRUE(compare_values({int64_min, 0}, {-int64_max, 0}) < 0);
    EXPECT_TRUE(compare_values({1, exponent_max}, {int64_max, exponent_min}) > 0);
    EXPECT_TRUE(compare_values({int64_max, 0}, {1, 19}) < 0);
    EXPECT_TRUE(compare_values({int64_max, 0}, {9, 18}) > 0);
}

TEST(Decimal, ComparesLikeWholeNumbersAtOneScale) {
    std::mt19937_64 random(2);
    __extension__ typedef __int128 Wide;
    for (int i = 0; i < 100'000; ++i) {
        const auto draw = [&] {
            return Decimal{static_cast<std::int64_t>(random()) >> (random() % 64),
                           static_cast<std::int32_t>(random() % 19) - 9};
        };
        const Decimal a = draw();
        const Decimal b = draw();
        const auto scaled = [](Decimal d) {
            Wide value = d.mantissa;
            for (int shift = d.exponent; shift != -9; --shift)
                value *= 10;
            return value;
        };
        const Wide difference = scaled(a) - scaled(b);
        ASSERT_EQ(compare_values(a, b) < 0, difference < 0) << to_text(a) << " and " << to_text(b);
        ASSERT_EQ(compare_values(a, b) == 0, difference == 0) << to_text(a) << " and " << to_text(b);
        ASSERT_EQ(same_value(a, b), difference == 0) << to_text(a) << " and " << to_text(b);
    }
}

TEST(Decimal, PrintsPlainText) {
    EXPECT_EQ(to_text({10715, -2}), "107.15");
    EXPECT_EQ(to_text({1071500, -4}), "107.15") << "the same number, the same text";
    EXPECT_EQ(to_text({5, 2}), "500");
    EXPECT_EQ(to_text({5, -3}), "0.005");
    EXPECT_EQ(to_text({-5, -1}), "-0.5");
    EXPECT_EQ(to_text({0, 3}), "0");
    EXPECT_EQ(to_text({0, -2}), "0");
    EXPECT_EQ(to_text({int64_min, 0}), "-9223372036854775808");
    EXPECT_EQ(to_text({-120, -1}), "-12");
    EXPECT_EQ(to_text({1, -63}), "0." + std::string(62, '0') + "1");
}

TEST(Decimal, PrintsShortTextWhateverTheExponent) {
    EXPECT_EQ(to_text({5, std::numeric_limits<std::int32_t>::max()}), "5e2147483647");
    EXPECT_EQ(to_text({-50, std::numeric_limits<std::int32_t>::max()}), "-5e2147483648");
    EXPECT_EQ(to_text({7, std::numeric_limits<std::int32_t>::min()}), "7e-2147483648");
}

}  // namespace
}  // namespace tickpath
