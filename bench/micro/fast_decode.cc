// fast/decode/*: one iteration decodes one packet, dictionaries reset, and reads every price and size back.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/micro/fast_packets.h"
#include "bench/micro/fast_refresh.h"

namespace tickpath::bench {
namespace {

using Packets = std::vector<RefreshPacket>;

template <class Reader>
void run(benchmark::State& state, Reader reader, Packets packets) {
    for (RefreshPacket& packet : packets) {
        if (reader.checksum(packet) == packet.checksum) continue;
        std::cerr << "fast/decode: a packet decodes to a wrong checksum\n";
        std::exit(1);
    }
    std::size_t next = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(reader.checksum(packets[next]));
        next = next + 1 == packets.size() ? 0 : next + 1;
    }
}

void register_tiers(const std::string& workload, Packets (*make)()) {
    const std::string name = "fast/decode/" + workload;
    benchmark::RegisterBenchmark((name + "/floor").c_str(),
                                 [make](benchmark::State& state) { run(state, FloorReader(), make()); });
    benchmark::RegisterBenchmark((name + "/runtime").c_str(), [make](benchmark::State& state) {
        run(state, RefreshReader(Tier::runtime), make());
    });
    benchmark::RegisterBenchmark((name + "/generated").c_str(), [make](benchmark::State& state) {
        run(state, RefreshReader(Tier::generated), make());
    });
}

constexpr std::size_t varied_count = 2'048;  // more than branch predictors remember

const int registered = [] {
    register_tiers("fastfix_packet", [] { return Packets{fastfix_packet()}; });
    register_tiers("varied_full", [] { return varied_full_packets(varied_count); });
    register_tiers("varied_compressed", [] { return varied_compressed_packets(varied_count); });
    return 0;
}();

}  // namespace
}  // namespace tickpath::bench
