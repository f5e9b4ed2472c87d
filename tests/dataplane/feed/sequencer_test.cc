#include "dataplane/feed/sequencer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "decoders/base/bytes.h"
#include "tests/dataplane/feed/sequencer_twin.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/test_level.h"

namespace tickpath::feed {
namespace {

using test::Delivery;

/// Writes down what the sequencer delivers. A packet's body is its number, so that mixed-up slots show.
struct Recorder {
    std::vector<Delivery> log;
    std::vector<std::uint64_t> restarts;
    std::optional<std::uint64_t> restart_on;  ///< this packet says that numbering starts again …
    std::uint64_t restart_at = 1;             ///< … here
    std::uint64_t bad_bodies = 0;

    Recorder() { log.reserve(1 << 20); }

    std::optional<std::uint64_t> on_packet(const Packet& packet) noexcept {
        log.push_back({packet.number, 0});
        if (packet.body.size() == sizeof(std::uint64_t) &&
            load_little<std::uint64_t>(packet.body.data()) != packet.number)
            ++bad_bodies;
        if (restart_on == packet.number) return restart_at;
        return std::nullopt;
    }
    void on_hole(std::uint64_t first, std::uint64_t count, const Packet&) noexcept {
        log.push_back({first, count});
    }
    void on_restart(const Packet& packet) noexcept { restarts.push_back(packet.number); }
};

struct Bench {
    core::CounterPage page = core::CounterPage::anonymous();
    Sequencer sequencer;
    Recorder out;

    explicit Bench(SequencerSettings settings = {.window_packets = 8, .window_ns = 100})
        : sequencer(settings, page, "s") {}

    void put(std::uint8_t copy, std::uint64_t number, std::uint64_t at_ns = 0) {
        const std::uint64_t body = number;
        Packet packet;
        packet.number = number;
        packet.copy = copy;
        packet.arrival_ns = at_ns;
        packet.body = std::as_bytes(std::span(&body, 1));
        sequencer.on_packet(packet, out);
    }
    void a(std::uint64_t number, std::uint64_t at_ns = 0) { put(0, number, at_ns); }
    void b(std::uint64_t number, std::uint64_t at_ns = 0) { put(1, number, at_ns); }
    void finish() { sequencer.finish(out); }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return page.value(std::string("s.") + std::string(name));
    }
};

std::vector<Delivery> delivered(std::initializer_list<std::uint64_t> numbers) {
    std::vector<Delivery> log;
    for (const std::uint64_t number : numbers)
        log.push_back({number, 0});
    return log;
}

TEST(Sequencer, DeliversTheFirstCopyAndDropsTheTwin) {
    Bench bench;
    bench.a(10, 100), bench.b(10, 130), bench.b(11, 200), bench.a(11, 205), bench.a(12, 300);
    EXPECT_EQ(bench.out.log, delivered({10, 11, 12}));
    EXPECT_EQ(bench.count("A.wins"), 2u);
    EXPECT_EQ(bench.count("B.wins"), 1u);
    EXPECT_EQ(bench.count("A.twins"), 1u);
    EXPECT_EQ(bench.count("B.twins"), 1u);
    EXPECT_EQ(bench.count("A.packets"), 3u);
    EXPECT_EQ(bench.sequencer.line(0).lead_ns.count(), 1u);
    EXPECT_EQ(bench.sequencer.line(0).lead_ns.max(), 30u);
    EXPECT_EQ(bench.sequencer.line(1).lead_ns.max(), 5u);
}

TEST(Sequencer, LetsTheOtherLineFillAHole) {
    Bench bench;
    bench.a(1), bench.b(1), bench.a(4, 10), bench.b(2, 20), bench.b(3, 30), bench.b(4, 40), bench.a(5, 50);
    EXPECT_EQ(bench.out.log, delivered({1, 2, 3, 4, 5}));
    EXPECT_EQ(bench.count("holes"), 0u);
    EXPECT_EQ(bench.count("A.losses"), 2u);
    EXPECT_EQ(bench.count("B.losses"), 0u);
    EXPECT_EQ(bench.count("held"), 1u);
    EXPECT_EQ(bench.out.bad_bodies, 0u);
}

TEST(Sequencer, PutsOnesOwnLateComersInOrder) {
    Bench bench;
    bench.a(1), bench.a(3), bench.a(4), bench.a(2), bench.a(5);
    EXPECT_EQ(bench.out.log, delivered({1, 2, 3, 4, 5}));
    EXPECT_EQ(bench.count("A.losses"), 0u);
    EXPECT_EQ(bench.count("missing_packets"), 0u);
}

TEST(Sequencer, DeclaresAHoleWhenItsTimeIsOver) {
    Bench bench;
    bench.a(1, 0), bench.a(4, 1000);
    bench.b(1, 1100);  // exactly the window: not yet
    EXPECT_EQ(bench.out.log, delivered({1}));
    bench.b(1, 1101);
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 2}, {4, 0}}));
    EXPECT_EQ(bench.count("holes"), 1u);
    EXPECT_EQ(bench.count("missing_packets"), 2u);
    EXPECT_EQ(bench.count("A.losses"), 2u);
}

