#include "dataplane/core/cpu.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

namespace tickpath::core {
namespace {

constexpr long sleep_ns = 50'000;

}  // namespace

std::vector<unsigned> allowed_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> cpus;
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    if (cpus.empty()) cpus.push_back(0);
    return cpus;
}

std::size_t cpu_count() {
    return allowed_cpus().size();
}

Errc pin_to(unsigned cpu) noexcept {
    if (cpu >= CPU_SETSIZE) return Errc::io;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) == 0 ? Errc::ok : Errc::io;
}

void name_thread(std::string_view name) noexcept {
    std::array<char, 16> text{};
    std::copy_n(name.data(), std::min(name.size(), text.size() - 1), text.data());
    ::pthread_setname_np(::pthread_self(), text.data());
}

std::optional<IdlePolicy> parse_idle_policy(std::string_view text) noexcept {
    for (const IdlePolicy policy : {IdlePolicy::spin, IdlePolicy::yield, IdlePolicy::sleep})
        if (text == name(policy)) return policy;
    return std::nullopt;
}

IdlePolicy default_idle_policy(std::size_t worker_count) {
    return worker_count >= cpu_count() ? IdlePolicy::yield : IdlePolicy::spin;
}

void idle(IdlePolicy policy) noexcept {
    switch (policy) {
        case IdlePolicy::spin:
            pause();
            return;
        case IdlePolicy::yield:
            ::sched_yield();
            return;
        case IdlePolicy::sleep: {
            const timespec duration{.tv_sec = 0, .tv_nsec = sleep_ns};
            ::nanosleep(&duration, nullptr);
            return;
        }
    }
}

ThreadFaults thread_faults() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return {static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

}  // namespace tickpath::core
