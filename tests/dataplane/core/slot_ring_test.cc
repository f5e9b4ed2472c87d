#include "dataplane/core/slot_ring.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include "dataplane/core/tick_ring.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/test_level.h"

namespace tickpath::core {
namespace {

TEST(SlotRing, IsEmptyAtFirst) {
    SlotRing<int> ring(4);
    EXPECT_EQ(ring.front(), nullptr);
    EXPECT_EQ(ring.free_slots(), 4u);
    EXPECT_EQ(ring.slot_count(), 4u);
}

TEST(SlotRing, GivesValuesBackInOrder) {
    SlotRing<int> ring(4);
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(ring.push(i));
    for (int i = 0; i < 3; ++i) {
        ASSERT_NE(ring.front(), nullptr);
        EXPECT_EQ(*ring.front(), i);
        ring.pop();
    }
    EXPECT_EQ(ring.front(), nullptr);
}

TEST(SlotRing, ShowsNothingBeforeItIsPublished) {
    SlotRing<int> ring(4);
    int* const slot = ring.claim();
    ASSERT_NE(slot, nullptr);
    *slot = 7;
    EXPECT_EQ(ring.front(), nullptr);
    EXPECT_EQ(ring.claim(), slot) << "claiming again changes nothing";
    ring.publish();
    ASSERT_NE(ring.front(), nullptr);
    EXPECT_EQ(*ring.front(), 7);
}

TEST(SlotRing, KeepsTheFrontUntilPop) {
    SlotRing<int> ring(2);
    ASSERT_TRUE(ring.push(1));
    EXPECT_EQ(ring.front(), ring.front());
    EXPECT_EQ(*ring.front(), 1);
}

TEST(SlotRing, RefusesWhenFullAndGoesOnAfterAPop) {
    SlotRing<int> ring(4);
    for (int i = 0; i < 4; ++i)
        ASSERT_TRUE(ring.push(i));
    EXPECT_EQ(ring.claim(), nullptr);
    EXPECT_EQ(ring.free_slots(), 0u);
    EXPECT_EQ(*ring.front(), 0) << "a refused value overwrites nothing";
    ring.pop();
    EXPECT_EQ(ring.free_slots(), 1u);
    EXPECT_TRUE(ring.push(4));
    EXPECT_FALSE(ring.push(5));
    for (int i = 1; i <= 4; ++i) {
        ASSERT_NE(ring.front(), nullptr);
        EXPECT_EQ(*ring.front(), i);
        ring.pop();
    }
    EXPECT_EQ(ring.front(), nullptr);
}

TEST(SlotRing, AgreesWithAPlainQueueOverManyLaps) {
    SlotRing<std::uint64_t> ring(8);
    std::uint64_t pushed = 0;
    std::uint64_t popped = 0;
    std::uint64_t random = 12345;
    for (int step = 0; step < 100'000; ++step) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if ((random >> 60) < 9) {
            EXPECT_EQ(ring.push(pushed), pushed - popped < 8);
            if (pushed - popped < 8) ++pushed;
        } else {
            ASSERT_EQ(ring.front() != nullptr, popped < pushed);
            if (popped == pushed) continue;
            ASSERT_EQ(*ring.front(), popped);
            ring.pop();
            ++popped;
        }
    }
    EXPECT_GT(popped, 10'000u);
}

TEST(SlotRing, TakesNoMemoryAfterConstruction) {
    SlotRing<int> ring(4);
    const test::AllocationGuard guard;
    for (int i = 0; i < 100; ++i) {
        if (!ring.push(i)) FAIL() << i;
        ring.pop();
    }
}

// 120 bytes whose words all say the same, so that a torn value shows.
struct Wide {
    std::array<std::uint64_t, 15> words{};
};

TEST(TickRing, HoldsAValueOf120BytesInTwoLines) {
    EXPECT_EQ(TickRing<Wide>::slot_bytes(), 128u);
}

TEST(TickRing, CarriesEveryValueWholeBetweenThreads) {
    const std::uint64_t count = test::at_level(200'000, 2'000'000, 20'000'000);
    TickRing<Wide> ring(64);
    std::thread producer([&] {
        for (std::uint64_t i = 0; i < count; ++i) {
            Wide* slot = nullptr;
            while ((slot = ring.claim()) == nullptr)
                std::this_thread::yield();
            slot->words.fill(i);
            ring.publish();
        }
    });
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Wide* slot = nullptr;
        while ((slot = ring.front()) == nullptr)
            std::this_thread::yield();
        for (const std::uint64_t word : slot->words)
            wrong += word != i;
        ring.pop();
    }
    producer.join();
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(ring.front(), nullptr);
}

TEST(TickRing, SurvivesAProducerThatOftenFindsItFull) {
    const std::uint64_t count = test::at_level(20'000, 200'000, 2'000'000);
    TickRing<Wide> ring(2);
    std::atomic<std::uint64_t> refused{0};
    std::thread producer([&] {
        for (std::uint64_t i = 0; i < count;) {
            Wide value;
            value.words.fill(i);
            if (ring.push(value)) {
                ++i;
                continue;
            }
            refused.fetch_add(1, std::memory_order_relaxed);
            std::this_thread::yield();
        }
    });
    for (std::uint64_t i = 0; i < count;) {
        const Wide* const value = ring.front();
        if (value == nullptr) {
            std::this_thread::yield();
            continue;
        }
        ASSERT_EQ(value->words.front(), i);
        ASSERT_EQ(value->words.back(), i);
        ring.pop();
        ++i;
    }
    producer.join();
    EXPECT_GT(refused.load(), 0u);
}

}  // namespace
}  // namespace tickpath::core
