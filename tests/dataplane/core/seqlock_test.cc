#include "dataplane/core/seqlock.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/test_level.h"

namespace tickpath::core {
namespace {

// An odd number of bytes: the last word is used in part.
struct Snapshot {
    std::array<std::uint32_t, 9> words{};
    std::uint8_t last = 0;
};

Snapshot snapshot_of(std::uint32_t number) {
    Snapshot snapshot;
    snapshot.words.fill(number);
    snapshot.last = static_cast<std::uint8_t>(number);
    return snapshot;
}

bool is_whole(const Snapshot& snapshot) {
    for (const std::uint32_t word : snapshot.words)
        if (word != snapshot.words.front()) return false;
    return snapshot.last == static_cast<std::uint8_t>(snapshot.words.front());
}

TEST(Seqlock, HoldsAZeroedValueAtFirst) {
    const Seqlock<Snapshot> lock;
    EXPECT_EQ(lock.load().words.front(), 0u);
}

TEST(Seqlock, GivesTheLatestValue) {
    Seqlock<Snapshot> lock(snapshot_of(1));
    EXPECT_EQ(lock.load().words.back(), 1u);
    lock.store(snapshot_of(2));
    lock.store(snapshot_of(3));
    const auto value = lock.try_load();
    ASSERT_TRUE(value);
    EXPECT_EQ(value->words.back(), 3u);
    EXPECT_EQ(value->last, 3);
}

TEST(Seqlock, NeverShowsHalfAValueToAnyReader) {
    const auto writes = static_cast<std::uint32_t>(test::at_level(100'000, 1'000'000, 10'000'000));
    Seqlock<Snapshot> lock(snapshot_of(0));
    std::atomic<bool> is_done{false};
    std::atomic<std::uint64_t> torn{0};
    std::atomic<std::uint64_t> went_back{0};
    std::vector<std::thread> readers;
    for (int reader = 0; reader < 2; ++reader)
        readers.emplace_back([&] {
            std::uint32_t last = 0;
            do {
                const Snapshot seen = lock.load();
                if (!is_whole(seen)) torn.fetch_add(1, std::memory_order_relaxed);
                if (seen.words.front() < last) went_back.fetch_add(1, std::memory_order_relaxed);
                last = seen.words.front();
            } while (!is_done.load(std::memory_order_relaxed));
        });
    for (std::uint32_t i = 1; i <= writes; ++i)
        lock.store(snapshot_of(i));
    is_done.store(true, std::memory_order_relaxed);
    for (std::thread& reader : readers)
        reader.join();
    EXPECT_EQ(torn.load(), 0u);
    EXPECT_EQ(went_back.load(), 0u);
    EXPECT_EQ(lock.load().words.front(), writes);
}

}  // namespace
}  // namespace tickpath::core
