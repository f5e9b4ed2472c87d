#include "tests/support/allocation_guard.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace tickpath::test {
namespace {

// Keeps the optimiser from removing a pair of allocation and release.
void* volatile kept = nullptr;

struct alignas(256) OverAligned {
    char bytes[256];
};

// ThreadSanitizer does not tell of C's aligned forms; C++'s it does.
#ifdef __SANITIZE_THREAD__
constexpr std::uint64_t untold = 1;
#else
constexpr std::uint64_t untold = 0;
#endif

TEST(AllocationGuard, CountsEveryWayToTheHeap) {
    std::uint64_t counted = 0;
    EXPECT_NONFATAL_FAILURE(
        {
            AllocationGuard guard;
            kept = std::malloc(10);
            kept = std::realloc(kept, 5000);
            std::free(kept);
            kept = std::calloc(3, 7);
            std::free(kept);
            kept = std::aligned_alloc(64, 128);
            std::free(kept);
            kept = new int;
            delete static_cast<int*>(kept);
            kept = new OverAligned;
            delete static_cast<OverAligned*>(kept);
            counted = guard.count();
        },
        "in a scope that promises none");
    EXPECT_EQ(counted, 6u - untold);
}

TEST(AllocationGuard, IsContentWithAScopeThatTakesNothing) {
    std::vector<int> values;
    values.reserve(100);
    AllocationGuard guard;
    for (int i = 0; i < 100; ++i)
        values.push_back(i);
    EXPECT_EQ(guard.count(), 0u);
}

TEST(AllocationGuard, LeavesOtherThreadsAlone) {
    std::uint64_t in_thread = 0;
    std::uint64_t here = 0;
    std::thread worker;
    EXPECT_NONFATAL_FAILURE(
        {
            AllocationGuard guard;
            worker = std::thread([&] {
                for (int i = 0; i < 1000; ++i) {
                    kept = new int;
                    delete static_cast<int*>(kept);
                }
                in_thread = AllocationGuard::thread_total();
            });
            worker.join();
            here = guard.count();
        },
        "");
    EXPECT_GE(in_thread, 1000u);
    EXPECT_LT(here, 100u) << "starting a thread allocates a little, its work must not count";
}

}  // namespace
}  // namespace tickpath::test
