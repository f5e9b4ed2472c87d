// A port without a device: packets of the made-up market until enough were given. Notes what its thread did
// meanwhile.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/path/market.h"
#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/model/frame.h"
#include "dataplane/port/port.h"
#include "tests/support/allocation_guard.h"
#include "tests/support/lock_counter.h"

namespace tickpath::pipeline::test {

/// What a thread asked of the system between two moments.
struct ThreadCosts {
    std::uint64_t allocations = 0;
    std::uint64_t locks = 0;
    std::uint64_t minor_faults = 0;

    [[nodiscard]] static ThreadCosts now() noexcept {
        return {.allocations = tickpath::test::AllocationGuard::thread_total(),
                .locks = tickpath::test::locks_taken_by_this_thread(),
                .minor_faults = core::thread_faults().minor_faults};
    }
    friend ThreadCosts operator-(const ThreadCosts& a, const ThreadCosts& b) noexcept {
        return {a.allocations - b.allocations, a.locks - b.locks, a.minor_faults - b.minor_faults};
    }
};

/// Costs of whole threads that poll no market: of the trade thread in the split layout.
class TradeThreadCosts {
public:
    static void enter() noexcept { at_start_ = ThreadCosts::now(); }
    static void leave() noexcept {
        if (!polls_market) total_ = ThreadCosts::now() - at_start_;
    }
    [[nodiscard]] static const ThreadCosts& total() noexcept { return total_; }

    static inline thread_local bool polls_market = false;

private:
    static inline thread_local ThreadCosts at_start_;
    static inline ThreadCosts total_;  // written by the one trade thread before it is joined
};

class MarketPort {
public:
    explicit MarketPort(std::uint64_t packets_wanted) : packets_wanted_(packets_wanted) {
        market_.make_books();
        packets_wanted_ += market_.frames().size();
    }

    /// The first burst after a batch is made is not the path's doing: costs are noted from burst to burst
    /// only.
    [[nodiscard]] std::size_t rx_burst(std::uint16_t, std::span<model::Frame> out) noexcept {
        note_costs();
        TradeThreadCosts::polls_market = true;
        if (given_in_batch_ == market_.frames().size()) next_batch();
        const std::size_t left = market_.frames().size() - given_in_batch_;
        const std::size_t count = std::min({left, out.size(), port::burst_frames_max});
        const std::uint64_t now_cycles = core::cycles_now();
        for (std::size_t i = 0; i < count; ++i) {
            out[i] = market_.frames()[given_in_batch_ + i];
            out[i].rx_cycles = now_cycles;
            out[i].rx_time = {now_cycles, model::TimeDomain::cycles};
            out[i].frame_number = given_++;
        }
        given_in_batch_ += count;
        costs_before_ = ThreadCosts::now();
        is_out_ = count != 0;
        return count;
    }
    void release(std::uint16_t) noexcept {}
    [[nodiscard]] bool finished() const noexcept { return given_ == packets_wanted_; }
    [[nodiscard]] std::uint16_t queue_count() const noexcept { return 1; }

    [[nodiscard]] const ThreadCosts& costs() const noexcept { return costs_; }
    [[nodiscard]] std::uint64_t orders_expected() const noexcept { return orders_expected_; }

private:
    void note_costs() noexcept {
        if (!is_out_) return;
        const ThreadCosts since = ThreadCosts::now() - costs_before_;
        costs_.allocations += since.allocations;
        costs_.locks += since.locks;
        costs_.minor_faults += since.minor_faults;
        is_out_ = false;
    }

    void next_batch() noexcept {
        const std::uint64_t left = packets_wanted_ - given_;
        if (left == 0) return;
        market_.make_subscribed(
            static_cast<std::size_t>(std::min<std::uint64_t>(left, bench::Market::batch_max)));
        orders_expected_ += market_.expected().size();
        given_in_batch_ = 0;
    }

    bench::Market market_;
    std::uint64_t packets_wanted_;
    std::uint64_t given_ = 0;
    std::size_t given_in_batch_ = 0;
    std::uint64_t orders_expected_ =
        bench::Market::known_count;  // the first best bid of each is one to sell to
    bool is_out_ = false;
    ThreadCosts costs_before_;
    ThreadCosts costs_;
};
static_assert(port::Port<MarketPort>);

}  // namespace tickpath::pipeline::test
