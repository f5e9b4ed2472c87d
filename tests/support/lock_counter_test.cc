#include "tests/support/lock_counter.h"

#include <mutex>
#include <shared_mutex>
#include <thread>

#include <gtest/gtest.h>

namespace tickpath::test {
namespace {

TEST(LockCounter, CountsTheLocksOfTheCallingThreadOnly) {
    std::mutex mutex;
    std::shared_mutex shared;
    const std::uint64_t before = locks_taken_by_this_thread();
    { const std::lock_guard lock(mutex); }
    { const std::shared_lock lock(shared); }
    { const std::unique_lock lock(shared); }
    EXPECT_EQ(locks_taken_by_this_thread() - before, 3u);

    const std::uint64_t here = locks_taken_by_this_thread();
    std::thread([&] { const std::lock_guard lock(mutex); }).join();
    EXPECT_EQ(locks_taken_by_this_thread(), here);
}

}  // namespace
}  // namespace tickpath::test
