// A million packets through all stages on their threads, in both layouts: every order, no heap, no lock, no
// fault.
#include "dataplane/pipeline/pipeline.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "bench/path/market.h"
#include "dataplane/core/resident_memory.h"
#include "dataplane/feed/compiled_feed.h"
#include "dataplane/pipeline/make_pipeline.h"
#include "dataplane/pipeline/no_trade.h"
#include "dataplane/pipeline/trade_side.h"
#include "dataplane/trade/hit_quote.h"
#include "dataplane/trade/null_link.h"
#include "dataplane/trade/trade_stage.h"
#include "decoders/fast/template_loader.h"
#include "decoders/framing/description.h"
#include "tests/dataplane/pipeline/market_port.h"

namespace tickpath::pipeline {
namespace {

using test::MarketPort;

// Shadow memory would not fit: a reservation that sanitizers touch as they go.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitizers_fault = true;
#else
constexpr bool sanitizers_fault = false;
#endif

std::filesystem::path in_source(std::string_view path) {
    return std::filesystem::path(TICKPATH_SOURCE_ROOT) / path;
}

std::vector<feed::ChannelPlan> bench_channel() {
    Diagnostics diagnostics;
    const auto description =
        framing::load_description(in_source("templates/feeds/bench.xml").string(), diagnostics);
    const auto templates =
        fast::load_template_file(in_source("templates/fast/bench/ten_entries.xml"), diagnostics);
    const auto compiled = feed::compile_feed(description.value(), templates, diagnostics);
    EXPECT_NE(compiled, nullptr) << diagnostics.format();
    const framing::Channel& channel = description->channels.front();
    feed::ChannelPlan plan{
        .index = 0, .name = channel.name, .feed = compiled, .nse = {}, .book = channel.book, .lines = {}};
    for (const framing::Line& line : channel.lines)
        plan.lines.push_back({.line = line, .port = 0});
    return {plan};
}

trade::TradeSettings shadow_settings() {
    trade::TradeSettings settings;
    settings.order_mode = trade::OrderMode::shadow;
    settings.may_trade = {.armed = true, .trade_when = trade::TradeWhen::valid, .max_tick_age_us = 0};
    settings.risk.orders_per_second = 0;
    settings.risk.position_net_max = settings.risk.position_gross_max = settings.risk.notional_max = {};
    settings.warm_interval_us = 0;
    return settings;
}

trade::StrategySettings sell_to_any_bid() {
    return {.name = "hit-quote",
            .values = {{"sell_at", "22000.00", 1}, {"quantity_max", "50", 1}},
            .file = "test",
            .line = 1};
}

/// A trade stage with shadow orders, and the pipeline around it.
class PathRig {
public:
    explicit PathRig(std::uint64_t packets, bool split)
        : port(packets), parts(core::CycleClock::calibrate()), channels_(bench_channel()) {
        instruments_ = bench::Market::instruments();
        parts.known_count = static_cast<std::uint32_t>(instruments_.size());
        parts.learned_max = 256;
        instruments_.resize(instruments_.size() + parts.learned_max);
        parts.plan = {.receivers = {{.name = "r0", .cpu = -1, .queues = {{0, 0}}, .channels = {0}}},
                      .split = split};
        parts.ports = {&port};
        parts.channels = channels_;
        parts.instruments = instruments_;
        parts.counters = &page;
        parts.tick_ring_slots = 4096;
    }

    void make() {
        const std::span<const model::Instrument> known(instruments_.data(), parts.known_count);
        trade::TradeParts trade_parts;
        trade_parts.instruments = known;
        trade_parts.instruments_max = instruments_.size();
        trade_parts.channel_depths = depths_;
        stage = std::make_unique<Stage>(shadow_settings(), trade_parts,
                                        trade::HitQuote(sell_to_any_bid(), known, diagnostics), link_, kill,
                                        page, parts.clock, diagnostics);
        ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.format();
        side_ = std::make_unique<Side>(*stage, nullptr, link_, parts.clock);
        pipeline = make_pipeline(parts, *side_);
    }

