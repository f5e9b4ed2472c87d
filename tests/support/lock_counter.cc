#include "tests/support/lock_counter.h"

#include <dlfcn.h>
#include <pthread.h>

namespace {

thread_local std::uint64_t locks_taken = 0;

// The real function behind one that this file stands in front of.
template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    static auto* const next = real<int(pthread_mutex_t*)>("pthread_mutex_lock");
    ++locks_taken;
    return next(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    static auto* const next = real<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
    ++locks_taken;
    return next(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    static auto* const next = real<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
    ++locks_taken;
    return next(lock);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    static auto* const next = real<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
    ++locks_taken;
    return next(condition, mutex);
}

}  // extern "C"

namespace tickpath::test {

std::uint64_t locks_taken_by_this_thread() noexcept {
    return locks_taken;
}

}  // namespace tickpath::test
