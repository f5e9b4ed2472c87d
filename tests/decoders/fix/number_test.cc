#include "decoders/fix/number.h"

#include <array>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace tickpath::fix {
namespace {

constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

std::string unsigned_text(std::uint64_t value) {
    std::array<char, number_chars_max> buffer{};
    return {buffer.data(), write_unsigned(buffer.data(), value)};
}

std::string decimal_text(std::int64_t mantissa, unsigned places) {
    std::array<char, decimal_chars_max> buffer{};
    return {buffer.data(), write_decimal(buffer.data(), mantissa, places)};
}

std::string timestamp_text(std::uint64_t utc_ns, TimePrecision precision) {
    TimestampWriter writer(precision);
    std::array<char, 32> buffer{};
    return {buffer.data(), writer.write(buffer.data(), utc_ns)};
}

/// The plain twin of write_decimal: digits as text, the point put in by hand.
std::string plain_decimal_text(std::int64_t mantissa, unsigned places) {
    std::string digits = std::to_string(mantissa);
    const bool is_negative = digits.front() == '-';
    if (is_negative) digits.erase(0, 1);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    if (places != 0) digits.insert(digits.size() - places, ".");
    return (is_negative ? "-" : "") + digits;
}

TEST(FixNumber, ReadsDigitsWithLeadingZeros) {
    EXPECT_EQ(parse_unsigned("0"), 0u);
    EXPECT_EQ(parse_unsigned("000112"), 112u);
    EXPECT_EQ(parse_unsigned("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(parse_unsigned("0000000000000000000000000000007"), 7u);
}

TEST(FixNumber, RefusesWhatIsNoNumber) {
    for (const char* text : {"", "+1", "-1", " 1", "1 ", "1.0", "0x1", "a", "18446744073709551616",
                             "99999999999999999999", "340282366920938463463374607431768211456"})
        EXPECT_EQ(parse_unsigned(text), std::nullopt) << text;
}

TEST(FixNumber, ReadsSignedToTheEdges) {
    EXPECT_EQ(parse_signed("-9223372036854775808"), int64_min);
    EXPECT_EQ(parse_signed("9223372036854775807"), int64_max);
    EXPECT_EQ(parse_signed("-0"), 0);
    for (const char* text : {"-9223372036854775809", "9223372036854775808", "--1", "-", "+5", "5-"})
        EXPECT_EQ(parse_signed(text), std::nullopt) << text;
}

TEST(FixNumber, ReadsDecimalsAsWritten) {
    EXPECT_EQ(parse_decimal("133.31"), (Decimal{13331, -2}));
    EXPECT_EQ(parse_decimal("1.50"), (Decimal{150, -2}));
    EXPECT_EQ(parse_decimal("-0.005"), (Decimal{-5, -3}));
    EXPECT_EQ(parse_decimal(".5"), (Decimal{5, -1}));
    EXPECT_EQ(parse_decimal("5."), (Decimal{5, 0}));
    EXPECT_EQ(parse_decimal("0000000133.31"), (Decimal{13331, -2}));
    EXPECT_EQ(parse_decimal("-9223372036854775808"), (Decimal{int64_min, 0}));
}

TEST(FixNumber, RefusesDecimalsInOtherForms) {
    for (const char* text : {"", ".", "-", "-.", "1e5", "1E5", "+1.5", "1.5.", "1..5", "1,5", "NaN", "inf",
                             "0x1p3", " 1.5", "1.5 ", "9223372036854775808", "-9223372036854775809", "1.-5"})
        EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
}

TEST(FixNumber, RoundsHalfAwayFromZero) {
    EXPECT_EQ(round_to_places({-125, -2}, 1), -13);
    EXPECT_EQ(round_to_places({125, -2}, 1), 13);
    EXPECT_EQ(round_to_places({124, -2}, 1), 12);
    EXPECT_EQ(round_to_places({-1243456, -4}, 2), -12435);
    EXPECT_EQ(round_to_places({int64_min, 0}, 0), int64_min);
    EXPECT_EQ(round_to_places({int64_max, -19}, 0), 1);  // 0.92…
    EXPECT_EQ(round_to_places({int64_max, -20}, 0), 0);  // 0.09…
    EXPECT_EQ(round_to_places({-4, -1}, 0), 0);          // never a negative zero
    EXPECT_EQ(round_to_places({0, 1'000'000}, 18), 0);
}

TEST(FixNumber, SeesOverflowWhenRescaling) {
    EXPECT_EQ(round_to_places({int64_max, 1}, 0), std::nullopt);
    EXPECT_EQ(round_to_places({1, 19}, 0), std::nullopt);
    EXPECT_EQ(round_to_places({int64_min, 0}, 1), std::nullopt);
    EXPECT_EQ(round_to_places({9, 18}, 0), 9'000'000'000'000'000'000);
}

TEST(FixNumber, RoundingAgreesWithWideArithmetic) {
    // The differential test of the price encoder seed: every coefficient x exponent x scale, against long
    // double where that is exact, here against digits as text.
    const std::int64_t coefficients[] = {0, 1, -1, 5, -5, 50, 995, int64_min, int64_max, 1234567890123456789};
    for (const std::int64_t coefficient : coefficients)
        for (int exponent = -25; exponent <= 25; ++exponent)
            for (const int places : {-2, 0, 1, 2, 4, 8, 12, 18, 19, 20}) {
                const int shift = places + exponent;
                std::string digits = std::to_string(coefficient);
                const bool is_negative = digits.front() == '-';
                if (is_negative) digits.erase(0, 1);
                bool round_up = false;
                if (shift >= 0) {
                    digits.append(static_cast<std::size_t>(shift), '0');
                } else {
                    const auto cut = static_cast<std::size_t>(-shift);
                    if (digits.size() < cut + 1) digits.insert(0, cut + 1 - digits.size(), '0');
                    round_up = digits[digits.size() - cut] >= '5';
                    digits.resize(digits.size() - cut);
                }
                auto expected = parse_signed((is_negative ? "-" : "") + digits);
                if (expected && round_up) *expected += is_negative ? -1 : 1;
                EXPECT_EQ(round_to_places({coefficient, exponent}, places), expected)
                    << coefficient << "e" << exponent << " at " << places;
            }
}

TEST(FixNumber, WritesUnsignedOfEveryLength) {
    std::uint64_t value = 1;
    for (int digits = 1; digits <= 20; ++digits, value *= 10) {
        EXPECT_EQ(unsigned_text(value), std::to_string(value));
        EXPECT_EQ(unsigned_text(value - 1), std::to_string(value - 1));
    }
    EXPECT_EQ(unsigned_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(FixNumber, WritesDecimalsLikeThePlainTwin) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto mantissa = static_cast<std::int64_t>(random()) >> (random() % 64);
        const auto places = static_cast<unsigned>(random() % 19);
        ASSERT_EQ(decimal_text(mantissa, places), plain_decimal_text(mantissa, places));
    }
    EXPECT_EQ(decimal_text(int64_min, 0), "-9223372036854775808");
    EXPECT_EQ(decimal_text(int64_min, 18), "-9.223372036854775808");
    EXPECT_EQ(decimal_text(0, 2), "0.00");
    EXPECT_EQ(decimal_text(13331, 2), "133.31");
    EXPECT_EQ(decimal_text(5, 3), "0.005");
}

TEST(FixNumber, WritesAndReadsTimesAtEveryPrecision) {
    constexpr std::uint64_t time_ns = 1'767'607'200'123'456'789;  // 2026-01-05 10:00:00.123456789 UTC
    EXPECT_EQ(timestamp_text(time_ns, TimePrecision::seconds), "20260105-10:00:00");
    EXPECT_EQ(timestamp_text(time_ns, TimePrecision::milli), "20260105-10:00:00.123");
    EXPECT_EQ(timestamp_text(time_ns, TimePrecision::micro), "20260105-10:00:00.123456");
    EXPECT_EQ(timestamp_text(time_ns, TimePrecision::nano), "20260105-10:00:00.123456789");
    EXPECT_EQ(parse_utc_timestamp("20260105-10:00:00.123456789"), time_ns);
    EXPECT_EQ(parse_utc_timestamp("20260105-10:00:00.123456789012"), time_ns);
    EXPECT_EQ(parse_utc_timestamp("20260105-10:00:00.1"), time_ns - 23'456'789);
    EXPECT_EQ(parse_utc_timestamp("20260105-10:00:00"), time_ns - 123'456'789);
}

TEST(FixNumber, ReadsTheLeapSecondAsTheNextMinute) {
    EXPECT_EQ(parse_utc_timestamp("20161231-23:59:60"), parse_utc_timestamp("20170101-00:00:00"));
}

TEST(FixNumber, RefusesTimesOutOfForm) {
    for (const char* text :
         {"", "20260105", "20260105 10:00:00", "20260105-10:00", "20261301-10:00:00", "20260230-10:00:00",
          "20250229-00:00:00", "20260105-24:00:00", "20260105-10:60:00", "20260105-10:00:61",
          "20260105-10:00:00.", "20260105-10:00:00.1234567890123", "20260105-10:00:00.12a",
          "20260105-10:00:00Z", "2026a105-10:00:00", "00000000-00:00:00", "19691231-23:59:59",
          "22000101-00:00:00", "20260105-10:00:00,123"})
        EXPECT_EQ(parse_utc_timestamp(text), std::nullopt) << text;
}

TEST(FixNumber, KeepsUpWithTheDateOverMidnightAndBack) {
    TimestampWriter writer(TimePrecision::milli);
    std::array<char, 32> buffer{};
    const auto text = [&](std::uint64_t ns) {
        return std::string(buffer.data(), writer.write(buffer.data(), ns));
    };
    const std::uint64_t midnight = *parse_utc_timestamp("20240229-00:00:00");
    EXPECT_EQ(text(midnight - 1), "20240228-23:59:59.999");
    EXPECT_EQ(text(midnight), "20240229-00:00:00.000");
    EXPECT_EQ(text(midnight + 86'400'000'000'000), "20240301-00:00:00.000");
    EXPECT_EQ(text(midnight - 1), "20240228-23:59:59.999");
}

TEST(FixNumber, TimesSurviveTheRoundTrip) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t time_ns = random() % 7'000'000'000'000'000'000;  // up to 2191
        ASSERT_EQ(parse_utc_timestamp(timestamp_text(time_ns, TimePrecision::nano)), time_ns);
    }
}

}  // namespace
}  // namespace tickpath::fix
