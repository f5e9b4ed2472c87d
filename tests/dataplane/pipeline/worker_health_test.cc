#include "dataplane/pipeline/worker_health.h"

#include <gtest/gtest.h>

namespace tickpath::pipeline {
namespace {

TEST(WorkerHealth, KeepsTheLongestTimeBetweenTwoPolls) {
    core::CounterPage page = core::CounterPage::anonymous(4'096);
    WorkerHealth health(page, "r0", core::CycleClock(2.0, 0, 0), core::IdlePolicy::spin);
    health.start();
    const std::uint64_t start = core::cycles_now() + 1'000'000'000'000;  // far behind start()'s own reading
    health.poll_began(start);
    const std::uint64_t first = page.sum("longest_gap_ns");
    EXPECT_GT(first, 0u);
    health.poll_began(start + first);  // 2 ns each: longer than the first
    EXPECT_EQ(page.sum("longest_gap_ns"), 2 * first);
    health.poll_began(start + first + 1);
    EXPECT_EQ(page.sum("longest_gap_ns"), 2 * first) << "a shorter one changes nothing";
}

}  // namespace
}  // namespace tickpath::pipeline
