#include "tests/support/allocation_guard.h"

#include <cerrno>
#include <cstddef>

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TICKPATH_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TICKPATH_SANITIZER_OWNS_MALLOC 1
#endif
#endif

namespace {

constinit thread_local std::uint64_t allocation_count = 0;

}  // namespace

#ifdef TICKPATH_SANITIZER_OWNS_MALLOC

// A sanitizer's allocator cannot be replaced, but it tells of each allocation. g++ does not ship the header
// that declares this (sanitizer/allocator_interface.h).
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {

void count_allocation(const volatile void*, std::size_t) {
    ++allocation_count;
}
void ignore_free(const volatile void*) {}

const int hooks_installed = __sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free);

}  // namespace

#else

// Replaces the C library's entry points in the test program; operator new ends in malloc.
extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
    ++allocation_count;
    return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
    ++allocation_count;
    return __libc_calloc(count, bytes);
}
void* realloc(void* old, std::size_t bytes) {
    ++allocation_count;
    return __libc_realloc(old, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
    ++allocation_count;
    return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return memalign(alignment, bytes);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
    *result = memalign(alignment, bytes);
    return *result == nullptr ? ENOMEM : 0;
}

}  // extern "C"

#endif

namespace tickpath::test {

std::uint64_t AllocationGuard::thread_total() noexcept {
    return allocation_count;
}

AllocationGuard::~AllocationGuard() {
    const std::uint64_t allocations = count();
    if (allocations != 0) ADD_FAILURE() << allocations << " heap allocations in a scope that promises none";
}

}  // namespace tickpath::test