TEST(Sequencer, DeclaresAHoleWhenTheWindowIsFull) {
    Bench bench;  // reaches 8 numbers: 2 to 9 when 2 is due
    bench.a(1);
    for (std::uint64_t number = 3; number <= 9; ++number)
        bench.a(number);
    EXPECT_EQ(bench.out.log, delivered({1}));
    bench.a(10);
    EXPECT_EQ(bench.out.log,
              (std::vector<Delivery>{
                  {1, 0}, {2, 1}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0}, {10, 0}}));
}

TEST(Sequencer, DeclaresAFarJumpAsOneHole) {
    Bench bench;
    bench.a(1), bench.a(1'000'000'000'000);
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 999'999'999'998}, {1'000'000'000'000, 0}}));
}

TEST(Sequencer, OpensTheNextHolesWindowWithItsOwnPacket) {
    Bench bench;
    bench.a(1, 0), bench.a(3, 10), bench.a(5, 90);
    bench.b(1, 111);  // 2 is given up, 4 has been missing since 90 only
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}}));
    bench.b(1, 191);
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}, {4, 1}, {5, 0}}));
}

TEST(Sequencer, CountsCopiesOfGivenUpNumbersAsLate) {
    Bench bench;
    bench.a(1, 0), bench.a(3, 10), bench.a(4, 200), bench.b(2, 210), bench.b(2, 220), bench.b(3, 230);
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}, {4, 0}}));
    EXPECT_EQ(bench.count("B.late"), 2u);
    EXPECT_EQ(bench.count("B.twins"), 1u);
    EXPECT_EQ(bench.count("B.losses"), 0u);
    EXPECT_EQ(bench.count("A.losses"), 1u);
}

TEST(Sequencer, DeliversWhatItHoldsAtTheEnd) {
    Bench bench;
    bench.a(1), bench.a(3), bench.a(6);
    bench.finish();
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}, {4, 2}, {6, 0}}));
    EXPECT_FALSE(bench.sequencer.holds_packets());
}

TEST(Sequencer, GivesUpAtOnceForAPacketTooLongToHold) {
    Bench bench;
    bench.a(1), bench.a(3);
    const std::vector<std::byte> jumbo(Sequencer::slot_bytes + 1);
    Packet packet;
    packet.number = 5;
    packet.body = jumbo;
    bench.sequencer.on_packet(packet, bench.out);
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}, {4, 1}, {5, 0}}));
    EXPECT_EQ(bench.count("unholdable"), 1u);
}

TEST(Sequencer, FollowsAnAnnouncedRestartOnBothLines) {
    Bench bench;
    bench.out.restart_on = 13;
    for (std::uint64_t number = 11; number <= 13; ++number)
        bench.a(number), bench.b(number);
    // A is in the new loop before B has ended the old one.
    bench.a(1), bench.a(2);
    bench.b(1), bench.b(2), bench.b(3), bench.a(3);
    EXPECT_EQ(bench.out.log, delivered({11, 12, 13, 1, 2, 3}));
    EXPECT_EQ(bench.count("restarts"), 1u);
    EXPECT_EQ(bench.count("B.twins"), 5u);
    EXPECT_EQ(bench.count("B.losses"), 0u);
    EXPECT_EQ(bench.count("A.losses"), 0u);
    EXPECT_EQ(bench.count("holes"), 0u);
}

