// The threads of a pipeline: named, pinned, with their stacks touched, joined together. Cold.
#pragma once

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dataplane/core/cpu.h"

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
            work();
            if (leave_ != nullptr) leave_();
        });
    }

    void join() {
        for (std::thread& thread : threads_)
            thread.join();
        threads_.clear();
    }
    [[nodiscard]] bool are_running() const noexcept { return !threads_.empty(); }

private:
    void (*enter_)() noexcept;
    void (*leave_)() noexcept;
    std::vector<std::thread> threads_;
};

}  // namespace tickpath::pipeline
