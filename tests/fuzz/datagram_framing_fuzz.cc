// Fuzzes what stands between UDP and the codec: any bytes under every form of preamble are split inside
// themselves or refused, and chunks are joined as a plain twin joins them. Input: one byte of settings, then
// datagrams, each after a byte with its length.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <vector>

#include "decoders/framing/chunk_assembler.h"
#include "decoders/framing/datagram.h"

namespace {

using namespace tickpath;
using Bytes = std::vector<std::byte>;

void require(bool holds) {
    if (!holds) std::abort();
}

constexpr std::array<framing::Preamble, 4> preambles = {{
    {.bytes = 4, .sequence_bytes = 4},
    {.bytes = 5, .sequence_bytes = 4, .sequence_order = framing::ByteOrder::big},
    {.form = framing::PreambleForm::chunked,
     .bytes = 10,
     .sequence_bytes = 4,
     .sequence_order = framing::ByteOrder::big,
     .chunk_offset = 4},
    {.form = framing::PreambleForm::header},
}};

constexpr std::uint32_t message_bytes_max = 256;

/// What an assembler took, by number and place in the message.
class Twin {
public:
    explicit Twin(std::uint64_t restart_backward)
        : assembler_({.messages_open = 4,
                      .message_bytes_max = message_bytes_max,
                      .restart_backward = restart_backward}) {}

    void add(const framing::Datagram& datagram) {
        const framing::ChunkStep step = assembler_.add(datagram);
        ended_ += step.given_up;
        require(step.message.empty() == (step.outcome != framing::ChunkOutcome::complete));
        const bool is_taken =
            step.outcome == framing::ChunkOutcome::complete || step.outcome == framing::ChunkOutcome::waiting;
        if (datagram.chunk.count == 1) {
            require(step.message.empty() || step.message.data() == datagram.body.data());
            return;
        }
        if (!is_taken) return;
        ++chunks_;
        auto& chunks = taken_[datagram.sequence];
        chunks[datagram.chunk.index] = {datagram.body.begin(), datagram.body.end()};
        if (step.message.empty()) return;
        ++ended_;
        require(datagram.chunk.count <= framing::ChunkAssembler::chunks_max);
        Bytes joined;
        for (std::uint16_t index = 1; index <= datagram.chunk.count; ++index)
            joined.insert(joined.end(), chunks.at(index).begin(), chunks.at(index).end());
        require(joined.size() <= message_bytes_max && std::ranges::equal(joined, step.message));
    }
    void finish() {
        ended_ += assembler_.finish();
        require(ended_ <= chunks_);  // nothing ends that no chunk began
        require(assembler_.finish() == 0);
    }

private:
    framing::ChunkAssembler assembler_;
    std::map<std::uint64_t, std::map<std::uint16_t, Bytes>> taken_;
    std::uint64_t chunks_ = 0;
    std::uint64_t ended_ = 0;
};

void check(const framing::Datagram& datagram, std::span<const std::byte> payload) {
    if (datagram.error != Errc::ok) return require(datagram.body.empty());
    require(datagram.has_sequence);
    require(datagram.body.size() + datagram.trailing_bytes <= payload.size());
    if (datagram.body.empty()) return;
    const std::byte* const end = datagram.body.data() + datagram.body.size() + datagram.trailing_bytes;
    require(datagram.body.data() >= payload.data() && end == payload.data() + payload.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const framing::Preamble& preamble = preambles[data[0] % preambles.size()];
    Twin twin((data[0] & 4) != 0 ? 1 : 1000);
    std::span<const std::byte> input = std::as_bytes(std::span(data + 1, size - 1));
    while (!input.empty()) {
        const std::size_t bytes = std::min(std::to_integer<std::size_t>(input[0]), input.size() - 1);
        // A heap block of exactly this size: the sanitizer sees a read behind its end.
        const Bytes payload(input.begin() + 1, input.begin() + 1 + static_cast<std::ptrdiff_t>(bytes));
        const framing::Datagram datagram = framing::split(payload, preamble);
        check(datagram, payload);
        if (preamble.form == framing::PreambleForm::chunked && datagram.error == Errc::ok) twin.add(datagram);
        input = input.subspan(1 + bytes);
    }
    twin.finish();
    return 0;
}
