// The FORTS capture through lines that lose, double, reorder, delay and fall silent, and through restarts of
// numbering: every book that is declared valid is the venue's, and no order has any other cause
// (dataplane/feed/recovery.h, sequencer.h, dataplane/trade/may_trade.h together).
#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/trade/null_link.h"
#include "dataplane/trade/trade_stage.h"
#include "decoders/net/headers.h"
#include "tests/dataplane/feed/expected_rows.h"
#include "tests/dataplane/feed/feed_bench.h"
#include "tests/dataplane/feed/forts_packet.h"
#include "tests/dataplane/feed/forts_truth.h"
#include "tests/dataplane/feed/lossy_lines.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_level.h"

namespace tickpath::test {
namespace {

namespace flag = model::tick_flag;
using model::InstrumentId;
using model::Tick;
using model::TickAction;
using model::TickKind;

const FortsTruth& truth() {
    static const FortsTruth truth(shared_feed("moex-forts-2013/expected.csv"));
    return truth;
}

const std::vector<RecordedPacket>& capture() {
    static const std::vector<RecordedPacket> packets = [] {
        std::vector<RecordedPacket> out;
        for (TestFrame& frame : read_frames(shared_feed("moex-forts-2013/forts-book5.pcap"))) {
            const net::UdpView udp = net::parse_udp(frame.bytes).udp;
            const LineOf line = udp.group.port == 40003   ? LineOf::a
                                : udp.group.port == 41003 ? LineOf::b
                                                          : LineOf::snapshot;
            const std::uint64_t number = forts_packet_number(udp.payload);
            out.push_back({std::move(frame), line, number});
        }
        return out;
    }();
    return packets;
}

std::vector<model::Instrument> instruments() {
    std::vector<model::Instrument> all;
    for (const std::string& key : truth().keys()) {
        model::Instrument instrument;
        instrument.id = static_cast<InstrumentId>(all.size());
        std::copy(key.begin(), key.end(), instrument.feed_key.begin());
        std::copy(key.begin(), key.end(), instrument.fix_symbol.begin());
        instrument.price_places = FortsTruth::price_places;
        instrument.is_known = true;
        all.push_back(instrument);
    }
    return all;
}

/// Wants to buy whenever it is asked.
class OrdersAlways {
public:
    OrdersAlways(const trade::StrategySettings&, std::span<const model::Instrument>, Diagnostics&) {}
    void on_event(const trade::Book& book, const trade::Event&, trade::Orders& orders) noexcept {
        orders.submit({.instrument = book.instrument(), .price = 100, .quantity = 1});
    }
};
static_assert(trade::Strategy<OrdersAlways>);

trade::TradeSettings no_limits(trade::DecideAt decide) {
    trade::TradeSettings settings;
    settings.decide = decide;
    settings.order_mode = trade::OrderMode::shadow;
    settings.may_trade = {.armed = true, .max_tick_age_us = 0};
    settings.risk = {.order_quantity_max = {},
                     .price_band_percent = {},
                     .orders_per_second = 0,
                     .position_gross_max = {},
                     .position_net_max = {},
                     .notional_max = {}};
    settings.books = {.levels_max = 16, .orders_max = 2};
    settings.warm_interval_us = 0;
    return settings;
}

std::vector<PlainLevel> levels_of(const trade::BookSide& side) {
    std::vector<PlainLevel> levels;
    for (std::size_t i = 0; i < side.size(); ++i)
        levels.push_back({side[i].price, side[i].quantity});
    return levels;
}

/// The whole path, and beside each of its steps what the venue really did.
class Rig {
public:
    Rig(const Troubles& troubles, std::uint64_t seed, bool by_entry)
        : arriving_(through_troubles(capture(), troubles, seed)), by_entry_(by_entry) {}

    void run() {
        FeedBench feed({.description = "moex-spectra-2013",
                        .templates_path = shared_feed("moex-forts-2013/templates.xml"),
                        .channel = "FUT-BOOK-5",
                        .by_entry = by_entry_,
                        .known = known_});
        for (const ArrivingFrame& frame : arriving_)
            feed.put(frame.frame);
        feed.finish();
        for (const Tick& tick : feed.ticks()) {
            on_tick(tick);
            if (testing::Test::HasFatalFailure()) return;
        }
        valid_at_end = feed.report().channels[0].books.valid;
        invalidated = feed.count("FUT-BOOK-5.books_invalidated");
        applied = feed.count("FUT-BOOK-5.snapshots_applied");
        ASSERT_EQ(stage_.refused(trade::Refusal::instrument_unknown), 0u);
    }

