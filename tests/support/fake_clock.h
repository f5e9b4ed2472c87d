// A clock that moves only when a test says so.
#pragma once

#include <cstdint>

namespace tickpath::test {

struct FakeClock {
    std::uint64_t monotonic_ns = 1'000'000'000'000;
    std::uint64_t utc_ns = 1'767'607'200'000'000'000;  ///< 2026-01-05 10:00:00 UTC

    void advance_ms(std::uint64_t ms) noexcept {
        monotonic_ns += ms * 1'000'000;
        utc_ns += ms * 1'000'000;
    }
};

}  // namespace tickpath::test