    /// As a run does: all memory there when all threads run, before the first packet.
    void run_until_drained(bool may_lock = true) {
        pipeline->start();
        EXPECT_TRUE(may_lock ? core::make_memory_resident() != core::Residency::unknown
                             : core::populate_memory());
        pipeline->receive();
        while (!pipeline->is_drained())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    using Stage = trade::TradeStage<trade::HitQuote, trade::NullLink>;
    using Side = TradeSide<Stage, trade::NullLink>;

    MarketPort port;
    core::CounterPage page = core::CounterPage::anonymous();
    trade::KillSwitch kill;
    Diagnostics diagnostics;
    PipelineParts<MarketPort> parts;
    std::unique_ptr<Stage> stage;
    std::unique_ptr<Pipeline> pipeline;

private:
    std::vector<feed::ChannelPlan> channels_;
    std::vector<std::uint8_t> depths_ = {5};
    std::vector<model::Instrument> instruments_;
    trade::NullLink link_;
    std::unique_ptr<Side> side_;
};

class Layout : public testing::TestWithParam<bool> {
protected:
    [[nodiscard]] static bool is_split() { return GetParam(); }
};

TEST_P(Layout, FaultsNowhereWhereLockingIsForbidden) {
    if (sanitizers_fault) GTEST_SKIP() << "skipped: sanitizers touch their shadow memory as they go";
    PathRig rig(50'000, is_split());
    rig.make();
    rig.run_until_drained(false);
    rig.pipeline->stop();
    EXPECT_EQ(rig.port.costs().minor_faults, 0u);
    if (is_split()) {
        EXPECT_EQ(rig.page.value("trade.minor_faults"), 0u);
    }
}

TEST_P(Layout, CarriesAMillionPacketsToTheirOrdersWithoutHeapLockOrFault) {
    PathRig rig(1'000'000, is_split());
    rig.parts.enter_thread = test::TradeThreadCosts::enter;
    rig.parts.leave_thread = test::TradeThreadCosts::leave;
    rig.make();
    rig.run_until_drained();
    rig.pipeline->stop();
    ::munlockall();

    const trade::TradeReport report = rig.pipeline->trade_report();
    EXPECT_GT(rig.port.orders_expected(), 900'000u);
    EXPECT_EQ(report.shadow_orders, rig.port.orders_expected());
    EXPECT_EQ(rig.page.value("r0.ticks"), report.ticks);
    EXPECT_EQ(rig.pipeline->feed_reports().front().hole_count, 0u);
    EXPECT_EQ(rig.port.costs().allocations, 0u) << "heap used between two bursts";
    EXPECT_EQ(rig.port.costs().locks, 0u) << "a lock taken between two bursts";
    EXPECT_EQ(test::TradeThreadCosts::total().allocations, 0u) << "heap used by the trade thread";
    EXPECT_EQ(test::TradeThreadCosts::total().locks, 0u) << "a lock taken by the trade thread";
    if (sanitizers_fault) return;
    EXPECT_EQ(rig.port.costs().minor_faults, 0u) << "memory that was not there at the start";
    if (is_split()) {
        EXPECT_EQ(rig.page.value("trade.minor_faults"), 0u) << "the trade thread";
    }
}

TEST(Pipeline, WaitsForAFullRingAndLosesNothing) {
    PathRig rig(20'000, true);
    rig.parts.tick_ring_slots = 16;  // a packet has ten ticks, a burst some hundreds
    // On one CPU the trade thread runs only when the receiver gives way: the ring is full first.
    rig.parts.plan.trade_cpu = rig.parts.plan.receivers.front().cpu =
        static_cast<int>(core::allowed_cpus().front());
    rig.make();
    rig.run_until_drained();
    rig.pipeline->stop();
    EXPECT_GT(rig.page.value("r0.ring_full_waits"), 0u);
    EXPECT_EQ(rig.pipeline->trade_report().ticks, rig.page.value("r0.ticks"));
    EXPECT_EQ(rig.pipeline->trade_report().shadow_orders, rig.port.orders_expected());
    EXPECT_EQ(rig.pipeline->feed_reports().front().hole_count, 0u);
}

TEST_P(Layout, AnswersForReportsWhileItRuns) {
    PathRig rig(200'000, is_split());
    rig.make();
    rig.pipeline->start();
    EXPECT_EQ(rig.pipeline->trade_report().ticks, 0u) << "before anything is received";
    rig.pipeline->receive();
    std::uint64_t last = 0;
    while (!rig.pipeline->is_drained()) {
        const std::uint64_t now = rig.pipeline->trade_report().ticks;
        EXPECT_GE(now, last);
        last = now;
        EXPECT_EQ(rig.pipeline->feed_reports().size(), 1u);
    }
    EXPECT_GE(rig.pipeline->trade_report().ticks, last) << "after the last packet, threads still up";
    rig.pipeline->stop();
    EXPECT_EQ(rig.pipeline->trade_report().shadow_orders, rig.port.orders_expected());
}

TEST_P(Layout, StopsInTheMiddleAndActsUponWhatItDecoded) {
    PathRig rig(50'000'000, is_split());
    rig.make();
    rig.pipeline->start();
    rig.pipeline->receive();
    while (rig.page.value("r0.ticks") < 10'000)
        std::this_thread::yield();
    rig.pipeline->stop();
    EXPECT_EQ(rig.pipeline->trade_report().ticks, rig.page.value("r0.ticks"));
    EXPECT_FALSE(rig.port.finished());
}

TEST_P(Layout, EndsWithoutHavingReceivedAnything) {
    PathRig rig(10, is_split());
    rig.make();
    rig.pipeline->start();
    rig.pipeline->stop();
    EXPECT_EQ(rig.pipeline->trade_report().ticks, rig.page.value("r0.ticks"));
}

TEST_P(Layout, CopiesEveryTickToTheJournal) {
    model::TickRing journal(1u << 16);
    PathRig rig(2'000, is_split());
    rig.parts.journals = {&journal};
    rig.make();
    rig.run_until_drained();
    rig.pipeline->stop();
    std::uint64_t copied = 0;
    for (; journal.front() != nullptr; journal.pop())
        ++copied;
    EXPECT_EQ(copied, rig.page.value("r0.ticks"));
    EXPECT_GT(copied, 20'000u);
}

INSTANTIATE_TEST_SUITE_P(Pipeline, Layout, testing::Bool(),
                         [](const auto& layout) { return layout.param ? "Split" : "Inline"; });

}  // namespace
}  // namespace tickpath::pipeline
