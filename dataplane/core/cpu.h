// What a worker thread asks of the machine: a core of its own, and what the kernel did to it there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <x86intrin.h>

#include "decoders/base/error.h"

namespace tickpath::core {

/// CPUs that this process may run on, ascending. Never empty.
[[nodiscard]] std::vector<unsigned> allowed_cpus();
/// Their number: what `taskset` and cgroups left, not what the machine has.
[[nodiscard]] std::size_t cpu_count();
/// Binds the calling thread to one CPU. `io` when the CPU does not exist or is not allowed.
[[nodiscard]] Errc pin_to(unsigned cpu) noexcept;
/// Names the calling thread for top and the debugger; at most 15 characters are kept.
void name_thread(std::string_view name) noexcept;

/// Tells the core that this is a spin loop: frees the sibling thread, avoids the mis-speculation at its end.
inline void pause() noexcept {
    _mm_pause();
}

/// What a worker does after a poll that found nothing.
enum class IdlePolicy : std::uint8_t {
    spin,   ///< poll again at once: lowest latency, wants a CPU of its own
    yield,  ///< let another thread of this CPU run
    sleep,  ///< 50 us: for a laptop on battery; latency is then the timer's
};

[[nodiscard]] constexpr std::string_view name(IdlePolicy policy) noexcept {
    switch (policy) {
        case IdlePolicy::spin:
            return "spin";
        case IdlePolicy::yield:
            return "yield";
        case IdlePolicy::sleep:
            return "sleep";
    }
    return "spin";
}
/// "spin", "yield", "sleep"; nullopt for anything else ("auto" is default_idle_policy).
[[nodiscard]] std::optional<IdlePolicy> parse_idle_policy(std::string_view text) noexcept;
/// Yield when the workers leave no CPU for anybody else, spin otherwise.
[[nodiscard]] IdlePolicy default_idle_policy(std::size_t worker_count);
/// Carries the policy out once.
void idle(IdlePolicy policy) noexcept;

/// What the kernel did to a thread since it started; readers subtract.
struct ThreadFaults {
    std::uint64_t minor_faults =
        0;  ///< page faults served without disk: memory that was not touched at start
    std::uint64_t involuntary_switches =
        0;  ///< times the thread was put off its CPU while it could run; sched_yield counts as well

    friend constexpr ThreadFaults operator-(ThreadFaults a, ThreadFaults b) noexcept {
        return {a.minor_faults - b.minor_faults, a.involuntary_switches - b.involuntary_switches};
    }
};
/// Of the calling thread. One system call.
[[nodiscard]] ThreadFaults thread_faults() noexcept;

}  // namespace tickpath::core
