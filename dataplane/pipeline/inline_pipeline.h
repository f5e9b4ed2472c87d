// Run to completion: one thread receives, decodes and trades. The stages call one another directly.
#pragma once

#include <atomic>
#include <vector>

#include "dataplane/pipeline/pipeline.h"
#include "dataplane/pipeline/receiver.h"
#include "dataplane/pipeline/threads.h"
#include "dataplane/pipeline/tick_sinks.h"

namespace tickpath::pipeline {

/// `Trade` is a TradeSide or NoTrade and outlives the pipeline. The plan has one receiver.
template <port::Port Port, class Trade>
class InlinePipeline final : public Pipeline {
public:
    InlinePipeline(const PipelineParts<Port>& parts, Trade& trade)
        : trade_(trade),
          tap_(trade, parts.journals.empty() ? nullptr : parts.journals.front(), *parts.counters,
               parts.plan.receivers.front().name),
          receiver_(parts, 0, tap_),
          threads_(parts.enter_thread, parts.leave_thread) {}
    ~InlinePipeline() override { stop(); }

    void start() override {
        threads_.start(receiver_.plan().name, receiver_.plan().cpu, [this] {
            const auto answer = [this] { receiver_.answer_if_asked(); };
            trade_.attend(is_receiving_, false, answer);
            receiver_.run(stops_, [this] { trade_.between_turns(); });
            is_drained_.store(true, std::memory_order_release);  // pairs with is_drained
            trade_.attend(stops_, true, answer);
            trade_.leave();
        });
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
        return receiver_.send(command);
    }

    void stop() override {
        stops_.store(true, std::memory_order_release);
        receive();
        threads_.join();
    }

    [[nodiscard]] std::vector<feed::FeedReport> feed_reports() override {
        std::vector<feed::FeedReport> reports;
        reports.push_back(threads_.are_running() ? receiver_.ask() : receiver_.report());
        return reports;
    }
    [[nodiscard]] trade::TradeReport trade_report() override {
        return threads_.are_running() ? trade_.ask() : trade_.report();
    }

private:
    Trade& trade_;
    Tap<Trade> tap_;
    Receiver<Port, Tap<Trade>> receiver_;
    std::atomic<bool> is_receiving_{false};  // set by control
    std::atomic<bool> stops_{false};         // set by control
    std::atomic<bool> is_drained_{false};    // set by the worker
    Threads threads_;                        // last: joined before what it uses is gone
};

}  // namespace tickpath::pipeline
