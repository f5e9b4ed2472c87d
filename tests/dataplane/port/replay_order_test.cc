#include "dataplane/port/replay_order.h"

#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::port {
namespace {

using Times = std::vector<std::int64_t>;

TEST(ReplayOrder, BeginsForAllWithTheFirstPoll) {
    ReplayOrder order(Times{500, 300, ReplayOrder::no_more});
    EXPECT_EQ(order.first_time_ns(), 300);
    EXPECT_EQ(order.begin(7000), 7000u);
    EXPECT_EQ(order.begin(9000), 7000u);
}

TEST(ReplayOrder, OfOneMemberNeverWaits) {
    EXPECT_EQ(ReplayOrder(Times{500}).turn_until(0), ReplayOrder::no_more);
}

TEST(ReplayOrder, GivesTheTurnUpToWhatTheOthersHaveNext) {
    ReplayOrder order(Times{500, 300, 400});
    EXPECT_EQ(order.turn_until(0), 300) << "of one time the lower member is first";
    EXPECT_EQ(order.turn_until(1), 400);
    EXPECT_EQ(order.turn_until(2), 299);
    order.announce(1, 450);
    EXPECT_EQ(order.turn_until(0), 400);
    EXPECT_EQ(order.turn_until(2), 449);
}

TEST(ReplayOrder, WaitsForNobodyWhoHasNoMore) {
    ReplayOrder order(Times{500, 300});
    order.announce(1, ReplayOrder::no_more);
    EXPECT_EQ(order.turn_until(0), ReplayOrder::no_more);
    EXPECT_EQ(order.turn_until(1), 499);
}

// Polls members in turn, each as long as it has the turn; whatever the times, all frames come, in their
// order.
TEST(ReplayOrder, MergesWhateverTheTimesAre) {
    const std::array<Times, 3> captures = {Times{1, 5, 5, 9, 9, 20}, Times{5, 5, 6, 9},
                                           Times{2, 9, 9, 30, 31}};
    ReplayOrder order(Times{1, 5, 2});
    std::array<std::size_t, 3> at{};
    std::vector<std::pair<std::int64_t, std::size_t>> merged;
    std::size_t idle_rounds = 0;
    while (merged.size() < 15 && idle_rounds < 2) {
        const std::size_t before = merged.size();
        for (const std::size_t member : {2u, 0u, 1u}) {
            const Times& times = captures[member];
            while (at[member] < times.size() && times[at[member]] <= order.turn_until(member))
                merged.emplace_back(times[at[member]++], member);
            order.announce(member, at[member] < times.size() ? times[at[member]] : ReplayOrder::no_more);
        }
        idle_rounds = merged.size() == before ? idle_rounds + 1 : 0;
    }
    ASSERT_EQ(merged.size(), 15u) << "nobody has the turn";
    EXPECT_TRUE(std::ranges::is_sorted(merged));
}

constexpr ReplaySpan span_of(std::uint64_t first_ns, std::uint64_t latest_ns, double speed = 1.0) {
    return {.speed = speed, .frame_count = 10, .first_ns = first_ns, .latest_ns = latest_ns};
}

// The number of the order that each capture is in, by first appearance.
std::vector<std::size_t> orders_of(const std::vector<ReplaySpan>& spans) {
    std::vector<const ReplayOrder*> seen;
    std::vector<std::size_t> numbers;
    for (const ReplaySeat& seat : seat_replays(spans)) {
        const auto found = std::ranges::find(seen, seat.order.get());
        numbers.push_back(static_cast<std::size_t>(found - seen.begin()));
        if (found == seen.end()) seen.push_back(seat.order.get());
    }
    return numbers;
}

TEST(ReplaySeats, JoinCapturesThatOverlap) {
    EXPECT_EQ(orders_of({span_of(100, 200), span_of(150, 400), span_of(390, 500)}),
              (std::vector<std::size_t>{0, 0, 0}));
    EXPECT_EQ(orders_of({span_of(390, 500), span_of(100, 200), span_of(150, 400)}),
              (std::vector<std::size_t>{0, 0, 0}));
    EXPECT_EQ(orders_of({span_of(100, 900), span_of(150, 200), span_of(300, 400)}),
              (std::vector<std::size_t>{0, 0, 0}));
}

TEST(ReplaySeats, LeaveCapturesOfOtherTimesAndPacesAlone) {
    EXPECT_EQ(orders_of({span_of(100, 200), span_of(201, 400)}), (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(orders_of({span_of(100, 200), span_of(100, 200, 0.0), span_of(150, 160)}),
              (std::vector<std::size_t>{0, 1, 0}));
}

TEST(ReplaySeats, KeepTheOrderOfThePorts) {
    const std::vector<ReplaySpan> spans = {span_of(150, 400), span_of(100, 200)};
    const std::vector<ReplaySeat> seats = seat_replays(spans);
    EXPECT_EQ(seats[0].member, 0u);
    EXPECT_EQ(seats[1].member, 1u);
    EXPECT_EQ(seats[0].order->first_time_ns(), 100);
    EXPECT_EQ(seats[0].order->turn_until(0), 100);
}

TEST(ReplaySeats, AreThereForEmptyCaptures) {
    const std::vector<ReplaySpan> spans = {{.speed = 1.0}, span_of(100, 200)};
    const std::vector<ReplaySeat> seats = seat_replays(spans);
    ASSERT_TRUE(seats[0].order);
    EXPECT_EQ(seats[1].order->turn_until(seats[1].member), ReplayOrder::no_more);
    EXPECT_TRUE(seat_replays({}).empty());
}

}  // namespace
}  // namespace tickpath::port
