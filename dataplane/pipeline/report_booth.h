// Where control asks a worker for a report and waits: the worker makes it itself, between two bursts. Cold.
#pragma once

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

namespace tickpath::pipeline {

/// One asking thread, one answering worker.
template <class Report>
class ReportBooth {
public:
    /// Called by the worker once a loop: one plain load when nobody asks.
    template <class Make>
    void answer_if_asked(Make&& make) noexcept {
        if (is_asked_.load(std::memory_order_acquire)) [[unlikely]] {  // pairs with the release in ask
            report_.emplace(make());
            is_asked_.store(false, std::memory_order_release);  // pairs with the acquire in ask
        }
    }

    /// Called by control while the worker loops.
    [[nodiscard]] Report ask() {
        is_asked_.store(true,
                        std::memory_order_release);  // the slot is empty again: pairs with answer_if_asked
        while (is_asked_.load(std::memory_order_acquire))
            std::this_thread::yield();
        Report report = std::move(*report_);
        report_.reset();
        return report;
    }

private:
    std::atomic<bool> is_asked_{false};  // set by control, cleared by the worker
    std::optional<Report> report_;       // written by the worker before it clears is_asked_
};

}  // namespace tickpath::pipeline
