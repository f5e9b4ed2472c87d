// A trade stage with everything around it: session, fake link, counterparty and a clock that tests turn.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/core/command_ring.h"
#include "dataplane/trade/hit_quote.h"
#include "dataplane/trade/trade_stage.h"
#include "tests/dataplane/trade/counterparty.h"
#include "tests/dataplane/trade/instruments.h"
#include "tests/dataplane/trade/tick_maker.h"
#include "tests/support/fake_link.h"

namespace tickpath::trade::test {

/// Settings under which hit-quote sells to any bid of 1.00 or more.
inline TradeSettings armed_settings() {
    TradeSettings settings;
    settings.may_trade.armed = true;
    settings.may_trade.max_tick_age_us = 0;
    settings.risk.price_band_percent = {};
    settings.risk.orders_per_second = 0;
    settings.risk.position_net_max = {};
    settings.risk.position_gross_max = {};
    settings.warm_interval_us = 0;
    settings.books = {.levels_max = 16, .orders_max = 64};
    return settings;
}

inline session::SessionSettings trader_session() {
    session::SessionSettings settings;
    settings.sender = "TRADER";
    settings.target = "EXCH";
    settings.latency_max_s = 1'000'000;
    return settings;
}

template <Strategy S>
class StageRig {
public:
    /// Kept numbers of either side outlive the rig; null: a session that starts at 1.
    StageRig(const TradeSettings& settings, S strategy, core::SessionNumbers* kept_numbers = nullptr,
             std::size_t instruments_max = 4, core::SessionNumbers* kept_peer_numbers = nullptr)
        : counterparty(kept_peer_numbers),
          instruments_max_(instruments_max),
          numbers(kept_numbers == nullptr ? own_numbers_ : *kept_numbers),
          session(trader_session(), numbers),
          stage(settings, parts(), std::move(strategy), link, kill, page, test_clock, diagnostics) {}

    /// Rounds of both ends until nothing moves.
    void settle(int rounds = 6) {
        for (int i = 0; i < rounds; ++i) {
            stage.on_idle(now_cycles += 10'000'000);
            counterparty.exchange(link, now());
        }
    }
    void log_on() {
        settle();
        ASSERT_EQ(session.state(), session::State::active);
        ASSERT_TRUE(session.ready());
    }
    /// As the feed would: stamped now, complete in itself.
    void tick(Tick tick) {
        tick.packet_sequence = ++packet_sequence;
        tick.rx_cycles = core::cycles_now();
        tick.decoded_cycles = tick.rx_cycles;
        stage.on_tick(tick);
    }
    void make_book(model::InstrumentId instrument = 0, std::int64_t ask = 200) {
        tick(of_instrument(add(Side::bid, 1, 50, 5), instrument));
        tick(of_instrument(add(Side::ask, 1, ask, 5), instrument));
        tick(set_valid(instrument));
    }
    [[nodiscard]] session::Now now() const {
        return {.monotonic_ns = test_clock.to_ns(now_cycles),
                .utc_ns = test_clock.to_realtime_ns(now_cycles)};
    }
    [[nodiscard]] std::uint64_t counted(const std::string& name) const { return page.value("trade." + name); }

    core::CounterPage page = core::CounterPage::anonymous();
    tickpath::test::FakeLink link;
    KillSwitch kill;
    core::CommandRing commands;
    core::Seqlock<core::UtcReading> utc{
        core::UtcReading{0, test_clock.to_realtime_ns(0)}};  ///< the system's clock, as control reads it
    Diagnostics diagnostics;
    Counterparty counterparty;
    std::uint64_t now_cycles = core::cycles_now();
    std::uint32_t packet_sequence = 0;
    std::vector<model::Instrument> instruments = two_instruments();

private:
    static constexpr std::array<std::uint8_t, 2> depths = {5, 0};

    [[nodiscard]] TradeParts parts() {
        TradeParts parts;
        parts.instruments = instruments;
        parts.instruments_max = instruments_max_;
        parts.channel_depths = depths;
        parts.identity = {.begin_string = "FIX.4.4", .sender = "TRADER", .target = "EXCH"};
        parts.session = &session;
        parts.numbers = &numbers;
        parts.commands = &commands;
        parts.utc = &utc;
        parts.file = "lab.xml";
        return parts;
    }

    std::size_t instruments_max_;
    core::SessionNumbers own_numbers_ = started_numbers();

public:
    core::SessionNumbers& numbers;
    session::FixSession session;
    TradeStage<S, tickpath::test::FakeLink> stage;
};

/// hit-quote that sells up to five to a bid of 1.00 or more.
inline HitQuote selling(const std::vector<model::Instrument>& instruments, Diagnostics& diagnostics) {
    const StrategySettings settings{.name = "hit-quote",
                                    .values = {{"sell_at", "1.00", 1}, {"quantity_max", "5", 1}},
                                    .file = "lab.xml",
                                    .line = 1};
    return HitQuote(settings, instruments, diagnostics);
}
inline HitQuote selling() {
    Diagnostics diagnostics;
    return selling(two_instruments(), diagnostics);
}

}  // namespace tickpath::trade::test
