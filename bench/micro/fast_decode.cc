// fast/decode/*: one iteration decodes one packet, dictionaries reset, and reads every price and size back.
#include <cstdlib>
#include <iostream>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/micro/fast_packets.h"
#include "decoders/fast/decoder.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::bench {
namespace {

class RefreshReader {
public:
    RefreshReader() : decoder_(load(), {.reset = fast::ResetRule::datagram}) {
        const fast::Template& tmpl = decoder_.templates().all().front();
        entries_ = *tmpl.field("Entries");
        price_ = *tmpl.field("Entries/Price");
        size_ = *tmpl.field("Entries/Size");
    }

    [[nodiscard]] std::int64_t checksum(const RefreshPacket& packet) noexcept {
        const std::span<const std::byte> bytes(packet.buffer.data(), packet.size_bytes);
        decoder_.begin(bytes, packet.buffer.size() - packet.size_bytes);
        std::int64_t sum = 0;
        while (decoder_.next())
            for (const fast::Row entry : decoder_.message().root().rows(entries_))
                sum += entry.decimal(price_).mantissa * entry.i64(size_);
        return sum;
    }

private:
    static std::shared_ptr<const fast::Templates> load() {
        Diagnostics diagnostics;
        return fast::load_templates(refresh_template_xml, "refresh", diagnostics);
    }
    fast::Decoder decoder_;
    fast::FieldRef entries_;
    fast::FieldRef price_;
    fast::FieldRef size_;
};

void run(benchmark::State& state, const std::vector<RefreshPacket>& packets) {
    RefreshReader reader;
    for (const RefreshPacket& packet : packets) {
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

constexpr std::size_t varied_count = 2'048;  // more than branch predictors remember

const int registered = [] {
    benchmark::RegisterBenchmark("fast/decode/fastfix_packet/runtime",
                                 [](benchmark::State& state) { run(state, {fastfix_packet()}); });
    benchmark::RegisterBenchmark("fast/decode/varied_full/runtime", [](benchmark::State& state) {
        run(state, varied_full_packets(varied_count));
    });
    benchmark::RegisterBenchmark("fast/decode/varied_compressed/runtime", [](benchmark::State& state) {
        run(state, varied_compressed_packets(varied_count));
    });
    return 0;
}();

}  // namespace
}  // namespace tickpath::bench