    std::uint64_t compared = 0, loops_compared = 0, orders = 0, invalidated = 0, applied = 0;
    std::uint32_t valid_at_end = 0;

private:
    /// What an instrument's book was made from.
    struct Held {
        std::uint32_t sequence = 0;
        std::uint32_t day = 0;
        bool is_valid = false;
    };

    void on_tick(const Tick& tick) {
        const std::uint64_t orders_before = page_.value("trade.shadow_orders");
        stage_.on_tick(tick);
        note(tick);
        const std::uint64_t placed = page_.value("trade.shadow_orders") - orders_before;
        orders += placed;
        if (placed != 0) {
            ASSERT_NO_FATAL_FAILURE(expect_true_cause(tick));
        }
        if (tick.has(flag::unused) && tick.has(flag::snapshot)) {
            ASSERT_NO_FATAL_FAILURE(compare_with_shown(tick));
        } else if (by_entry_ || tick.has(flag::last_of_event)) {
            ASSERT_NO_FATAL_FAILURE(expect_true_books(tick));
            touched_.clear();
            touched_live_.clear();
        }
    }

    void note(const Tick& tick) {
        frame_ = std::max(frame_, tick.frame_number);
        // The status of a hole goes before the packet behind it.
        const bool is_live = tick.line < 2 && !tick.has(flag::replayed) && tick.kind != TickKind::status;
        if (is_live) packet_ = tick.packet_sequence;
        if (is_live) packet_day_ = arriving_[tick.frame_number].day;
        if (tick.kind == TickKind::status) return set_status(tick);
        if (tick.has(flag::unused) || (tick.has(flag::stale) && !tick.has(flag::replayed))) return;
        Held& held = held_[tick.instrument];
        if (tick.instrument_sequence != 0) held.sequence = tick.instrument_sequence;
        held.day = arriving_[tick.frame_number].day;
        touched_.insert(tick.instrument);
        if (!tick.has(flag::snapshot | flag::replayed)) touched_live_.insert(tick.instrument);
    }
    void set_status(const Tick& tick) {
        for (InstrumentId id = 0; id < held_.size(); ++id)
            if (tick.instrument == id || tick.instrument == model::no_instrument)
                held_[id].is_valid = tick.action == TickAction::set_valid;
    }

    /// An order is placed at the end of a live event that touched a valid book; what that holds is looked at
    /// right after. The last tick of the event may be of another instrument, and in no book.
    void expect_true_cause(const Tick& tick) {
        ASSERT_LT(tick.line, 2);
        ASSERT_FALSE(tick.has(flag::replayed | flag::snapshot));
        const auto is_valid = [&](InstrumentId id) {
            return held_[id].is_valid && held_[id].day == packet_day_;
        };
        ASSERT_TRUE(std::ranges::any_of(touched_live_, is_valid)) << place(tick, tick.instrument);
    }

    void expect_true_books(const Tick& tick) {
        for (InstrumentId id = 0; id < held_.size(); ++id) {
            ASSERT_EQ(stage_.book(id).is_valid(), held_[id].is_valid) << place(tick, id);
            if (!held_[id].is_valid) continue;
            ASSERT_NO_FATAL_FAILURE(expect_own_time(tick, id));
            if (touched_.contains(id)) {
                ASSERT_NO_FATAL_FAILURE(expect_true_levels(tick, id));
            }
        }
    }

    /// A valid book lacks no entry of the packets that were delivered, and holds none that the venue had not
    /// sent, or had sent the day before.
    void expect_own_time(const Tick& tick, InstrumentId id) {
        const ArrivingFrame& now = arriving_[frame_];
        const Held& held = held_[id];
        const std::string key(known_[id].key());
        // A snapshot may know of the new day before the lines tell of it; no order comes of that.
        ASSERT_GE(held.day, packet_day_) << place(tick, id) << ": it is of the day before";
        if (held.day != packet_day_) return;
        if (!by_entry_ || tick.has(flag::last_of_event)) {
            ASSERT_GE(held.sequence, truth().sequence_after(key, packet_))
                << place(tick, id) << ": it lacks an entry";
        }
        if (held.day != now.day_now || now.venue_sent == 0) return;
        const std::uint32_t sent =
            std::max(truth().sequence_after(key, now.venue_sent), truth().first_sequence(key));
        ASSERT_LE(held.sequence, sent) << place(tick, id) << ": it is of another time";
    }

