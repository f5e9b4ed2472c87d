// fast/decode/threads/N: N decoders on N threads share one set of templates. One iteration is one packet of
// any of them; cpu_time is the first thread's share, packets_per_s what all do together.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/micro/fast_packets.h"
#include "bench/micro/fast_refresh.h"

namespace tickpath::bench {
namespace {

constexpr std::size_t packets_per_round = 1 << 17;  // some 15 ms, beside which starting a thread is nothing
constexpr std::size_t varied_count = 2'048;

/// Whether all packets decoded to their checksums.
bool decode_round(RefreshReader& reader, const std::vector<RefreshPacket>& packets) noexcept {
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < packets_per_round; ++i) {
        const RefreshPacket& packet = packets[i % varied_count];
        wrong |= reader.checksum(packet) ^ packet.checksum;
    }
    return wrong == 0;
}

void decode_on(benchmark::State& state, unsigned thread_count) {
    const auto templates = refresh_templates(Tier::generated);
    struct Worker {
        RefreshReader reader;
        std::vector<RefreshPacket> packets = varied_full_packets(varied_count);
        bool is_right = false;
    };
    std::vector<Worker> workers;
    for (unsigned i = 0; i < thread_count; ++i)
        workers.push_back({.reader = RefreshReader(templates)});

    const auto start = std::chrono::steady_clock::now();
    std::uint64_t packets = 0;
    while (state.KeepRunningBatch(static_cast<std::int64_t>(thread_count * packets_per_round))) {
        std::vector<std::thread> threads;
        for (unsigned i = 1; i < thread_count; ++i)
            threads.emplace_back(
                [&worker = workers[i]] { worker.is_right = decode_round(worker.reader, worker.packets); });
        workers[0].is_right = decode_round(workers[0].reader, workers[0].packets);
        for (std::thread& thread : threads)
            thread.join();
        packets += thread_count * packets_per_round;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (!std::all_of(workers.begin(), workers.end(), [](const Worker& worker) { return worker.is_right; })) {
        std::cerr << "fast/decode/threads: a packet decodes to a wrong checksum\n";
        std::exit(1);
    }
    state.counters["packets_per_s"] = static_cast<double>(packets) / took.count();
}

const int registered = [] {
    for (unsigned count = 1; count <= std::max(1u, std::thread::hardware_concurrency()); ++count)
        benchmark::RegisterBenchmark(("fast/decode/threads/" + std::to_string(count)).c_str(),
                                     [count](benchmark::State& state) { decode_on(state, count); });
    return 0;
}();

}  // namespace
}  // namespace tickpath::bench
