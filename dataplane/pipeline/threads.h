// The threads of a pipeline: named, pinned, with their stacks touched, joined together. Cold.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dataplane/core/cpu.h"
#include "dataplane/core/resident_memory.h"

namespace tickpath::pipeline {

class Threads {
public:
    /// `enter` and `leave` may be null; they run on each thread around its work.
    Threads(void (*enter)() noexcept, void (*leave)() noexcept) : enter_(enter), leave_(leave) {}
    ~Threads() { join(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// `cpu < 0` leaves the thread unpinned. A CPU that cannot be had was refused when the configuration was
    /// checked.
    template <class Work>
    void start(std::string name, int cpu, Work work) {
        threads_.emplace_back([this, name = std::move(name), cpu, work = std::move(work)]() mutable {
            core::name_thread(name);
            if (cpu >= 0) (void)core::pin_to(static_cast<unsigned>(cpu));
            core::prefault_stack();
            if (enter_ != nullptr) enter_();
            entered_count_.fetch_add(1, std::memory_order_release);  // pairs with the acquire in wait_entered
            entered_count_.notify_one();
            work();
            if (leave_ != nullptr) leave_();
        });
    }

    /// Returns when all started threads have taken what they need for themselves and begin their work.
    void wait_entered() const noexcept {
        for (;;) {
            const std::size_t count = entered_count_.load(std::memory_order_acquire);
            if (count == threads_.size()) return;
            entered_count_.wait(count, std::memory_order_acquire);
        }
    }

    void join() {
        for (std::thread& thread : threads_)
            thread.join();
        threads_.clear();
        entered_count_.store(0, std::memory_order_relaxed);
    }
    [[nodiscard]] bool are_running() const noexcept { return !threads_.empty(); }

private:
    void (*enter_)() noexcept;
    void (*leave_)() noexcept;
    std::atomic<std::size_t> entered_count_{0};  // counted by the threads
    std::vector<std::thread> threads_;
};

}  // namespace tickpath::pipeline
