#include "dataplane/port/replay_pace.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace tickpath::port {
namespace {

constexpr core::CycleClock two_gigahertz(0.5, 0, 0);
constexpr std::uint64_t first_ns = 1'400'000'000'000'000'000;

ReplayPace started(double speed) {
    ReplayPace pace(Pace{speed}, two_gigahertz);
    pace.start(1000, first_ns);
    return pace;
}

TEST(ReplayPace, MakesTheFirstFrameDueAtOnce) {
    EXPECT_EQ(started(1.0).due_time_ns(1000), static_cast<std::int64_t>(first_ns));
}

TEST(ReplayPace, FollowsTheCapture) {
    EXPECT_EQ(started(1.0).due_time_ns(1000 + 2'000'000), static_cast<std::int64_t>(first_ns + 1'000'000));
}

TEST(ReplayPace, FollowsItFasterAndSlower) {
    EXPECT_EQ(started(10.0).due_time_ns(1000 + 2'000'000), static_cast<std::int64_t>(first_ns + 10'000'000));
    EXPECT_EQ(started(0.5).due_time_ns(1000 + 2'000'000), static_cast<std::int64_t>(first_ns + 500'000));
}

TEST(ReplayPace, MakesEverythingDueAtMax) {
    EXPECT_EQ(started(0.0).due_time_ns(1000), INT64_MAX);
}

TEST(ReplayPace, StaysInRangeForDaysAtTheHighestSpeed) {
    constexpr std::uint64_t an_hour_of_cycles = 3600ull * 2'000'000'000;
    EXPECT_GT(started(100'000.0).due_time_ns(1000 + an_hour_of_cycles), static_cast<std::int64_t>(first_ns));
}

}  // namespace
}  // namespace tickpath::port
