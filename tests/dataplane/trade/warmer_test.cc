// Warming runs the whole way and leaves nothing behind.
#include "dataplane/trade/warmer.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/dataplane/trade/stage_rig.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::trade::test {
namespace {

TEST(Warmer, IsDueOncePerIntervalWithoutATrigger) {
    Warmer warmer(100, test_clock);  // 100 µs are 100,000 cycles here
    EXPECT_TRUE(warmer.is_due(1'000'000));
    EXPECT_FALSE(warmer.is_due(1'099'999));
    EXPECT_TRUE(warmer.is_due(1'100'000));
    warmer.triggered(1'150'000);
    EXPECT_FALSE(warmer.is_due(1'249'999));
    EXPECT_TRUE(warmer.is_due(1'250'000));
}

TEST(Warmer, IsNeverDueWhenSwitchedOff) {
    Warmer warmer(0, test_clock);
    EXPECT_FALSE(warmer.is_due(1'000'000'000));
    EXPECT_FALSE(warmer.has_loopback()) << "no socket either";
}

TEST(LoopbackPair, CarriesAnyNumberOfSendsWithoutFilling) {
    LoopbackPair pair;
    ASSERT_TRUE(pair.is_open());
    const std::vector<std::byte> bytes(300);
    for (int i = 0; i < 20'000; ++i)
        pair.send(bytes);
}

class WarmStageTest : public testing::Test {
protected:
    [[nodiscard]] static TradeSettings settings() {
        TradeSettings settings = armed_settings();
        settings.warm_interval_us = 1'000;
        settings.risk.orders_per_second = 10;
        settings.risk.order_burst = 1;
        settings.risk.price_band_percent = {5, 0};
        return settings;
    }
    StageRig<HitQuote> rig{settings(), selling()};

    void warm(int runs) {
        const std::uint64_t before = rig.stage.warm_runs();
        for (int i = 0; i < runs; ++i)
            rig.stage.on_idle(rig.now_cycles += 1'000'000);
        ASSERT_EQ(rig.stage.warm_runs(), before + static_cast<std::uint64_t>(runs));
    }
    [[nodiscard]] std::vector<std::uint64_t> counters() const {
        std::vector<std::uint64_t> values;
        for (std::size_t i = 0; i < rig.page.size(); ++i)
            values.push_back(rig.page.value(i));
        return values;
    }
    [[nodiscard]] std::string store_bytes() const {
        return {reinterpret_cast<const char*>(&rig.numbers), sizeof rig.numbers};
    }
    [[nodiscard]] std::vector<Level> book_levels() const {
        std::vector<Level> levels;
        for (model::InstrumentId id = 0; id < 4; ++id)
            for (const Side side : {Side::bid, Side::ask})
                for (std::size_t i = 0; i < rig.stage.book(id).side(side).size(); ++i)
                    levels.push_back(rig.stage.book(id).side(side)[i]);
        return levels;
    }
};

TEST_F(WarmStageTest, ChangesNoCounterPositionNumberOrBook) {
    rig.make_book();
    rig.make_book(1);
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.tick(add(Side::bid, 1, 199, 1));
    rig.settle();
    ASSERT_EQ(rig.counted("fills"), 1u);

    const auto counters_before = counters();
    const auto store_before = store_bytes();
    const auto book_before = book_levels();
    const Exposure exposure_before = rig.stage.ledger().exposure()[0];
    const std::uint64_t sends_before = rig.link.send_calls;
    const TradeReport report_before = rig.stage.report();
    ASSERT_NO_FATAL_FAILURE(warm(100));
    EXPECT_EQ(counters(), counters_before);
    EXPECT_EQ(store_bytes(), store_before);
    EXPECT_EQ(book_levels(), book_before);
    EXPECT_EQ(rig.stage.ledger().exposure()[0], exposure_before);
    EXPECT_EQ(rig.link.send_calls, sends_before);
    EXPECT_EQ(rig.stage.report().tick_to_order_ns.count(), report_before.tick_to_order_ns.count());
    EXPECT_TRUE(rig.stage.book(0).is_valid());
    EXPECT_TRUE(rig.stage.warms_the_send());
}

TEST_F(WarmStageTest, TheNextOrderIsAsIfNothingHadBeen) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    ASSERT_NO_FATAL_FAILURE(warm(50));
    rig.tick(add(Side::bid, 1, 199, 1));
    rig.settle();
    ASSERT_EQ(rig.counterparty.orders.size(), 1u);
    EXPECT_EQ(rig.counterparty.orders[0][34], "2");
    EXPECT_EQ(decode_order_id(rig.counterparty.orders[0][11])->counter, 0u);
    EXPECT_EQ(rig.counted("fills"), 1u) << "its one token of the order rate was there";
}

TEST_F(WarmStageTest, WaitsAWholeIntervalAfterAnOrder) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    rig.stage.on_idle(rig.now_cycles += 1'000'000);
    const std::uint64_t runs = rig.stage.warm_runs();
    while (core::cycles_now() < rig.now_cycles + 10) {  // the rig's clock ran ahead while logging on
    }
    const std::uint64_t before_order = core::cycles_now();
    rig.tick(add(Side::bid, 1, 199, 1));
    ASSERT_EQ(rig.counted("orders"), 1u);
    rig.stage.on_idle(before_order + 999'999);
    EXPECT_EQ(rig.stage.warm_runs(), runs);
    rig.stage.on_idle(before_order + 100'000'000);
    EXPECT_EQ(rig.stage.warm_runs(), runs + 1);
}

TEST_F(WarmStageTest, TakesNoMemory) {
    rig.make_book();
    ASSERT_NO_FATAL_FAILURE(rig.log_on());
    const tickpath::test::AllocationGuard guard;
    warm(100);
}

}  // namespace
}  // namespace tickpath::trade::test
