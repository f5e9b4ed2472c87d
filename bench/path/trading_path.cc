#include "bench/path/trading_path.h"

#include <algorithm>
#include <utility>

#include "bench/path/market.h"

namespace tickpath::bench {
namespace {

constexpr std::size_t burst_max = 32;

feed::FeedPlan plan_of(feed::ChannelPlan channel, std::uint32_t known_count,
                       std::span<model::Instrument> instruments) {
    feed::FeedPlan plan;
    plan.channels.push_back(std::move(channel));
    plan.instruments = {.all = instruments,
                        .known_count = known_count,
                        .learned_first = known_count,
                        .learned_max = static_cast<std::uint32_t>(instruments.size()) - known_count};
    return plan;
}

/// Every check of may-trade and risk runs; none refuses.
trade::TradeSettings trade_settings(const PathSettings& path) {
    trade::TradeSettings settings;
    settings.may_trade.armed = true;
    settings.may_trade.max_tick_age_us = 60'000'000;
    settings.risk.order_quantity_max = {1'000, 0};
    settings.risk.price_band_percent = {5, 0};
    settings.risk.orders_per_second = 100'000'000;
    settings.risk.order_burst = 1'000'000;
    settings.risk.position_gross_max = {1, 12};
    settings.risk.position_net_max = {1, 12};
    settings.risk.notional_max = {1, 18};
    settings.warm_interval_us = path.warm_interval_us;
    settings.decide = path.decide;
    return settings;
}

trade::StrategySettings strategy_settings() {
    return {.name = "hit-quote",
            .values = {{"sell_at", "22000.00", 0},
                       {"quantity_max", std::to_string(Market::order_quantity_max), 0}},
            .file = "tick-to-order",
            .line = 0};
}

session::SessionSettings session_settings() {
    session::SessionSettings settings;
    settings.sender = "TRADER";
    settings.target = "EXCH";
    settings.heartbeat_s = 0;  // every send of a measured stretch is an order
    return settings;
}

}  // namespace

TradingParts::TradingParts(const PathSettings& settings, core::CycleClock the_clock) : clock(the_clock) {
    Diagnostics diagnostics;
    BenchFeed feed = settings.feed();
    if (!feed.error_text.empty()) {
        error_text = feed.error_text;
        return;
    }
    instruments = feed.known;
    const std::span<const model::Instrument> known(feed.known);
    const trade::HitQuote strategy(strategy_settings(), known, diagnostics);
    numbers.start(now().utc_ns);
    session = std::make_unique<session::FixSession>(session_settings(), numbers);
    constexpr std::array<std::uint8_t, 1> depths = {5};
    trade::TradeParts parts;
    parts.instruments = known;
    parts.instruments_max = feed.known.size() + feed.other_count;
    parts.channel_depths = depths;
    parts.identity.sender = "TRADER";
    parts.identity.target = "EXCH";
    parts.session = session.get();
    parts.numbers = &numbers;
    parts.file = "tick-to-order";
    stage = std::make_unique<Stage>(trade_settings(settings), parts, strategy, link, kill, page, clock,
                                    diagnostics);
    instruments.resize(parts.instruments_max);
    plan = plan_of(std::move(feed.channel), static_cast<std::uint32_t>(feed.known.size()), instruments);
    plan.by_entry = settings.decide == trade::DecideAt::entry;
    settle();
    if (!exchange.is_sound() || !session->ready()) error_text = "the order session did not log on\n";
    if (diagnostics.has_errors()) error_text += diagnostics.format();
}

void TradingParts::settle() noexcept {
    constexpr int rounds_max = 10'000;
    for (int round = 0; round < rounds_max; ++round) {
        stage->on_idle(core::cycles_now());
        exchange.exchange(link, now());
        stage->on_idle(core::cycles_now());
        const bool all_answered = stage->ledger().counters().reports.value() == exchange.order_count();
        if (all_answered && session->ready()) return;
    }
}

TradingPath::TradingPath(const PathSettings& settings, core::CycleClock clock)
    : settings_(settings), parts_(settings, clock) {
    if (!parts_.error_text.empty()) return;
    session_sends_ = parts_.link.sends();
    (void)core::pin_to(settings.cpus[0]);
    if (settings.layout == Layout::inline_) {
        inline_feed_.emplace(parts_.plan, parts_.page, "r0", clock, *parts_.stage);
        return;
    }
    split_feed_.emplace(parts_.plan, parts_.page, "r0", clock, ring_sink_);
    trade_thread_ = std::thread([this] { run_trade_thread(); });
}

TradingPath::~TradingPath() {
    if (!trade_thread_.joinable()) return;
    on_trade_thread(stopping);
    trade_thread_.join();
}

void TradingPath::receive(std::span<model::Frame> frames) noexcept {
    const std::uint64_t received = core::cycles_now();
    for (model::Frame& frame : frames) {
        frame.rx_time = {received, model::TimeDomain::cycles};
        frame.rx_cycles = received;
        parts_.stamps[static_cast<std::uint32_t>(frame.frame_number + 1)] = received;
    }
    for (std::size_t first = 0; first < frames.size(); first += burst_max) {
        const auto burst = frames.subspan(first, std::min(burst_max, frames.size() - first));
        if (inline_feed_)
            inline_feed_->on_burst(burst);
        else
            split_feed_->on_burst(burst);
    }
}

void TradingPath::wait_for_orders(std::uint64_t wanted) const noexcept {
    while (orders() < wanted)
        core::pause();
}

void TradingPath::settle() {
    if (inline_feed_)
        parts_.settle();
    else
        on_trade_thread(settling);
    session_sends_ = parts_.link.sends() - parts_.exchange.order_count();
}

void TradingPath::idle_for(std::uint64_t duration_ns) noexcept {
    const std::uint64_t until = core::cycles_now() + parts_.clock.to_cycles(duration_ns);
    for (std::uint64_t now = core::cycles_now(); now < until; now = core::cycles_now()) {
        if (inline_feed_) parts_.stage->on_idle(now);
        core::pause();
    }
}

void TradingPath::on_trade_thread(int request) {
    request_.store(request, std::memory_order_release);  // pairs with the acquire in run_trade_thread
    while (request_.load(std::memory_order_acquire) != nothing)
        core::pause();
}

void TradingPath::run_trade_thread() noexcept {
    (void)core::pin_to(settings_.cpus[1]);
    for (;;) {
        if (const model::Tick* const tick = ring_.front()) {
            parts_.stage->on_tick(*tick);
            ring_.pop();
            continue;
        }
        parts_.stage->on_idle(core::cycles_now());
        const int request =
            request_.load(std::memory_order_acquire);  // pairs with the release in on_trade_thread
        if (request == nothing) {
            core::pause();
            continue;
        }
        if (request == settling) parts_.settle();
        request_.store(nothing, std::memory_order_release);  // pairs with the acquire in on_trade_thread
        if (request == stopping) return;
    }
}

}  // namespace tickpath::bench
