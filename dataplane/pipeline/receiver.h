// A receive worker with all it owns: feed path, poll loop, health, and the booth where control asks for its
// report.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "dataplane/core/command_ring.h"
#include "dataplane/feed/feed_path.h"
#include "dataplane/pipeline/pipeline.h"
#include "dataplane/pipeline/receive_worker.h"
#include "dataplane/pipeline/report_booth.h"
#include "dataplane/pipeline/worker_health.h"

namespace tickpath::pipeline {

template <port::Port Port, class Sink>
class Receiver {
public:
    Receiver(const PipelineParts<Port>& parts, std::size_t index, Sink& sink)
        : plan_(parts.plan.receivers[index]),
          health_(*parts.counters, plan_.name, parts.clock, parts.idle),
          path_(feed_plan(parts, index), *parts.counters, plan_.name, parts.clock, sink),
          worker_(queues(parts), path_, sink, parts.idle, parts.clock, health_) {}

    [[nodiscard]] const ReceiverPlan& plan() const noexcept { return plan_; }

    /// On the worker's thread. `between()` runs once a loop.
    template <class Between>
    void run(const std::atomic<bool>& stop, Between&& between) noexcept {
        health_.start();
        worker_.run(stop, [&] {
            answer_if_asked();
            commands_.drain([this](core::Command command) { execute(command); });
            between();
        });
    }
    void answer_if_asked() noexcept {
        booth_.answer_if_asked([this] { return path_.report(); });
    }

    /// Called by control. False when the thread has too many commands to read yet.
    [[nodiscard]] bool send(core::Command command) noexcept { return commands_.send(command); }
    [[nodiscard]] feed::FeedReport ask() { return booth_.ask(); }  ///< while the thread runs
    [[nodiscard]] feed::FeedReport report() const { return path_.report(); }

private:
    using Path = feed::FeedPath<Sink>;
    using Worker = ReceiveWorker<Port, Path, Sink>;

    /// Links lost and back; the others are the trade side's.
    void execute(core::Command command) noexcept {
        const auto port = static_cast<std::uint16_t>(command.argument);
        if (command.kind == core::CommandKind::link_lost) {
            worker_.drain(port);
            path_.on_link_lost(port);
        } else if (command.kind == core::CommandKind::link_back) {
            path_.on_link_back(port);
        }
    }

    [[nodiscard]] static feed::FeedPlan feed_plan(const PipelineParts<Port>& parts, std::size_t index) {
        const auto receiver = static_cast<std::uint32_t>(index);
        feed::FeedPlan plan{.channels = {},
                            .port_macs = parts.port_macs,
                            .instruments = {.all = parts.instruments,
                                            .known_count = parts.known_count,
                                            .learned_first = parts.known_count + receiver * parts.learned_max,
                                            .learned_max = parts.learned_max},
                            .limits = parts.feed_limits,
                            .forward_unused = !parts.journals.empty(),
                            .by_entry = parts.by_entry};
        for (const std::uint16_t channel : parts.plan.receivers[index].channels)
            plan.channels.push_back(parts.channels[channel]);
        return plan;
    }

    [[nodiscard]] std::vector<typename Worker::Queue> queues(const PipelineParts<Port>& parts) const {
        std::vector<typename Worker::Queue> polled;
        for (const QueueRef& queue : plan_.queues)
            polled.push_back({parts.ports[queue.port], queue.port, queue.queue});
        return polled;
    }

    ReceiverPlan plan_;
    WorkerHealth health_;
    Path path_;
    Worker worker_;
    core::CommandRing commands_;
    ReportBooth<feed::FeedReport> booth_;
};

}  // namespace tickpath::pipeline
