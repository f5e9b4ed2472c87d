// The poll loop of a receive core: bursts from its queues through its feed path. Hot.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/model/frame.h"
#include "dataplane/pipeline/worker_health.h"
#include "dataplane/port/port.h"

namespace tickpath::pipeline {

/// Polls in turn; a burst runs to the end of the path before the next queue is asked. `Path` is a
/// feed::FeedPath or anything with on_burst, on_idle and finish.
///
/// on_idle runs when nothing came, and under steady load once a millisecond: timers, answers from the
/// counterparty and the windows of holes wait for it.
template <port::Port Port, class Path, class Sink>
class ReceiveWorker {
public:
    struct Queue {
        Port* port;
        std::uint16_t port_index;
        std::uint16_t queue;
    };

    ReceiveWorker(std::vector<Queue> queues, Path& path, Sink& sink, core::IdlePolicy idle,
                  core::CycleClock clock, WorkerHealth& health)
        : queues_(std::move(queues)),
          path_(path),
          sink_(sink),
          idle_(idle),
          idle_interval_cycles_(clock.to_cycles(idle_interval_ns)),
          health_(health) {}

    /// Returns when every port has finished or `stop` is set, with the path finished. `between_bursts()` runs
    /// once a loop on this thread.
    template <class BetweenBursts>
    void run(const std::atomic<bool>& stop, BetweenBursts&& between_bursts) noexcept {
        while (!stop.load(std::memory_order_relaxed)) {
            const std::uint64_t began = core::cycles_now();
            if (idle_ == core::IdlePolicy::spin) health_.poll_began(began);
            std::size_t frames = 0;
            for (const Queue& queue : queues_)
                frames += poll(queue);
            between_bursts();
            if (frames == 0 || began - last_idle_cycles_ > idle_interval_cycles_) {
                path_.on_idle(began);
                sink_.on_idle(began);
                last_idle_cycles_ = began;
            }
            if (frames != 0) {
                health_.loop_done(began);
                continue;
            }
            if (all_finished()) break;
            core::idle(idle_);
        }
        path_.finish();
        health_.note_faults();
    }

    /// Takes in all that the port with this index has received and was not asked for yet. Cold; called
    /// between bursts.
    void drain(std::uint16_t port) noexcept {
        for (const Queue& queue : queues_) {
            if (queue.port_index != port) continue;
            for (std::size_t burst = 0; burst < drained_bursts_max; ++burst)
                if (poll(queue) < port::burst_frames_max) break;
        }
    }

private:
    static constexpr std::size_t drained_bursts_max = 32'768;  // of 32 frames: the longest ring there may be
    static constexpr std::uint64_t idle_interval_ns = 1'000'000;

    [[nodiscard]] std::size_t poll(const Queue& queue) noexcept {
        const std::size_t count = queue.port->rx_burst(queue.queue, frames_);
        if (count != 0) path_.on_burst(std::span(frames_).first(count));
        queue.port->release(queue.queue);
        return count;
    }

    [[nodiscard]] bool all_finished() const noexcept {
        return std::all_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.port->finished(); });
    }

    std::vector<Queue> queues_;
    std::array<model::Frame, port::burst_frames_max> frames_{};
    Path& path_;
    Sink& sink_;  // what the path ends in
    core::IdlePolicy idle_;
    std::uint64_t idle_interval_cycles_;
    std::uint64_t last_idle_cycles_ = 0;
    WorkerHealth& health_;
};

}  // namespace tickpath::pipeline
