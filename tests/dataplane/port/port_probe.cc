// A process of its own around one Environment, because DPDK starts once per process. Run by the port tests:
// opens ports, polls all, prints what came at the first, one line per frame and one at the end.
//
//     port_probe [--mode M] [--pace P] [--frames N] [--seconds S] [--ring N] [--join GROUP]… [--twice]
//     [--echo N]
//                [--quiet] DEVICE…
//
// First "up …", "filter …" and "can …", at the end "stat NAME VALUE" for what the driver counted.
// Frame line: "frame NUMBER TIME DOMAIN SIZE TAILROOM CHECKSUM". Last line: "end frames=… finished=…
// elapsed_ms=…". Findings go to stderr. Exits 3 when the ports do not come up.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/port/dpdk_port.h"
#include "dataplane/port/membership.h"
#include "decoders/net/checksum.h"
#include "tests/support/allocation_guard.h"

namespace tickpath::port {
namespace {

struct Wishes {
    std::vector<PortSettings> ports;
    std::vector<net::MulticastGroup> groups;
    std::uint64_t frames_max = ~std::uint64_t{0};
    double seconds_max = 10;
    unsigned echo_count = 0;
    bool is_twice = false;
    bool is_quiet = false;
};

Wishes parse(int argc, char** argv) {
    Wishes wishes;
    PortSettings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto next = [&] { return std::string(argv[++i]); };
        if (word == "--mode") {
            settings.mode = next();
        } else if (word == "--pace") {
            settings.pace = next();
        } else if (word == "--extra") {
            settings.eal_extra = next();
        } else if (word == "--times") {
            settings.replay_times_max = std::stoull(next());
        } else if (word == "--ring") {
            settings.ring_frames = static_cast<std::uint32_t>(std::stoul(next()));
        } else if (word == "--queues") {
            settings.queue_count = static_cast<std::uint16_t>(std::stoul(next()));
        } else if (word == "--frames") {
            wishes.frames_max = std::stoull(next());
        } else if (word == "--seconds") {
            wishes.seconds_max = std::stod(next());
        } else if (word == "--echo") {
            wishes.echo_count = static_cast<unsigned>(std::stoul(next()));
        } else if (word == "--join") {
            std::string why_not;
            wishes.groups.push_back(net::parse_group(next(), why_not).value());
        } else if (word == "--twice") {
            wishes.is_twice = true;
        } else if (word == "--quiet") {
            wishes.is_quiet = true;
        } else {
            settings.name = "p" + std::to_string(wishes.ports.size());
            settings.device = word;
            wishes.ports.push_back(settings);
        }
    }
    return wishes;
}

void print(const model::Frame& frame) {
    const std::span<const std::byte> bytes(frame.data, frame.size_bytes);
    std::printf("frame %llu %llu %s %u %u %u\n", static_cast<unsigned long long>(frame.frame_number),
                static_cast<unsigned long long>(frame.rx_time.value), name(frame.rx_time.domain).data(),
                frame.size_bytes, frame.tailroom_bytes, net::checksum_of(net::checksum_add(0, bytes)));
}

// The bytes that --echo sends: a minimum frame whose last byte counts.
std::array<std::byte, 60> echo_frame(unsigned number) {
    std::array<std::byte, 60> frame{};
    frame.back() = static_cast<std::byte>(number);
    return frame;
}

int run(const Wishes& wishes) {
    Diagnostics diagnostics;
    auto environment = Environment::open(wishes.ports, diagnostics);
    if (wishes.is_twice) {
        environment.reset();
        environment = Environment::open(wishes.ports, diagnostics);
    }
    std::fputs(diagnostics.format().c_str(), stderr);
    if (!environment) return 3;
    DpdkPort& port = environment->port(0);
    const PortFacts& facts = port.facts();
    const auto membership =
        Membership::join(facts.interface, wishes.groups, wishes.ports[0].name, diagnostics);
    std::printf("up driver=%s mac=%s ring_frames=%u replay_frames=%llu frame_times=%d joined=%zu\n",
                facts.driver.c_str(), to_text(facts.mac).c_str(), facts.ring_frames,
                static_cast<unsigned long long>(facts.replay_frames), facts.has_frame_times,
                membership.group_count());
    std::printf("filter %s\n", to_text(port.let_in(wishes.groups)).c_str());
    std::printf("can %s\n", to_text(facts.capabilities).c_str());
    std::fflush(stdout);

    core::CounterPage page = core::CounterPage::anonymous(64);
    port.count_into(page, 0, "p0");
    for (unsigned i = 0; i < wishes.echo_count; ++i)
        if (port.tx(echo_frame(i)) == 0) std::fputs("echo: not sent\n", stderr);

    const auto clock = core::CycleClock::calibrate(5);
    const std::uint64_t start = core::cycles_now();
    const std::uint64_t until = start + clock.to_cycles(static_cast<std::uint64_t>(wishes.seconds_max * 1e9));
    std::array<model::Frame, burst_frames_max> frames;
    std::uint64_t received = 0;
    const std::uint64_t allocations = test::AllocationGuard::thread_total();
    while (!port.finished() && received < wishes.frames_max && core::cycles_now() < until) {
        const std::size_t count = port.rx_burst(0, frames);
        for (std::size_t i = 0; i < count && !wishes.is_quiet; ++i)
            print(frames[i]);
        received += count;
        port.release(0);
        for (std::size_t other = 1; other < environment->port_count(); ++other) {
            (void)environment->port(other).rx_burst(0, frames);
            environment->port(other).release(0);
        }
    }
    const auto print_statistics = [&] {
        for (const ExtendedStat& stat : port.extended_stats())
            std::printf("stat %s %llu\n", stat.name.c_str(), static_cast<unsigned long long>(stat.value));
    };
    const std::uint64_t allocated = test::AllocationGuard::thread_total() - allocations;
    const double elapsed_ms = static_cast<double>(clock.to_ns(core::cycles_now() - start)) / 1e6;
    print_statistics();
    std::printf(
        "end frames=%llu finished=%d elapsed_ms=%.1f rx_frames=%llu rx_bytes=%llu multi_segment=%llu "
        "missing=%llu allocations=%llu\n",
        static_cast<unsigned long long>(received), port.finished(), elapsed_ms,
        static_cast<unsigned long long>(page.value("p0.rx_frames")),
        static_cast<unsigned long long>(page.value("p0.rx_bytes")),
        static_cast<unsigned long long>(page.value("p0.rx_multi_segment")),
        static_cast<unsigned long long>(page.value("p0.rx_replay_missing")),
        static_cast<unsigned long long>(allocated));
    return 0;
}

}  // namespace
}  // namespace tickpath::port

int main(int argc, char** argv) {
    return tickpath::port::run(tickpath::port::parse(argc, argv));
}
