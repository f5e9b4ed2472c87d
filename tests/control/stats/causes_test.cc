#include "control/stats/causes.h"

#include <string>

#include <gtest/gtest.h>

#include "control/config/check.h"
#include "control/config/loader.h"
#include "control/runtime/feeds.h"
#include "dataplane/feed/feed_path.h"
#include "dataplane/pipeline/no_trade.h"
#include "dataplane/pipeline/tick_sinks.h"
#include "dataplane/pipeline/worker_health.h"
#include "dataplane/session/fix_session.h"
#include "dataplane/trade/books.h"
#include "dataplane/trade/order_ledger.h"
#include "dataplane/trade/refusal.h"
#include "dataplane/trade/trade_stage.h"

namespace tickpath::stats {
namespace {

TEST(Causes, AreDecidedByTheEndOfTheName) {
    EXPECT_EQ(cause_of("r0.router.not_udp").phrase, "not UDP");
    EXPECT_EQ(cause_of("not_udp").kind, CauseKind::drop);
    EXPECT_FALSE(cause_of("r0.not_udp.else").is_known);
    EXPECT_FALSE(cause_of("r0.really_not_udp").is_known) << "whole parts only";
}

TEST(Causes, AreDecidedByTheLongestEnd) {
    EXPECT_EQ(cause_of("r0.FUT.queue_overflows").counter, "queue_overflows");
    EXPECT_EQ(cause_of("session.queue_overflows").counter, "session.queue_overflows");
    EXPECT_NE(cause_of("r0.FUT.queue_overflows").phrase, cause_of("session.queue_overflows").phrase);
}

TEST(Causes, KeepTheNameOfAnUnlistedCounter) {
    const Cause cause = cause_of("r0.somewhere.something_new");
    EXPECT_EQ(cause.counter, "something_new");
    EXPECT_EQ(cause.phrase, "something_new");
    EXPECT_EQ(cause.kind, CauseKind::flow);
    EXPECT_FALSE(cause.is_known);
    EXPECT_EQ(cause_of("").counter, "");
    EXPECT_EQ(cause_of("trailing.").counter, "");
    EXPECT_FALSE(cause_of("trade.refused_by_the_moon").is_known);
}

TEST(Causes, TakeThePhrasesOfFamiliesFromTheirRooms) {
    for (std::size_t i = 1; i < trade::refusal_count; ++i) {
        const Cause cause = cause_of("trade.refused_" + std::string(trade::refusal_names[i]));
        EXPECT_EQ(cause.kind, CauseKind::refusal);
        EXPECT_EQ(cause.phrase, trade::refusal_phrases[i]);
    }
    EXPECT_EQ(cause_of("r0.decode.failed_D9").phrase,
              "message not decoded: the template identifier is unknown");
    EXPECT_EQ(cause_of("r0.decode.failed_D9").kind, CauseKind::drop);
}

/// The receive side of the demo feed: its description and templates are part of the tree.
void count_receive_side(core::CounterPage& page) {
    const std::string root = TICKPATH_SOURCE_ROOT;
    Diagnostics diagnostics;
    const auto config =
        config::parse_run("<tickpath><port name=\"p\" device=\"null\"/><feed description=\"" + root +
                              "/templates/feeds/demo.xml\"/><feed preset=\"nse-fo\"/></tickpath>",
                          "run.xml", diagnostics);
    ASSERT_TRUE(config) << diagnostics.format();
    const auto checked = config::check(*config, {.cpus = {0}, .memory_bytes = 8'000'000'000}, diagnostics);
    ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.format();
    std::vector<model::Instrument> instruments(4);
    const feed::FeedPlan plan{
        .channels = runtime::load_channels(checked, diagnostics),
        .port_macs = {},
        .instruments = {.all = instruments, .known_count = 0, .learned_first = 0, .learned_max = 4},
        .limits = {}};
    ASSERT_FALSE(plan.channels.empty()) << diagnostics.format();
    pipeline::NoTrade sink;
    const feed::FeedPath<pipeline::NoTrade> path(plan, page, "r0", core::CycleClock(1.0, 0, 0), sink);
    model::TickRing ring(64);
    pipeline::RingSink ring_sink(ring, core::IdlePolicy::yield, page, "r0");
    const pipeline::Tap<pipeline::NoTrade> tap(sink, nullptr, page, "r0");
    const pipeline::WorkerHealth health(page, "r0", core::CycleClock(1.0, 0, 0), core::IdlePolicy::spin);
    const pipeline::WorkerHealth yielding(page, "r1", core::CycleClock(1.0, 0, 0), core::IdlePolicy::yield);
}

TEST(Causes, HaveALineForEveryCounterOfTheWay) {
    core::CounterPage page = core::CounterPage::anonymous();
    ASSERT_NO_FATAL_FAILURE(count_receive_side(page));
    const std::size_t receive_count = page.size();
    const trade::StageCounters stage(page, "trade");
    const trade::LedgerCounters ledger(page, "trade");
    const trade::RefusalCounters refusals(page, "trade");
    const trade::Books books({}, 1, {}, page, "trade");
    const session::SessionCounters session(page, "session");
    EXPECT_GT(receive_count, 50u);
    EXPECT_GT(page.size(), receive_count + 50);
    for (std::size_t i = 0; i < page.size(); ++i)
        EXPECT_TRUE(cause_of(page.name(i)).is_known)
            << page.name(i) << " has no line in control/stats/causes.cc";
}

}  // namespace
}  // namespace tickpath::stats