TEST(Sequencer, TakesALaggingLinesOldNumbersAsTwins) {
    Bench bench;
    bench.out.restart_on = 13;
    bench.a(11), bench.b(11), bench.a(12), bench.a(13), bench.a(1), bench.a(2);
    bench.b(12), bench.b(13), bench.b(1), bench.b(2), bench.b(3);
    EXPECT_EQ(bench.out.log, delivered({11, 12, 13, 1, 2, 3}));
    EXPECT_EQ(bench.count("B.twins"), 5u);
    EXPECT_EQ(bench.count("B.losses"), 0u);
    EXPECT_EQ(bench.count("holes"), 0u);
}

TEST(Sequencer, CountsTheLossesOfAnEndedLoop) {
    Bench bench;
    bench.out.restart_on = 5;
    bench.a(1), bench.b(1), bench.a(2), bench.a(3), bench.a(4), bench.b(4), bench.a(5);
    bench.a(1), bench.a(2), bench.b(2);  // B missed 2, 3 and 5 of the first loop, 1 of the second
    EXPECT_EQ(bench.count("B.losses"), 4u);
    EXPECT_EQ(bench.count("A.losses"), 0u);
}

TEST(Sequencer, NoticesAnUnannouncedRestart) {
    Bench bench;
    bench.a(5000), bench.a(5001);
    bench.a(1), bench.a(2), bench.a(3);
    EXPECT_TRUE(bench.out.restarts.empty());
    bench.a(4), bench.a(5);
    EXPECT_EQ(bench.out.restarts, (std::vector<std::uint64_t>{4}));
    EXPECT_EQ(bench.out.log, delivered({5000, 5001, 4, 5}));
    EXPECT_EQ(bench.count("restarts"), 1u);
}

TEST(Sequencer, DoesNotTakeALaggingTwinForARestart) {
    Bench bench({.window_packets = 8, .window_ns = 100});
    for (std::uint64_t number = 1; number <= 3000; ++number)
        bench.a(number);
    for (std::uint64_t number = 1; number <= 3000; ++number)
        bench.b(number);
    EXPECT_TRUE(bench.out.restarts.empty());
    EXPECT_EQ(bench.out.log.size(), 3000u);
    EXPECT_EQ(bench.count("B.twins"), 3000u);
}

TEST(Sequencer, DoesNotTakeADuplicatedBurstForARestart) {
    Bench bench;
    for (std::uint64_t number = 1; number <= 40; ++number)
        bench.a(number);
    for (std::uint64_t number = 10; number <= 40; ++number)
        bench.a(number);
    bench.a(41);
    EXPECT_TRUE(bench.out.restarts.empty());
    EXPECT_EQ(bench.out.log.size(), 41u);
}

TEST(Sequencer, MarksASilentLine) {
    Bench bench({.window_packets = 8, .window_ns = 100, .line_silence_ns = 1000});
    bench.a(1, 0), bench.b(1, 10), bench.a(2, 1000);
    EXPECT_FALSE(bench.sequencer.line(1).is_silent);
    bench.a(3, 1011), bench.a(4, 5000);
    EXPECT_TRUE(bench.sequencer.line(1).is_silent);
    EXPECT_EQ(bench.count("B.silences"), 1u);
    bench.b(4, 5001);
    EXPECT_FALSE(bench.sequencer.line(1).is_silent);
    EXPECT_FALSE(bench.sequencer.line(0).is_silent);
}

TEST(Sequencer, HasNoTwinToWaitForOnAChannelOfOneLine) {
    Bench bench({.window_packets = 8, .window_ns = 100, .line_silence_ns = 1000, .line_count = 1});
    bench.a(1, 0), bench.a(2, 1'000'000);
    EXPECT_EQ(bench.out.log, delivered({1, 2}));
}

