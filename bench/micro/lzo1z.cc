// lzo1z/*: one iteration decompresses (or compresses) one block. liblzo2 is looked for at run time and never
// linked; its cases are left out when it is not there.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/micro/lzo1z_blocks.h"
#include "decoders/lzo1z/compress.h"
#include "decoders/lzo1z/decompress.h"
#include "tests/support/liblzo2.h"

namespace tickpath::bench {
namespace {

using Octets = std::vector<std::uint8_t>;

// The output holds the largest message with slack, and every run writes to the same place, as a stage's arena
// would.
constexpr std::size_t arena_bytes = 64 * 1'024;

/// Runs `decompress(packed, out)` over the blocks, where `out` is the raw size and `slack` more. Returned
/// sizes are checked, before timing the bytes too.
template <class Decompress>
void run(benchmark::State& state, const std::string& workload, std::size_t slack, Decompress decompress) {
    const std::vector<Block>& blocks = lzo1z_blocks(workload);
    Octets arena(arena_bytes);
    for (const Block& block : blocks) {
        const std::span<std::uint8_t> out(arena.data(), block.raw.size() + slack);
        if (decompress(block.packed, out) != block.raw.size() ||
            !std::equal(block.raw.begin(), block.raw.end(), arena.begin())) {
            std::cerr << "lzo1z: a block of " << workload << " comes back wrong\n";
            std::exit(1);
        }
    }
    std::size_t at = 0;
    for (auto _ : state) {
        const Block& block = blocks[at];
        at = at + 1 < blocks.size() ? at + 1 : 0;
        benchmark::DoNotOptimize(
            decompress(block.packed, std::span<std::uint8_t>(arena.data(), block.raw.size() + slack)));
    }
    std::size_t raw = 0, packed = 0;
    for (const Block& block : blocks) {
        raw += block.raw.size();
        packed += block.packed.size();
    }
    state.counters["ratio"] = static_cast<double>(raw) / static_cast<double>(packed);
    state.counters["blocks"] = static_cast<double>(blocks.size());
}

std::size_t ours(std::span<const std::uint8_t> packed, std::span<std::uint8_t> out) {
    return lzo1z::decompress(std::as_bytes(packed), std::as_writable_bytes(out)).written;
}

void compress(benchmark::State& state, lzo1z::Level level) {
    const std::vector<Block>& blocks = lzo1z_blocks("nse_478");
    lzo1z::Workspace workspace;
    Octets out(lzo1z::max_compressed_size(478));
    Octets back(478);
    for (const Block& block : blocks) {
        const std::size_t size = lzo1z::compress(std::as_bytes(std::span(block.raw)),
                                                 std::as_writable_bytes(std::span(out)), workspace, level)
                                     .written;
        if (ours(std::span(out).first(size), back) != block.raw.size() || back != block.raw) {
            std::cerr << "lzo1z: a compressed block does not come back\n";
            std::exit(1);
        }
    }
    std::size_t at = 0, raw = 0, packed = 0;
    for (auto _ : state) {
        const Block& block = blocks[at];
        at = at + 1 < blocks.size() ? at + 1 : 0;
        packed += lzo1z::compress(std::as_bytes(std::span(block.raw)), std::as_writable_bytes(std::span(out)),
                                  workspace, level)
                      .written;
        raw += block.raw.size();
    }
    state.counters["ratio"] = static_cast<double>(raw) / static_cast<double>(packed);
}

const bool is_registered = [] {
    static const std::optional<test::Liblzo2> library = test::Liblzo2::open();
    const auto name = [](const char* what, const std::string& workload) {
        return "lzo1z/" + std::string(what) + "/" + workload;
    };
    for (const std::string workload : {"nse_478", "nse_264", "nse_120", "text", "records", "large"}) {
        const auto add = [&](const char* what, std::size_t slack, auto decompress) {
            benchmark::RegisterBenchmark(name(what, workload).c_str(), [=](benchmark::State& state) {
                run(state, workload, slack, decompress);
            });
        };
        add("decompress", lzo1z::output_slack_bytes, ours);
        add("decompress_exact", 0, ours);
        if (!library) continue;
        add("liblzo2_safe", 0, [](std::span<const std::uint8_t> packed, std::span<std::uint8_t> out) {
            return library->decompress_safe(packed, out);
        });
        add("liblzo2_unchecked", 0, [](std::span<const std::uint8_t> packed, std::span<std::uint8_t> out) {
            return library->decompress_unchecked(packed, out);
        });
    }
    benchmark::RegisterBenchmark("lzo1z/compress/nse_478/fast",
                                 [](benchmark::State& state) { compress(state, lzo1z::Level::fast); });
    benchmark::RegisterBenchmark("lzo1z/compress/nse_478/small",
                                 [](benchmark::State& state) { compress(state, lzo1z::Level::small); });
    return true;
}();

}  // namespace
}  // namespace tickpath::bench
