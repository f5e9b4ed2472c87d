// Counts the locks that the calling thread takes: wherever "no lock" is promised, a test counts.
#pragma once

#include <cstdint>

namespace tickpath::test {

/// Calls of pthread_mutex_lock, pthread_rwlock_rdlock, pthread_rwlock_wrlock and pthread_cond_wait that the
/// calling thread has made since it started, the C++ library's included.
[[nodiscard]] std::uint64_t locks_taken_by_this_thread() noexcept;

}  // namespace tickpath::test
