#include "dataplane/trade/order_map.h"

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/allocation_guard.h"
#include "tests/support/test_level.h"

namespace tickpath::trade {
namespace {

TEST(OrderMap, FindsWhatItHoldsAndNothingElse) {
    OrderMap map(4);
    std::uint32_t first = no_order;
    RestingOrder* const order = map.insert(7, 100, first);
    ASSERT_NE(order, nullptr);
    order->price = 42;
    ASSERT_NE(map.find(7, 100), nullptr);
    EXPECT_EQ(map.find(7, 100)->price, 42);
    EXPECT_EQ(map.find(8, 100), nullptr) << "another instrument may use the same number";
    EXPECT_EQ(map.find(7, 101), nullptr);
    EXPECT_EQ(map.size(), 1u);
}

TEST(OrderMap, RefusesTheOrderBeyondItsBound) {
    OrderMap map(2);
    std::uint32_t first = no_order;
    ASSERT_NE(map.insert(0, 1, first), nullptr);
    ASSERT_NE(map.insert(0, 2, first), nullptr);
    EXPECT_EQ(map.insert(0, 3, first), nullptr);
    map.erase(*map.find(0, 1), first);
    EXPECT_NE(map.insert(0, 3, first), nullptr) << "the freed place is used again";
    EXPECT_NE(map.find(0, 2), nullptr);
}

TEST(OrderMap, EmptiesOneBookAndLeavesTheOthers) {
    OrderMap map(64);
    std::uint32_t mine = no_order;
    std::uint32_t other = no_order;
    for (std::uint64_t id = 1; id <= 20; ++id) {
        ASSERT_NE(map.insert(1, id, mine), nullptr);
        ASSERT_NE(map.insert(2, id, other), nullptr);
    }
    map.erase_all(mine);
    EXPECT_EQ(mine, no_order);
    EXPECT_EQ(map.size(), 20u);
    for (std::uint64_t id = 1; id <= 20; ++id) {
        EXPECT_EQ(map.find(1, id), nullptr) << id;
        EXPECT_NE(map.find(2, id), nullptr) << id;
    }
}

// A full table with long runs that wrap around its end: every removal must close its gap.
TEST(OrderMap, AgreesWithAStandardMapOverManyRandomSteps) {
    std::mt19937_64 random(20261130);
    OrderMap map(512);
    std::uint32_t first[3] = {no_order, no_order, no_order};
    std::map<std::pair<model::InstrumentId, std::uint64_t>, std::int64_t> twin;
    const std::uint64_t steps = tickpath::test::at_level(200'000, 1'000'000, 10'000'000);
    for (std::uint64_t step = 0; step < steps; ++step) {
        const auto instrument = static_cast<model::InstrumentId>(random() % 3);
        const std::uint64_t id = 1 + random() % 700;
        const std::pair key(instrument, id);
        RestingOrder* const found = map.find(instrument, id);
        ASSERT_EQ(found != nullptr, twin.contains(key)) << "step " << step;
        if (found != nullptr) {
            ASSERT_EQ(found->price, twin[key]);
            map.erase(*found, first[instrument]);
            twin.erase(key);
        } else if (RestingOrder* const order = map.insert(instrument, id, first[instrument])) {
            order->price = static_cast<std::int64_t>(step);
            twin[key] = order->price;
        } else {
            ASSERT_EQ(twin.size(), 512u);
        }
        if (step % 50'000 == 49'999) {
            map.erase_all(first[instrument]);
            std::erase_if(twin, [&](const auto& entry) { return entry.first.first == instrument; });
        }
        ASSERT_EQ(map.size(), twin.size());
    }
}

TEST(OrderMap, TakesNoMemoryAfterConstruction) {
    OrderMap map(128);
    std::uint32_t first = no_order;
    const tickpath::test::AllocationGuard guard;
    for (std::uint64_t round = 0; round < 100; ++round) {
        for (std::uint64_t id = 1; id <= 128; ++id)
            ASSERT_NE(map.insert(0, id + round, first), nullptr);
        map.erase_all(first);
    }
}

}  // namespace
}  // namespace tickpath::trade
