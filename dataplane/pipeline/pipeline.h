// All stages of a run on their threads, whatever the strategy and layout: what control starts, stops and
// asks. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/core/command_ring.h"
#include "dataplane/core/counters.h"
#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/model/rings.h"
#include "dataplane/pipeline/order_status.h"
#include "dataplane/pipeline/plan.h"
#include "dataplane/port/port.h"
#include "dataplane/trade/trade_report.h"

namespace tickpath::pipeline {

/// What every pipeline is made of; whatever is pointed to outlives it.
template <port::Port Port>
struct PipelineParts {
    explicit PipelineParts(core::CycleClock calibrated) : clock(calibrated) {}

    Plan plan;
    std::vector<Port*> ports;                 ///< by index
    std::vector<net::MacAddress> port_macs;   ///< by port index
    std::vector<feed::ChannelPlan> channels;  ///< as the plan counts them
    feed::FeedLimits feed_limits;
    std::span<model::Instrument>
        instruments;  ///< known ones first, then `learned_max` free ones per receiver
    std::uint32_t known_count = 0;
    std::uint32_t learned_max = 0;
    core::CounterPage* counters = nullptr;
    core::CycleClock clock;
    core::IdlePolicy idle = core::IdlePolicy::yield;
    std::size_t tick_ring_slots = 65'536;    ///< split layout: of each receiver's ring
    bool by_entry = false;                   ///< ticks leave as soon as their entry is decoded
    std::vector<model::TickRing*> journals;  ///< one per receiver, or none: ticks are copied there for a file
    void (*enter_thread)() noexcept =
        nullptr;  ///< first and last call of each thread, for the port's own needs
    void (*leave_thread)() noexcept = nullptr;
};

/// Owns stages, rings and threads. Made on the control thread, which alone calls everything here.
class Pipeline {
public:
    virtual ~Pipeline() = default;

    /// Starts all threads, pinned and with their stacks touched, and returns when they run: what is mapped
    /// then is all they will need (core::make_memory_resident). The trade side works at once, so that the
    /// order session may log on before the first tick; the ports are not polled yet.
    virtual void start() = 0;
    /// The order session may send, or there is none to wait for.
    [[nodiscard]] virtual bool is_ready() const noexcept = 0;
    [[nodiscard]] virtual OrderStatus order_status() const noexcept = 0;
    /// Polls the ports from now on.
    virtual void receive() noexcept = 0;
    /// All ports have finished and all their ticks are acted upon. Never true of live ports.
    [[nodiscard]] virtual bool is_drained() const noexcept = 0;
    /// No order is open any more; looked at once drained.
    [[nodiscard]] virtual bool is_settled() const noexcept = 0;

    /// Hands a command to every receive worker, which carries it out between two bursts once it polls. False
    /// when one has too many to read yet: then say it again, for a worker bears the same one twice.
    [[nodiscard]] virtual bool tell_receivers(core::Command command) noexcept = 0;

    /// Stops polling, acts upon what was decoded, logs out (bounded by the session's time-out), joins all
    /// threads.
    virtual void stop() = 0;

    /// Of each receiver. While threads run each answers between two bursts, which costs it some microseconds.
    [[nodiscard]] virtual std::vector<feed::FeedReport> feed_reports() = 0;
    [[nodiscard]] virtual trade::TradeReport trade_report() = 0;
};

}  // namespace tickpath::pipeline
