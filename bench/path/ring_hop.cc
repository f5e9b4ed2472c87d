// What a hop through a TickRing costs, next to the floor: a bare ping-pong of as many cache lines between the
// same two CPUs in the same run. Batches of the three alternate, so that whatever disturbs the machine
// disturbs all; medians over batches. A hop is half a round trip with one value in flight.
//
//     build/bench/ring-hop [--json]
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "dataplane/core/cache_line.h"
#include "dataplane/core/cpu.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/model/rings.h"

namespace tickpath::bench {
namespace {

constexpr std::size_t batch_count = 301;
constexpr std::uint64_t round_trips = 400;  // per batch: about 0.2 ms, so that most batches are left alone
constexpr std::size_t ring_slots = 1024;

/// Bare lines that one side writes and the other polls. `Lines` - 1 lines of payload beside the one with the
/// sequence.
template <std::size_t Lines>
class BareLines {
public:
    void send(std::uint64_t number) noexcept {
        for (std::size_t i = 0; i < words_.size(); ++i)
            words_[i] = number;
        sequence_.store(number, std::memory_order_release);
    }
    /// Waits for `number`; returns whether its payload was whole.
    [[nodiscard]] bool receive(std::uint64_t number) const noexcept {
        while (sequence_.load(std::memory_order_acquire) != number) {
        }
        bool is_whole = true;
        for (const std::uint64_t word : words_)
            is_whole = is_whole && word == number;
        return is_whole;
    }

private:
    static constexpr std::size_t words_per_line = core::cache_line_bytes / sizeof(std::uint64_t);
    alignas(core::cache_line_bytes) std::atomic<std::uint64_t> sequence_{0};
    std::array<std::uint64_t, Lines * words_per_line - 1> words_{};
};
static_assert(sizeof(BareLines<2>) == model::TickRing::slot_bytes());

/// The ring with the same face.
class RingLines {
public:
    void send(std::uint64_t number) noexcept {
        model::Tick* slot = nullptr;
        while ((slot = ring_.claim()) == nullptr) {
        }
        tick_.rx_cycles = number;
        tick_.price = static_cast<std::int64_t>(number);
        tick_.frame_number = number;
        *slot = tick_;
        ring_.publish();
    }
    [[nodiscard]] bool receive(std::uint64_t number) noexcept {
        const model::Tick* slot = nullptr;
        while ((slot = ring_.front()) == nullptr) {
        }
        const bool is_whole = slot->rx_cycles == number && slot->price == static_cast<std::int64_t>(number) &&
                              slot->frame_number == number;
        ring_.pop();
        return is_whole;
    }

private:
    model::TickRing ring_{ring_slots};
    alignas(core::cache_line_bytes) model::Tick tick_;  // of the sender
};

/// One direction each.
template <class Lines>
struct Pair {
    Lines out, back;
    std::uint64_t next = 1;  // number of the next value; each side counts its own
    std::uint64_t next_of_echo = 1;
};

struct Channels {
    Pair<BareLines<1>> one_line;
    Pair<BareLines<2>> two_lines;
    Pair<RingLines> ring;
    std::atomic<std::uint64_t> torn{0};
};

template <class Lines>
void echo_batch(Pair<Lines>& pair, std::atomic<std::uint64_t>& torn) {
    for (std::uint64_t i = 0; i < round_trips; ++i, ++pair.next_of_echo) {
        if (!pair.out.receive(pair.next_of_echo)) torn.fetch_add(1, std::memory_order_relaxed);
        pair.back.send(pair.next_of_echo);
    }
}

/// Cycles of one hop, on average over the batch.
template <class Lines>
double ping_batch(Pair<Lines>& pair, std::atomic<std::uint64_t>& torn) {
    const std::uint64_t start = core::cycles_now();
    for (std::uint64_t i = 0; i < round_trips; ++i, ++pair.next) {
        pair.out.send(pair.next);
        if (!pair.back.receive(pair.next)) torn.fetch_add(1, std::memory_order_relaxed);
    }
    return static_cast<double>(core::cycles_now() - start) / (2.0 * static_cast<double>(round_trips));
}

struct Spread {
    double p25_ns, median_ns, p75_ns;
};

Spread spread_of(std::vector<double> cycles, const core::CycleClock& clock) {
    std::sort(cycles.begin(), cycles.end());
    const auto at = [&](std::size_t quarter) {
        constexpr double thousand = 1000.0;  // to_ns counts whole nanoseconds
        return static_cast<double>(
                   clock.to_ns(static_cast<std::uint64_t>(cycles[cycles.size() * quarter / 4] * thousand))) /
               thousand;
    };
    return {at(1), at(2), at(3)};
}

struct Results {
    std::vector<double> one_line, two_lines, ring;  // cycles per hop, one entry per batch
};

Results measure(Channels& channels, unsigned here, unsigned there) {
    std::thread echo([&] {
        (void)core::pin_to(there);
        for (std::size_t batch = 0; batch < batch_count; ++batch) {
            echo_batch(channels.one_line, channels.torn);
            echo_batch(channels.two_lines, channels.torn);
            echo_batch(channels.ring, channels.torn);
        }
    });
    (void)core::pin_to(here);
    Results results;
    for (std::size_t batch = 0; batch < batch_count; ++batch) {
        results.one_line.push_back(ping_batch(channels.one_line, channels.torn));
        results.two_lines.push_back(ping_batch(channels.two_lines, channels.torn));
        results.ring.push_back(ping_batch(channels.ring, channels.torn));
    }
    echo.join();
    return results;
}

void print_row(const char* name, const Spread& spread) {
    std::printf("%-22s %8.1f ns   (quartiles %.1f to %.1f)\n", name, spread.median_ns, spread.p25_ns,
                spread.p75_ns);
}

int run(bool is_json) {
    const std::vector<unsigned> cpus = core::allowed_cpus();
    if (cpus.size() < 2) {
        std::fputs("ring-hop: needs two CPUs, this process may use one\n", stderr);
        return 1;
    }
    const auto clock = core::CycleClock::calibrate(50);
    const auto channels = std::make_unique<Channels>();
    const Results results = measure(*channels, cpus[0], cpus[1]);
    if (channels->torn.load() != 0) {
        std::fputs("ring-hop: a value arrived torn; the times mean nothing\n", stderr);
        return 1;
    }
    const Spread one_line = spread_of(results.one_line, clock);
    const Spread two_lines = spread_of(results.two_lines, clock);
    const Spread hop = spread_of(results.ring, clock);
    if (is_json) {
        std::printf("{\"ping_pong_ns\":%.1f,\"one_line_ping_pong_ns\":%.1f,\"hop_ns\":%.1f}\n",
                    two_lines.median_ns, one_line.median_ns, hop.median_ns);
        return 0;
    }
    std::printf("CPU %u to CPU %u, median of %zu batches of %llu round trips\n", cpus[0], cpus[1],
                batch_count, static_cast<unsigned long long>(round_trips));
    print_row("ping-pong, one line", one_line);
    print_row("ping-pong, two lines", two_lines);
    print_row("hop through TickRing", hop);
    std::printf("hop / two lines        %8.3f\n", hop.median_ns / two_lines.median_ns);
    return 0;
}

}  // namespace
}  // namespace tickpath::bench

int main(int argc, char** argv) {
    const bool is_json = argc == 2 && std::string_view(argv[1]) == "--json";
    if (argc > 1 && !is_json) {
        std::fputs("usage: ring-hop [--json]\n", stderr);
        return 2;
    }
    return tickpath::bench::run(is_json);
}
