// fast-instructions runtime|generated|floor COUNT: decodes the fastfix packet COUNT times for callgrind,
// which counts inside fast_instructions_toggle only. Run by `scripts/bench --instructions fast`.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "bench/micro/fast_refresh.h"

namespace tickpath::bench {
namespace {

template <class Reader>
[[gnu::noinline]] void fast_instructions_toggle(Reader& reader, RefreshPacket& packet, long count,
                                                std::int64_t& sum) {
    for (long i = 0; i < count; ++i)
        sum += reader.checksum(packet);
}

template <class Reader>
int decode(Reader reader, long count) {
    RefreshPacket packet = fastfix_packet();
    std::int64_t sum = reader.checksum(packet);  // once outside: first pages, lazy binding
    fast_instructions_toggle(reader, packet, count, sum);
    if (sum == packet.checksum * (count + 1)) return EXIT_SUCCESS;
    std::cerr << "fast-instructions: the packet decodes to a wrong checksum\n";
    return EXIT_FAILURE;
}

int run(std::string_view tier, long count) {
    if (tier == "runtime") return decode(RefreshReader(Tier::runtime), count);
    if (tier == "generated") return decode(RefreshReader(Tier::generated), count);
    if (tier == "floor") return decode(FloorReader(), count);
    std::cerr << "usage: fast-instructions runtime|generated|floor COUNT\n";
    return 2;
}

}  // namespace
}  // namespace tickpath::bench

int main(int argc, char** argv) {
    return tickpath::bench::run(argc > 1 ? argv[1] : "", argc > 2 ? std::atol(argv[2]) : 1);
}
