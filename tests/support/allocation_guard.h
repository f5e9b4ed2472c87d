// Counts heap allocations of the calling thread: wherever "no allocation" is promised, a test counts.
#pragma once

#include <cstdint>

namespace tickpath::test {

/// Fails the running gtest test at the end of its scope if the scope's thread took memory from the heap, by
/// new, malloc, calloc, realloc or an aligned form of them. Other threads are not counted.
///
///     AllocationGuard guard;
///     decoder.begin(datagram, 0);
///     ASSERT_TRUE(decoder.next());      // gtest's own assertions allocate only when they fail
class AllocationGuard {
public:
    AllocationGuard() noexcept : at_start_(thread_total()) {}
    AllocationGuard(const AllocationGuard&) = delete;
    AllocationGuard& operator=(const AllocationGuard&) = delete;
    ~AllocationGuard();

    /// Allocations of this thread since the guard was made.
    [[nodiscard]] std::uint64_t count() const noexcept { return thread_total() - at_start_; }

    /// Allocations of the calling thread since it started; for worker threads that a test looks at from
    /// outside.
    [[nodiscard]] static std::uint64_t thread_total() noexcept;

private:
    std::uint64_t at_start_;
};

}  // namespace tickpath::test
