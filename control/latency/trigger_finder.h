// Finds the datagrams of a feed that ClOrdIDs name: line and packet number. Cold.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "control/latency/observation.h"
#include "control/latency/stamped_frames.h"
#include "dataplane/feed/feed_plan.h"
#include "decoders/fast/sequence_peek.h"
#include "decoders/framing/chunk_assembler.h"
#include "decoders/framing/description.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::latency {

/// What a ClOrdID of ours names its trigger by (trade/order_id.h).
[[nodiscard]] constexpr std::uint64_t token_key(std::uint8_t line, std::uint32_t packet_sequence) noexcept {
    return (std::uint64_t{line} << 32) | packet_sequence;
}

struct TriggerCounts {
    std::uint64_t datagrams = 0;       ///< of the feed, copies of lines and captures included
    std::uint64_t without_number = 0;  ///< of those: too short, or its number cannot be decoded
};

class TriggerFinder {
public:
    /// NSE channels are left out: their datagrams carry no number, a ClOrdID counts them from the program's
    /// start. `wanted`: keys that orders refer to; other triggers are only counted.
    TriggerFinder(std::span<const feed::ChannelPlan> channels, std::unordered_set<std::uint64_t> wanted);

    void on_frame(const StampedFrame& frame);

    [[nodiscard]] std::vector<Trigger>& triggers() noexcept { return triggers_; }
    [[nodiscard]] const TriggerCounts& counts() const noexcept { return counts_; }

private:
    struct Line {
        std::uint16_t channel = 0;
        std::uint8_t line = 0;
        framing::Preamble preamble;
        std::shared_ptr<fast::SequencePeek> peek;            ///< where the number is a field; one a channel
        std::shared_ptr<framing::ChunkAssembler> assembler;  ///< where messages come in chunks; one a line
    };

    std::map<net::MulticastGroup, Line> lines_;
    std::unordered_set<std::uint64_t> wanted_;
    std::vector<Trigger> triggers_;
    TriggerCounts counts_;
};

}  // namespace tickpath::latency
