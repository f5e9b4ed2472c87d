#include "control/stats/snapshot.h"

#include <gtest/gtest.h>

namespace tickpath::stats {
namespace {

TEST(StatsSnapshot, ReadsEveryCounterInOrderOfMaking) {
    core::CounterPage page = core::CounterPage::anonymous(8);
    page.add("r0", "frames").add(3);
    static_cast<void>(page.add("r0", "unused"));
    page.add("trade", "orders").add(1);
    const std::vector<CounterValue> counters = read_counters(page);
    ASSERT_EQ(counters.size(), 3u);
    EXPECT_EQ(counters[0].name, "r0.frames");
    EXPECT_EQ(counters[0].value, 3u);
    EXPECT_EQ(counters[1].value, 0u);
    EXPECT_EQ(counters[2].name, "trade.orders");
}

TEST(StatsSnapshot, SummarisesAHistogram) {
    core::Histogram histogram;
    for (std::uint64_t value = 1; value <= 1000; ++value)
        histogram.record(value);
    const Summary s = summarise(histogram);
    EXPECT_EQ(s.count, 1000u);
    EXPECT_EQ(s.min, 1u);
    EXPECT_NEAR(static_cast<double>(s.p50), 500, 500 / 64.0);
    EXPECT_NEAR(static_cast<double>(s.p99), 990, 990 / 64.0);
    EXPECT_NEAR(static_cast<double>(s.p999), 999, 999 / 64.0);
    EXPECT_EQ(s.max, 1000u);
}

TEST(StatsSnapshot, SummarisesAnEmptyHistogramAsZeros) {
    const Summary s = summarise(core::Histogram());
    EXPECT_EQ(s.count + s.min + s.p50 + s.p90 + s.p99 + s.p999 + s.max, 0u);
}

}  // namespace
}  // namespace tickpath::stats