    void expect_true_levels(const Tick& tick, InstrumentId id) {
        const TrueBook* const book = truth().book(std::string(known_[id].key()), held_[id].sequence);
        ASSERT_NE(book, nullptr) << place(tick, id);
        ASSERT_EQ(levels_of(stage_.book(id).bids()), book->bids) << place(tick, id);
        ASSERT_EQ(levels_of(stage_.book(id).asks()), book->asks) << place(tick, id);
        ++compared;
    }

    /// A snapshot that no book needed shows what the book should be.
    void compare_with_shown(const Tick& tick) {
        if (!tick.has(flag::last_of_event)) return;
        const InstrumentId id = tick.instrument;
        if (!held_[id].is_valid || held_[id].sequence != tick.instrument_sequence) return;
        ASSERT_NO_FATAL_FAILURE(expect_true_levels(tick, id));
        ++loops_compared;
    }

    [[nodiscard]] std::string place(const Tick& tick, InstrumentId id) const {
        return std::string(known_[id].key()) + " at " + std::to_string(held_[id].sequence) + " of day " +
               std::to_string(held_[id].day) + ", frame " + std::to_string(tick.frame_number) + ", packet " +
               std::to_string(packet_) + " of day " + std::to_string(packet_day_);
    }

    std::vector<ArrivingFrame> arriving_;
    bool by_entry_;
    std::vector<model::Instrument> known_ = instruments();
    std::vector<Held> held_ = std::vector<Held>(known_.size());
    std::set<InstrumentId> touched_, touched_live_;  ///< by the event that is not over
    std::uint64_t frame_ = 0;   ///< newest that was told of; a packet that was held back is of an older one
    std::uint64_t packet_ = 0;  ///< last live one
    std::uint32_t packet_day_ = 0;

    core::CounterPage page_ = core::CounterPage::anonymous();
    trade::NullLink link_;
    trade::KillSwitch kill_;
    Diagnostics diagnostics_;
    std::array<std::uint8_t, 1> depths_ = {FortsTruth::depth};
    trade::TradeStage<OrdersAlways, trade::NullLink> stage_{
        no_limits(by_entry_ ? trade::DecideAt::entry : trade::DecideAt::message),
        parts(),
        OrdersAlways({}, {}, diagnostics_),
        link_,
        kill_,
        page_,
        core::CycleClock(1.0, 0, 0),
        diagnostics_};

    [[nodiscard]] trade::TradeParts parts() const {
        trade::TradeParts parts;
        parts.instruments = known_;
        parts.instruments_max = known_.size();
        parts.channel_depths = depths_;
        return parts;
    }
};

TEST(FortsLoss, TheTruthAgreesWithEverySnapshotOfTheCapture) {
    TICKPATH_NEEDS_SHARED_DATA();
    EXPECT_EQ(truth().snapshots_agreed(), 5'233u);
    EXPECT_EQ(truth().keys().size(), 11u);
}

TEST(FortsLoss, WithoutTroublesEveryBookIsTrueAndEveryEventMakesAnOrder) {
    TICKPATH_NEEDS_SHARED_DATA();
    for (const bool by_entry : {false, true}) {
        Rig rig({}, 1, by_entry);
        ASSERT_NO_FATAL_FAILURE(rig.run());
        EXPECT_EQ(rig.valid_at_end, 11u);
        EXPECT_GT(rig.loops_compared, 4'000u);
        EXPECT_GT(rig.orders, 7'000u);
        EXPECT_EQ(rig.invalidated, 0u);
    }
}

TEST(FortsLoss, NoBookIsWrongAndNoOrderOfOneWhateverTheLinesDo) {
    TICKPATH_NEEDS_SHARED_DATA();
    const std::uint64_t seeds = at_level(12, 300, 4'000);
    std::uint64_t compared = 0, loops = 0, orders = 0, invalidated = 0, applied = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Troubles troubles = Troubles::of(seed);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + troubles.text());
        Rig rig(troubles, seed, seed % 4 == 0);
        ASSERT_NO_FATAL_FAILURE(rig.run());
        compared += rig.compared;
        loops += rig.loops_compared;
        orders += rig.orders;
        invalidated += rig.invalidated;
        applied += rig.applied;
    }
    std::cout << seeds << " seeds: " << compared << " books compared, " << loops
              << " of them with a snapshot, " << orders << " orders, " << invalidated
              << " books made invalid, " << applied << " snapshots applied\n";
    EXPECT_GT(loops, 1'000u);
    EXPECT_GT(orders, 10'000u);
    EXPECT_GT(invalidated, 50u);
    EXPECT_GT(applied, 50u);
}

}  // namespace
}  // namespace tickpath::test
