#include "dataplane/core/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/allocation_guard.h"

namespace tickpath::core {
namespace {

// The plain twin: keeps every value and sorts.
class SortedValues {
public:
    void record(std::uint64_t value) { values_.push_back(value); }
    [[nodiscard]] std::uint64_t percentile(double percent) {
        std::sort(values_.begin(), values_.end());
        const double wanted = std::ceil(static_cast<double>(values_.size()) * percent / 100.0);
        const auto rank = static_cast<std::size_t>(std::max(wanted, 1.0));
        return values_[rank - 1];
    }

private:
    std::vector<std::uint64_t> values_;
};

constexpr double percents[] = {0.0, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 100.0};

// Values spread over all magnitudes up to 2^bits.
std::vector<std::uint64_t> spread_values(std::size_t count, unsigned bits, std::uint64_t seed) {
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values.push_back((seed >> 20) >> (seed % bits + 44 - bits));
    }
    return values;
}

TEST(Histogram, IsAllZeroWhenEmpty) {
    const Histogram histogram;
    EXPECT_EQ(histogram.count(), 0u);
    EXPECT_EQ(histogram.min(), 0u);
    EXPECT_EQ(histogram.max(), 0u);
    EXPECT_EQ(histogram.mean(), 0.0);
    EXPECT_EQ(histogram.percentile(50), 0u);
}

TEST(Histogram, IsExactForOneValue) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127},
                                      std::uint64_t{128}, std::uint64_t{1'000'003}, std::uint64_t{1} << 41}) {
        Histogram histogram;
        histogram.record(value);
        for (const double percent : percents)
            EXPECT_EQ(histogram.percentile(percent), value);
        EXPECT_EQ(histogram.mean(), static_cast<double>(value));
    }
}

TEST(Histogram, IsExactBelow128) {
    Histogram histogram;
    SortedValues twin;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        histogram.record(i * 37 % 128);
        twin.record(i * 37 % 128);
    }
    for (const double percent : percents)
        EXPECT_EQ(histogram.percentile(percent), twin.percentile(percent)) << percent;
}

TEST(Histogram, IsWithinA64thOfTheSortedTwin) {
    for (const unsigned bits : {8u, 14u, 24u, 41u}) {
        Histogram histogram;
        SortedValues twin;
        for (const std::uint64_t value : spread_values(20'000, bits, bits)) {
            histogram.record(value);
            twin.record(value);
        }
        for (const double percent : percents) {
            const std::uint64_t exact = twin.percentile(percent);
            EXPECT_GE(histogram.percentile(percent), exact) << percent << " of " << bits << " bits";
            EXPECT_LE(histogram.percentile(percent), exact + exact / 64)
                << percent << " of " << bits << " bits";
        }
        EXPECT_EQ(histogram.min(), twin.percentile(0));
        EXPECT_EQ(histogram.max(), twin.percentile(100));
    }
}

TEST(Histogram, KeepsTheGreatestValueBeyondItsBuckets) {
    Histogram histogram;
    histogram.record(5);
    histogram.record(std::uint64_t{1} << 50);
    EXPECT_EQ(histogram.max(), std::uint64_t{1} << 50);
    EXPECT_EQ(histogram.count(), 2u);
    EXPECT_GE(histogram.percentile(99), std::uint64_t{1} << 41);
}

TEST(Histogram, MergesLikeOneThatSawEverything) {
    const auto values = spread_values(5000, 30, 7);
    Histogram whole;
    Histogram left;
    Histogram right;
    for (std::size_t i = 0; i < values.size(); ++i) {
        whole.record(values[i]);
        (i % 3 == 0 ? left : right).record(values[i]);
    }
    left.merge(right);
    EXPECT_EQ(left.count(), whole.count());
    EXPECT_EQ(left.min(), whole.min());
    EXPECT_EQ(left.max(), whole.max());
    EXPECT_EQ(left.mean(), whole.mean());
    for (const double percent : percents)
        EXPECT_EQ(left.percentile(percent), whole.percentile(percent));
}

TEST(Histogram, MergesWithAnEmptyOne) {
    Histogram histogram;
    histogram.record(42);
    histogram.merge(Histogram{});
    EXPECT_EQ(histogram.min(), 42u);
    Histogram empty;
    empty.merge(histogram);
    EXPECT_EQ(empty.min(), 42u);
    EXPECT_EQ(empty.percentile(50), 42u);
}

TEST(Histogram, RecordsWithoutTakingMemory) {
    const auto histogram = std::make_unique<Histogram>();
    const test::AllocationGuard guard;
    for (std::uint64_t i = 0; i < 10'000; ++i)
        histogram->record(i * i);
}

}  // namespace
}  // namespace tickpath::core
