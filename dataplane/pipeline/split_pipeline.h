// Receive and trade on cores of their own: each receiver fills a ring of ticks, one trade thread drains them
// all.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "dataplane/pipeline/pipeline.h"
#include "dataplane/pipeline/receiver.h"
#include "dataplane/pipeline/threads.h"
#include "dataplane/pipeline/tick_sinks.h"
#include "dataplane/pipeline/trade_worker.h"
#include "dataplane/pipeline/worker_health.h"

namespace tickpath::pipeline {

/// `Trade` is a TradeSide or NoTrade and outlives the pipeline.
template <port::Port Port, class Trade>
class SplitPipeline final : public Pipeline {
public:
    SplitPipeline(const PipelineParts<Port>& parts, Trade& trade)
        : trade_(trade),
          trade_cpu_(parts.plan.trade_cpu),
          trade_health_(*parts.counters, "trade", parts.clock, parts.idle),
          threads_(parts.enter_thread, parts.leave_thread) {
        for (std::size_t r = 0; r < parts.plan.receivers.size(); ++r)
            branches_.push_back(std::make_unique<Branch>(parts, r));
        trade_worker_ =
            std::make_unique<TradeWorker<Trade>>(rings(), trade_, parts.idle, parts.clock, trade_health_);
    }
    ~SplitPipeline() override { stop(); }

    void start() override {
        for (auto& branch : branches_)
            threads_.start(branch->receiver.plan().name, branch->receiver.plan().cpu,
                           [this, &branch] { run_receiver(*branch); });
        threads_.start("trade", trade_cpu_, [this] { run_trade(); });
        threads_.wait_entered();
    }
    [[nodiscard]] bool is_ready() const noexcept override { return trade_.is_ready(); }
    [[nodiscard]] OrderStatus order_status() const noexcept override { return trade_.status(); }
    void receive() noexcept override { is_receiving_.store(true, std::memory_order_release); }
    [[nodiscard]] bool is_drained() const noexcept override {
        return is_drained_.load(std::memory_order_acquire);
    }
    [[nodiscard]] bool is_settled() const noexcept override { return trade_.is_settled(); }

    [[nodiscard]] bool tell_receivers(core::Command command) noexcept override {
        bool is_told = true;
        for (auto& branch : branches_)
            is_told &= branch->receiver.send(command);
        return is_told;
    }

    void stop() override {
        stops_.store(true, std::memory_order_release);
        receive();
        threads_.join();
    }

    [[nodiscard]] std::vector<feed::FeedReport> feed_reports() override {
        std::vector<feed::FeedReport> reports;
        for (auto& branch : branches_)
            reports.push_back(threads_.are_running() ? branch->receiver.ask() : branch->receiver.report());
        return reports;
    }
    [[nodiscard]] trade::TradeReport trade_report() override {
        return threads_.are_running() ? trade_.ask() : trade_.report();
    }

private:
    using Sink = Tap<RingSink>;

    /// A receiver and the ring through which its ticks leave.
    struct Branch {
        Branch(const PipelineParts<Port>& parts, std::size_t index)
            : ring(parts.tick_ring_slots),
              into_ring(ring, parts.idle, *parts.counters, parts.plan.receivers[index].name),
              tap(into_ring, parts.journals.empty() ? nullptr : parts.journals[index], *parts.counters,
                  parts.plan.receivers[index].name),
              receiver(parts, index, tap) {}

        model::TickRing ring;
        RingSink into_ring;
        Sink tap;
        Receiver<Port, Sink> receiver;
    };

    [[nodiscard]] std::vector<model::TickRing*> rings() {
        std::vector<model::TickRing*> all;
        for (auto& branch : branches_)
            all.push_back(&branch->ring);
        return all;
    }

    void run_receiver(Branch& branch) noexcept {
        const auto wait = [&](const std::atomic<bool>& until) {
            while (!until.load(std::memory_order_acquire)) {
                branch.receiver.answer_if_asked();
                core::idle(core::IdlePolicy::sleep);
            }
        };
        wait(is_receiving_);
        branch.receiver.run(stops_, [] {});
        if (receivers_done_count_.fetch_add(1, std::memory_order_acq_rel) + 1 == branches_.size())
            receivers_done_.store(true,
                                  std::memory_order_release);  // pairs with the acquire in TradeWorker::run
        wait(stops_);
    }

    void run_trade() noexcept {
        trade_.attend(is_receiving_, false, [] {});
        trade_health_.start();
        trade_worker_->run(receivers_done_, [this] { trade_.between_turns(); });
        is_drained_.store(true, std::memory_order_release);  // pairs with is_drained
        trade_.attend(stops_, true, [] {});
        trade_.leave();
    }

    Trade& trade_;
    int trade_cpu_;
    WorkerHealth trade_health_;
    std::vector<std::unique_ptr<Branch>> branches_;
    std::unique_ptr<TradeWorker<Trade>> trade_worker_;
    std::atomic<bool> is_receiving_{false};             // set by control
    std::atomic<bool> stops_{false};                    // set by control
    std::atomic<std::size_t> receivers_done_count_{0};  // counted by the receivers
    std::atomic<bool> receivers_done_{false};           // set by the last receiver
    std::atomic<bool> is_drained_{false};               // set by the trade thread
    Threads threads_;                                   // last: joined before what it uses is gone
};

}  // namespace tickpath::pipeline
