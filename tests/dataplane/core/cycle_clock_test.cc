#include "dataplane/core/cycle_clock.h"

#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

namespace tickpath::core {
namespace {

TEST(CycleClock, ConvertsAtAKnownRate) {
    constexpr CycleClock clock(0.5, 1000, 1'700'000'000'000'000'000u);  // 2 GHz
    EXPECT_EQ(clock.to_ns(2000), 1000u);
    EXPECT_EQ(clock.to_cycles(1000), 2000u);
    EXPECT_EQ(clock.to_realtime_ns(1000), 1'700'000'000'000'000'000u);
    EXPECT_EQ(clock.to_realtime_ns(3000), 1'700'000'000'000'001'000u);
}

TEST(CycleClock, ConvertsMomentsBeforeItsOrigin) {
    constexpr CycleClock clock(0.5, 1000, 1'700'000'000'000'000'000u);
    EXPECT_EQ(clock.to_realtime_ns(0), 1'700'000'000'000'000'000u - 500u);
}

TEST(CycleClock, KeepsNanosecondsOverDays) {
    // Late in a day the count itself is beyond a double's whole numbers only after 2^53 cycles, about 40
    // days.
    constexpr CycleClock clock(1.0, 0, 0);
    constexpr std::uint64_t two_days = 2ull * 86'400 * 1'000'000'000;
    EXPECT_EQ(clock.to_ns(two_days + 1), two_days + 1);
}

TEST(CycleClock, TakesUtcFromItsLastAnchorAndLeavesDurationsAlone) {
    CycleClock clock(0.5, 1000, 1'700'000'000'000'000'000u);
    clock.anchor({.cycles = 5000, .realtime_ns = 1'600'000'000'000'000'000u});
    EXPECT_EQ(clock.to_realtime_ns(5000), 1'600'000'000'000'000'000u);
    EXPECT_EQ(clock.to_realtime_ns(7000), 1'600'000'000'000'001'000u);
    EXPECT_EQ(clock.to_realtime_ns(4000), 1'599'999'999'999'999'500u);
    EXPECT_EQ(clock.to_ns(2000), 1000u);
}

TEST(CycleClock, ReadsUtcAndCounterAtOneMoment) {
    const CycleClock clock = CycleClock::calibrate();
    for (int i = 0; i < 20; ++i) {
        const std::uint64_t before = cycles_now();
        const UtcReading reading = read_utc();
        EXPECT_GE(reading.cycles, before);
        EXPECT_LE(reading.cycles, cycles_now());
        // 1 ms: NTP may slew meanwhile, and all five tries may be interrupted.
        EXPECT_NEAR(static_cast<double>(reading.realtime_ns),
                    static_cast<double>(clock.to_realtime_ns(reading.cycles)), 1e6);
    }
}

TEST(CycleClock, CountsUpwards) {
    std::uint64_t last = cycles_now();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = cycles_now();
        EXPECT_GE(now, last);
        last = now;
    }
}

TEST(CycleClock, CalibratedAgreesWithTheSystemClocks) {
    using namespace std::chrono;
    const CycleClock clock = CycleClock::calibrate();
    const auto start = steady_clock::now();
    const std::uint64_t start_cycles = cycles_now();
    while (steady_clock::now() - start < milliseconds(20)) {
    }
    const auto elapsed_ns =
        static_cast<double>(duration_cast<nanoseconds>(steady_clock::now() - start).count());
    const auto counted_ns = static_cast<double>(clock.to_ns(cycles_now() - start_cycles));
    // Shared machines stall for milliseconds between the two reads; a wrong rate is off by far more.
    EXPECT_NEAR(counted_ns / elapsed_ns, 1.0, 0.2);
    const auto system_ns = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
    EXPECT_NEAR(static_cast<double>(clock.to_realtime_ns(cycles_now())), static_cast<double>(system_ns),
                50e6);
}

}  // namespace
}  // namespace tickpath::core
