// The way from frame to order as the pipeline builds it, in one thread or split over two, with an exchange in
// memory behind it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/path/bench_feed.h"
#include "bench/path/counting_link.h"
#include "bench/path/filling_exchange.h"
#include "dataplane/core/cpu.h"
#include "dataplane/feed/feed_path.h"
#include "dataplane/model/rings.h"
#include "dataplane/trade/hit_quote.h"
#include "dataplane/trade/trade_stage.h"

namespace tickpath::bench {

enum class Layout : std::uint8_t { inline_, split };

struct PathSettings {
    Layout layout = Layout::inline_;
    BenchFeed (*feed)() = fast_feed;
    std::uint64_t warm_interval_us = 0;
    trade::DecideAt decide = trade::DecideAt::message;
    std::array<unsigned, 2> cpus = {0, 1};  ///< of the receive and the trade thread
};

/// The parts that need start-up: compiled feed, instruments, books, session. `error_text` is empty when all
/// is well.
struct TradingParts {
    TradingParts(const PathSettings& settings, core::CycleClock clock);

    using Stage = trade::TradeStage<trade::HitQuote, CountingLink>;

    core::CycleClock clock;
    core::CounterPage page = core::CounterPage::anonymous(4'096);
    std::vector<model::Instrument> instruments;
    feed::FeedPlan plan;
    ReceiveStamps stamps;
    CountingLink link{stamps};
    FillingExchange exchange;
    trade::KillSwitch kill;
    core::SessionNumbers numbers;
    std::unique_ptr<session::FixSession> session;
    std::unique_ptr<Stage> stage;
    std::string error_text;

    [[nodiscard]] session::Now now() const noexcept {
        const std::uint64_t cycles = core::cycles_now();
        return {.monotonic_ns = clock.to_ns(cycles), .utc_ns = clock.to_realtime_ns(cycles)};
    }
    /// Answers go both ways until every order is filled; on the trade thread.
    void settle() noexcept;
};

/// Ticks into the ring, as the pipeline's sink does.
struct RingSink {
    model::TickRing& ring;

    void on_tick(const model::Tick& tick) noexcept {
        while (!ring.push(tick))
            core::pause();
    }
};

/// Both layouts behind one face. The caller's thread is the receive thread.
class TradingPath {
public:
    TradingPath(const PathSettings& settings, core::CycleClock clock);
    ~TradingPath();
    TradingPath(const TradingPath&) = delete;
    TradingPath& operator=(const TradingPath&) = delete;

    [[nodiscard]] const std::string& error_text() const noexcept { return parts_.error_text; }

    /// Stamps the frames as received now, all at the same instant, and hands them in bursts of at most 32.
    void receive(std::span<model::Frame> frames) noexcept;
    /// Waits until `orders` orders have left since the path was made.
    void wait_for_orders(std::uint64_t orders) const noexcept;
    /// Lets the exchange answer everything; time is not taken here.
    void settle();
    /// The trade side looks for something to do, as between ticks.
    void idle_for(std::uint64_t duration_ns) noexcept;

    [[nodiscard]] std::uint64_t orders() const noexcept { return parts_.link.sends() - session_sends_; }
    /// When the last order reached the link; after wait_for_orders.
    [[nodiscard]] std::uint64_t last_order_cycles() const noexcept { return parts_.link.last_send_cycles(); }
    [[nodiscard]] FillingExchange& exchange() noexcept { return parts_.exchange; }
    void take_samples(bool wanted) noexcept { parts_.link.takes_samples = wanted; }
    /// Cycles from receipt to ready, one per order; cleared by the caller. Not while ticks are under way.
    [[nodiscard]] std::vector<std::uint64_t>& samples() noexcept { return parts_.link.samples(); }

private:
    void run_trade_thread() noexcept;
    void on_trade_thread(int request);

    static constexpr int nothing = 0, settling = 1, stopping = 2;

    PathSettings settings_;
    TradingParts parts_;
    std::uint64_t session_sends_ = 0;
    model::TickRing ring_{8'192};
    RingSink ring_sink_{ring_};
    std::optional<feed::FeedPath<TradingParts::Stage>> inline_feed_;
    std::optional<feed::FeedPath<RingSink>> split_feed_;
    std::atomic<int> request_{nothing};  // written by the receive thread, taken back by the trade thread
    std::thread trade_thread_;
};

}  // namespace tickpath::bench
