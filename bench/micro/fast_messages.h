// Times decoding of whole messages with no field read, for templates of any kind, with what it decodes
// checked before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "decoders/fast/decoder.h"

namespace tickpath::bench {

/// Single messages, each with room for sentinels behind it.
struct BenchMessage {
    std::vector<std::byte> buffer;
    std::size_t size_bytes = 0;
};
[[nodiscard]] BenchMessage bench_message(const std::byte* first, std::size_t size_bytes);

/// A hash of every value of every message and of where they end; 0 when one does not decode.
[[nodiscard]] std::uint64_t digest(fast::Decoder& decoder, const std::vector<BenchMessage>& messages);

/// One iteration decodes one message. Ends the program when the messages do not decode to `expected`.
void time_messages(benchmark::State& state, const std::shared_ptr<const fast::Templates>& templates,
                   fast::ResetRule reset, const std::vector<BenchMessage>& messages, std::uint64_t expected);

}  // namespace tickpath::bench
