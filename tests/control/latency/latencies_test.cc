#include "control/latency/latencies.h"

#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

namespace tickpath::latency {
namespace {

Latencies up_to(std::int64_t count) {
    std::vector<std::int64_t> ns(static_cast<std::size_t>(count));
    std::iota(ns.rbegin(), ns.rend(), 1);  // the longest first
    return Latencies(ns);
}

TEST(Latencies, PercentilesAreTheNearestRank) {
    const Latencies thousand = up_to(1'000);
    EXPECT_EQ(thousand.count(), 1'000u);
    EXPECT_EQ(thousand.min(), 1);
    EXPECT_EQ(thousand.percentile(50), 500);
    EXPECT_EQ(thousand.percentile(90), 900);
    EXPECT_EQ(thousand.percentile(99), 990);
    EXPECT_EQ(thousand.percentile(99.9), 999);
    EXPECT_EQ(thousand.percentile(99.99), 1'000);
    EXPECT_EQ(thousand.percentile(0), 1);
    EXPECT_EQ(thousand.percentile(100), 1'000);
    EXPECT_EQ(thousand.max(), 1'000);
    EXPECT_DOUBLE_EQ(thousand.mean(), 500.5);
}

TEST(Latencies, AreExactForEveryCount) {
    for (std::int64_t count = 1; count <= 200; ++count)
        for (const std::int64_t percent : {1, 10, 50, 90, 99, 100}) {
            const std::int64_t rank = std::max<std::int64_t>(1, (count * percent + 99) / 100);
            EXPECT_EQ(up_to(count).percentile(static_cast<double>(percent)), rank) << count << ' ' << percent;
        }
}

TEST(Latencies, MayBeNegativeOrNone) {
    const Latencies some({5, -7, 1});
    EXPECT_EQ(some.min(), -7);
    EXPECT_EQ(some.percentile(50), 1);
    const Latencies none;
    EXPECT_EQ(none.count(), 0u);
    EXPECT_EQ(none.percentile(50), 0);
    EXPECT_EQ(none.mean(), 0.0);
    EXPECT_TRUE(none.distribution().empty());
    EXPECT_NE(none.to_hgrm().find("Total count    =            0"), std::string::npos);
}

TEST(Latencies, TheDistributionWalksFromTheShortestToTheLongest) {
    for (const std::int64_t count : {1, 2, 3, 10, 1'000, 12'345}) {
        const std::vector<Latencies::Step> steps = up_to(count).distribution();
        ASSERT_FALSE(steps.empty());
        EXPECT_EQ(steps.back().percentile, 100.0);
        EXPECT_EQ(steps.back().ns, count);
        EXPECT_EQ(steps.back().count, static_cast<std::uint64_t>(count));
        for (std::size_t i = 1; i < steps.size(); ++i) {
            EXPECT_GT(steps[i].percentile, steps[i - 1].percentile);
            EXPECT_GE(steps[i].ns, steps[i - 1].ns);
            EXPECT_EQ(steps[i].count, static_cast<std::uint64_t>(steps[i].ns))
                << "values 1 to count, each once";
        }
        EXPECT_LT(steps.size(), 100u);
    }
}

TEST(Latencies, OfOneValueOnly) {
    const std::vector<Latencies::Step> steps = Latencies(std::vector<std::int64_t>(500, 42)).distribution();
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(steps[0].ns, 42);
    EXPECT_EQ(steps[0].count, 500u);
}

// The text that HdrHistogram's own plotter reads: four columns, three in the last line, comments with #.
TEST(Latencies, PrintTheFormOfHdrHistogram) {
    std::istringstream lines(up_to(4).to_hgrm());
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "       Value     Percentile TotalCount 1/(1-Percentile)");
    std::getline(lines, line);
    EXPECT_EQ(line, "");
    std::getline(lines, line);
    EXPECT_EQ(line, "       1.000 0.000000000000          1           1.00");
    std::vector<std::string> rest;
    while (std::getline(lines, line))
        rest.push_back(line);
    ASSERT_GE(rest.size(), 3u);
    EXPECT_EQ(rest[rest.size() - 3], "       4.000 1.000000000000          4");
    EXPECT_EQ(rest[rest.size() - 2], "#[Mean    =        2.500, StdDeviation   =        1.118]");
    EXPECT_EQ(rest[rest.size() - 1], "#[Max     =        4.000, Total count    =            4]");
}

}  // namespace
}  // namespace tickpath::latency