SequencerSettings settings_with(std::uint32_t line_count, std::uint32_t reorder_packets) {
    return {.window_packets = 64,
            .window_ns = 1'000'000,
            .line_silence_ns = 1000,
            .line_count = line_count,
            .reorder_packets = reorder_packets};
}

TEST(Sequencer, DeclaresAHoleOnceBothLinesHavePassedIt) {
    Bench bench(settings_with(2, 2));
    bench.a(1), bench.b(1);
    bench.a(3), bench.a(4), bench.a(5);  // A has passed 2: three packets overtook it
    bench.b(3), bench.b(4);
    EXPECT_EQ(bench.out.log, delivered({1})) << "B may still bring it";
    bench.b(5);
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}, {4, 0}, {5, 0}}));
    EXPECT_EQ(bench.count("holes"), 1u);
    EXPECT_EQ(bench.count("missing_packets"), 1u);
    bench.a(6), bench.b(6);
    EXPECT_EQ(bench.out.log.back(), (Delivery{6, 0}));
}

TEST(Sequencer, WaitsForALineThatIsBehind) {
    Bench bench(settings_with(2, 2));
    bench.a(1), bench.b(1);
    for (std::uint64_t number = 3; number <= 20; ++number)
        bench.a(number);
    EXPECT_EQ(bench.out.log, delivered({1}));
    bench.b(2);
    EXPECT_EQ(bench.out.log.size(), 20u);
    EXPECT_EQ(bench.count("holes"), 0u);
}

TEST(Sequencer, WaitsNoLongerForASilentLine) {
    Bench bench(settings_with(2, 2));
    bench.a(1, 0), bench.b(1, 0);
    bench.a(3, 900), bench.a(4, 901), bench.a(5, 902);
    EXPECT_EQ(bench.out.log, delivered({1}));
    bench.a(6, 1001);  // B has been silent for longer than a line may
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}, {4, 0}, {5, 0}, {6, 0}}));
}

TEST(Sequencer, DeclaresAHoleOfALoneLineOnceItHasPassedIt) {
    Bench bench(settings_with(1, 2));
    bench.a(1), bench.a(3), bench.a(4);
    EXPECT_EQ(bench.out.log, delivered({1}));
    bench.a(5);
    EXPECT_EQ(bench.out.log, (std::vector<Delivery>{{1, 0}, {2, 1}, {3, 0}, {4, 0}, {5, 0}}));
}

TEST(Sequencer, CountsACopyThatComesTwiceAsOnePacketBehindAHole) {
    Bench bench(settings_with(1, 2));
    bench.a(1), bench.a(3), bench.a(3), bench.a(3), bench.a(4), bench.a(4);
    EXPECT_EQ(bench.out.log, delivered({1}));
}

TEST(Sequencer, AcceptsNumbersUpToTheLast) {
    Bench bench;
    const std::uint64_t last = ~std::uint64_t{0};
    bench.a(0), bench.a(1), bench.a(last - 1), bench.a(last);
    EXPECT_EQ(bench.out.log.back(), (Delivery{last, 0}));
}

struct Arriving {
    std::uint8_t copy;
    std::uint64_t number;
    std::uint64_t at_ns;
};

/// Both lines with loss, duplicates, reordering and a lag that may exceed the window.
std::vector<Arriving> hostile_arrivals(std::mt19937_64& random) {
    const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
    const int loss = static_cast<int>(random() % 30);
    const std::uint64_t first = 1 + random() % 1000;
    const std::uint64_t numbers = 20 + random() % 300;
    const std::uint64_t jitter_ns = 1 + random() % 400;
    std::vector<Arriving> all;
    for (const std::uint8_t copy : {std::uint8_t{0}, std::uint8_t{1}}) {
        const std::uint64_t lag_ns = random() % 300;
        for (std::uint64_t i = 0; i < numbers; ++i) {
            if (chance(loss)) continue;
            const std::uint64_t copies = chance(3) ? 2 : 1;
            for (std::uint64_t c = 0; c < copies; ++c)
                all.push_back({copy, first + i, i * 20 + lag_ns + random() % jitter_ns});
        }
        if (chance(20)) all.push_back({copy, first + numbers + random() % 50, numbers * 20});
    }
    std::ranges::stable_sort(all, {}, &Arriving::at_ns);
    return all;
}

