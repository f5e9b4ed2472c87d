#include "control/latency/match.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace tickpath::latency {
namespace {

constexpr std::uint64_t window_ns = 1'000;

Trigger trigger(std::uint64_t key, std::uint64_t time_ns, std::uint64_t identity = 1) {
    return {.place = {.capture = 0, .frame = 0, .time_ns = time_ns}, .key = key, .identity = identity};
}

Order order(std::optional<std::uint64_t> key, std::uint64_t time_ns) {
    Order made;
    made.place.time_ns = time_ns;
    made.key = key;
    return made;
}

TEST(LatencyMatch, JoinsAnOrderWithTheTriggerThatItNames) {
    const std::vector<Trigger> triggers = {trigger(7, 5'000), trigger(8, 5'100)};
    const std::vector<Order> orders = {order(8, 5'400)};
    const Matching found = match(orders, triggers, window_ns);
    ASSERT_EQ(found.pairs.size(), 1u);
    EXPECT_EQ(found.pairs[0].order, 0u);
    EXPECT_EQ(found.pairs[0].trigger, 1u);
    EXPECT_EQ(found.triggers_matched, 1u);
}

TEST(LatencyMatch, LooksNoFurtherBackThanTheWindow) {
    const std::vector<Trigger> triggers = {trigger(7, 5'000)};
    for (const std::uint64_t at_ns : {5'000u, 6'000u})
        EXPECT_EQ(match(std::vector{order(7, at_ns)}, triggers, window_ns).pairs.size(), 1u) << at_ns;
    const Matching late = match(std::vector{order(7, 6'001)}, triggers, window_ns);
    EXPECT_TRUE(late.pairs.empty());
    EXPECT_EQ(late.without_trigger, 1u);
}

TEST(LatencyMatch, TakesTheEarliestOfSeveralCopies) {
    const std::vector<Trigger> triggers = {trigger(7, 5'200), trigger(7, 5'000), trigger(7, 5'100)};
    const Matching found = match(std::vector{order(7, 5'900)}, triggers, window_ns);
    ASSERT_EQ(found.pairs.size(), 1u);
    EXPECT_EQ(found.pairs[0].trigger, 1u);
}

TEST(LatencyMatch, DoesNotChooseBetweenDifferentDatagrams) {
    const std::vector<Trigger> triggers = {trigger(7, 5'000, 1), trigger(7, 5'100, 2)};
    const Matching both = match(std::vector{order(7, 5'500)}, triggers, window_ns);
    EXPECT_EQ(both.ambiguous, 1u);
    EXPECT_TRUE(both.pairs.empty());
    EXPECT_EQ(match(std::vector{order(7, 5'500)}, triggers, 450).pairs.size(), 1u)
        << "a narrower window decides";
}

TEST(LatencyMatch, TellsAnOrderBeforeItsTriggerFromOneWithout) {
    const std::vector<Trigger> triggers = {trigger(7, 5'000)};
    const Matching found =
        match(std::vector{order(7, 4'999), order(7, 4'800), order(9, 5'500)}, triggers, window_ns);
    EXPECT_EQ(found.before_trigger, 2u);
    EXPECT_EQ(found.before_ns_max, 200u);
    EXPECT_EQ(found.without_trigger, 1u);
    EXPECT_TRUE(found.pairs.empty());
}

TEST(LatencyMatch, CountsOrdersThatReferToNothing) {
    const Matching found =
        match(std::vector{order(std::nullopt, 5'000)}, std::vector{trigger(7, 5'000)}, window_ns);
    EXPECT_EQ(found.without_key, 1u);
    EXPECT_EQ(found.without_trigger, 0u);
}

TEST(LatencyMatch, OneTriggerMayCauseSeveralOrders) {
    const std::vector<Trigger> triggers = {trigger(7, 5'000)};
    const Matching found = match(std::vector{order(7, 5'100), order(7, 5'200)}, triggers, window_ns);
    EXPECT_EQ(found.pairs.size(), 2u);
    EXPECT_EQ(found.triggers_matched, 1u);
}

TEST(LatencyMatch, NeedsNothingToBeThere) {
    EXPECT_TRUE(match({}, {}, window_ns).pairs.empty());
    EXPECT_EQ(match(std::vector{order(7, 0)}, {}, window_ns).without_trigger, 1u)
        << "a window beyond time zero";
}

// Every order is in exactly one class, and no sequence of triggers changes which.
TEST(LatencyMatch, DoesNotDependOnTheSequenceOfTriggers) {
    std::mt19937 random(1);
    std::vector<Trigger> triggers;
    for (int i = 0; i < 300; ++i)
        triggers.push_back(trigger(random() % 30, random() % 8'000, random() % 2));
    std::vector<Order> orders;
    for (int i = 0; i < 300; ++i)
        orders.push_back(
            order(random() % 10 == 0 ? std::nullopt : std::optional<std::uint64_t>(random() % 45),
                  random() % 8'000));
    const auto times = [&](const Matching& found) {
        std::vector<std::uint64_t> all;
        for (const Pair pair : found.pairs)
            all.push_back(triggers[pair.trigger].place.time_ns);
        return all;
    };
    const Matching first = match(orders, triggers, window_ns);
    const std::vector<std::uint64_t> first_times = times(first);
    EXPECT_EQ(first.pairs.size() + first.without_key + first.without_trigger + first.ambiguous +
                  first.before_trigger,
              orders.size());
    EXPECT_GT(first.pairs.size(), 20u);
    EXPECT_GT(first.ambiguous, 20u);
    for (int round = 0; round < 20; ++round) {
        std::ranges::shuffle(triggers, random);
        const Matching again = match(orders, triggers, window_ns);
        EXPECT_EQ(times(again), first_times);
        EXPECT_EQ(again.ambiguous, first.ambiguous);
        EXPECT_EQ(again.before_trigger, first.before_trigger);
        EXPECT_EQ(again.before_ns_max, first.before_ns_max);
    }
}

}  // namespace
}  // namespace tickpath::latency
