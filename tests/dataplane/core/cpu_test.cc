#include "dataplane/core/cpu.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

namespace tickpath::core {
namespace {

constexpr std::size_t pages = 64;

// Runs in a thread of its own, so that pinning leaves the other tests alone.
template <class Body>
void in_thread(Body body) {
    std::thread(body).join();
}

class Mapping {
public:
    explicit Mapping(std::size_t bytes)
        : bytes_(bytes),
          memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
        ::madvise(memory_, bytes_, MADV_NOHUGEPAGE);  // one fault per page, so that faults can be counted
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { ::munmap(memory_, bytes_); }
    [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(memory_), bytes_}; }

private:
    std::size_t bytes_;
    void* memory_;
};

TEST(Cpu, PinsTheThreadToEachAllowedCpu) {
    for (const unsigned cpu : allowed_cpus())
        in_thread([cpu] {
            ASSERT_EQ(pin_to(cpu), Errc::ok);
            EXPECT_EQ(::sched_getcpu(), static_cast<int>(cpu));
            EXPECT_EQ(allowed_cpus(), std::vector<unsigned>{cpu});
            EXPECT_EQ(cpu_count(), 1u);
        });
}

TEST(Cpu, RefusesACpuThatIsNotThere) {
    in_thread([] {
        const auto before = allowed_cpus();
        EXPECT_EQ(pin_to(1000), Errc::io);
        EXPECT_EQ(pin_to(1'000'000), Errc::io);
        EXPECT_EQ(allowed_cpus(), before);
    });
}

TEST(Cpu, NamesThreadsAndCutsLongNames) {
    in_thread([] {
        const auto now_called = [] {
            std::array<char, 16> text{};
            ::pthread_getname_np(::pthread_self(), text.data(), text.size());
            return std::string(text.data());
        };
        name_thread("receive-0");
        EXPECT_EQ(now_called(), "receive-0");
        name_thread("a name that is far too long");
        EXPECT_EQ(now_called(), "a name that is ");
    });
}

TEST(Cpu, ReadsIdlePolicies) {
    EXPECT_EQ(parse_idle_policy("spin"), IdlePolicy::spin);
    EXPECT_EQ(parse_idle_policy("yield"), IdlePolicy::yield);
    EXPECT_EQ(parse_idle_policy("sleep"), IdlePolicy::sleep);
    for (const char* text : {"", "auto", "Spin", "spin "})
        EXPECT_FALSE(parse_idle_policy(text)) << text;
}

TEST(Cpu, YieldsWhenWorkersLeaveNoCpu) {
    const std::size_t cpus = cpu_count();
    EXPECT_EQ(default_idle_policy(cpus), IdlePolicy::yield);
    EXPECT_EQ(default_idle_policy(cpus + 1), IdlePolicy::yield);
    EXPECT_EQ(default_idle_policy(cpus - 1), IdlePolicy::spin);
}

TEST(Cpu, SleepsForAShortTimeOnly) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i)
        idle(IdlePolicy::sleep);
    const auto elapsed = std::chrono::steady_clock::now() - start;
    EXPECT_GE(elapsed, std::chrono::microseconds(20 * 50));
    idle(IdlePolicy::spin);
    idle(IdlePolicy::yield);
}

TEST(Cpu, CountsPageFaultsOfTheThread) {
    in_thread([] {
        const Mapping mapping(pages * 4096);
        const ThreadFaults before = thread_faults();
        for (std::size_t page = 0; page < pages; ++page)
            mapping.bytes()[page * 4096] = std::byte{1};
        EXPECT_GE((thread_faults() - before).minor_faults, pages);
    });
}

TEST(Cpu, CountsInvoluntarySwitches) {
    // Two threads that never wait on one CPU: the kernel must take turns.
    const unsigned cpu = allowed_cpus().front();
    std::atomic<bool> is_done{false};
    std::thread rival([&] {
        (void)pin_to(cpu);
        while (!is_done.load(std::memory_order_relaxed)) {
        }
    });
    in_thread([&] {
        (void)pin_to(cpu);
        const ThreadFaults before = thread_faults();
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while ((thread_faults() - before).involuntary_switches == 0 &&
               std::chrono::steady_clock::now() < until) {
        }
        EXPECT_GT((thread_faults() - before).involuntary_switches, 0u);
    });
    is_done.store(true, std::memory_order_relaxed);
    rival.join();
}

}  // namespace
}  // namespace tickpath::core