TEST(Sequencer, AgreesWithItsPlainTwin) {
    const std::uint64_t rounds = test::at_level(400, 4'000, 100'000);
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        std::mt19937_64 random(seed);
        const std::uint32_t window_packets = 1u << random() % 8;
        const std::uint64_t window_ns = random() % 500;
        const std::uint64_t line_silence_ns = 50 + random() % 2000;
        const std::uint32_t line_count = random() % 4 == 0 ? 1 : 2;
        const auto reorder_packets = static_cast<std::uint32_t>(random() % 12);
        // Restarts are the clever part's alone: the twin has none, so a run of this length cannot occur.
        Bench bench({.window_packets = window_packets,
                     .window_ns = window_ns,
                     .line_silence_ns = line_silence_ns,
                     .line_count = line_count,
                     .reorder_packets = reorder_packets,
                     .restart_run = 1000,
                     .restart_run_near = 1000});
        test::SequencerTwin twin({window_packets, window_ns, line_silence_ns, line_count, reorder_packets});
        std::array<std::set<std::uint64_t>, 2> heard;
        for (const Arriving& arriving : hostile_arrivals(random)) {
            if (arriving.copy >= line_count) continue;
            bench.put(arriving.copy, arriving.number, arriving.at_ns);
            twin.on_packet(arriving.copy, arriving.number, arriving.at_ns);
            heard[arriving.copy].insert(arriving.number);
            ASSERT_EQ(bench.out.log.size(), twin.log.size()) << "seed " << seed;
        }
        bench.finish();
        twin.finish();
        ASSERT_EQ(bench.out.log, twin.log) << "seed " << seed;
        ASSERT_EQ(bench.out.bad_bodies, 0u) << "seed " << seed;
        for (std::size_t copy = 0; copy < 2; ++copy) {
            if (heard[copy].empty()) continue;
            const std::uint64_t span = *heard[copy].rbegin() - *heard[copy].begin() + 1;
            ASSERT_EQ(bench.sequencer.line(copy).losses.value(), span - heard[copy].size())
                << "seed " << seed;
        }
    }
}

TEST(Sequencer, DeclaresNothingEarlyWhileLinesReorderNoFurtherThanTheyMay) {
    const std::uint64_t rounds = test::at_level(300, 3'000, 50'000);
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        std::mt19937_64 random(seed);
        const auto reorder_packets = static_cast<std::uint32_t>(random() % 10);
        const std::uint32_t line_count = random() % 2 == 0 ? 1 : 2;
        Bench bench({.window_packets = 256,
                     .window_ns = 1'000'000'000,
                     .line_count = line_count,
                     .reorder_packets = reorder_packets,
                     .restart_run = 1000,
                     .restart_run_near = 1000});
        // Each line brings every number, none overtaken by more than it may: sorted by a place that is at
        // most so far behind its own.
        std::vector<std::pair<std::uint64_t, Arriving>> all;
        for (std::uint8_t copy = 0; copy < line_count; ++copy)
            for (std::uint64_t number = 1; number <= 200; ++number)
                all.push_back(
                    {number == 1 ? 0 : number + random() % (reorder_packets + 2), {copy, number, 0}});
        std::ranges::stable_sort(all, {}, [](const auto& item) { return item.first; });
        for (const auto& [place, arriving] : all)
            bench.put(arriving.copy, arriving.number, place);
        ASSERT_EQ(bench.count("holes"), 0u) << "seed " << seed;
        ASSERT_EQ(bench.out.log.size(), 200u) << "seed " << seed;
    }
}

TEST(Sequencer, AllocatesNothingAfterItIsMade) {
    Bench bench({.window_packets = 64, .window_ns = 50});
    std::mt19937_64 random(7);
    const std::vector<Arriving> arrivals = hostile_arrivals(random);
    test::AllocationGuard guard;
    for (const Arriving& arriving : arrivals)
        bench.put(arriving.copy, arriving.number, arriving.at_ns);
    bench.finish();
    EXPECT_EQ(guard.count(), 0u);
}

}  // namespace
}  // namespace tickpath::feed
