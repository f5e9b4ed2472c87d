// Puts messages together that are spread over several datagrams of one line (UMDF: spec/fast-feeds.md §1).
// Memory is taken once and bounded; a message of which a chunk is missing is given up and counted. Hot: once
// per datagram of such a feed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoders/framing/datagram.h"

namespace tickpath::framing {

struct ChunkLimits {
    std::uint32_t messages_open = 8;  ///< a power of two; an older message is given up for a newer one
    std::uint32_t message_bytes_max = 65'536;
    /// Numbers that go back by this much have started again: what is open belongs to the past.
    std::uint64_t restart_backward = 1000;
};

enum class ChunkOutcome : std::uint8_t {
    complete,   ///< a whole message is there
    waiting,    ///< others of its message are missing
    duplicate,  ///< was there already
    late,       ///< of a message that was given up, or is too old to tell
    refused,    ///< of a message of more than 64 chunks, or longer than message_bytes_max
};

struct ChunkStep {
    ChunkOutcome outcome = ChunkOutcome::complete;
    std::uint32_t given_up = 0;          ///< messages that this chunk proved incomplete, or pushed out
    std::span<const std::byte> message;  ///< when complete; valid until the next call
};

/// Of one line, because lines fill each other's holes message by message, in the sequencer. Chunks of one
/// message carry the same packet number; they may come in any order and among those of other messages.
class ChunkAssembler {
public:
    static constexpr std::size_t chunks_max = 64;

    /// Allocates messages_open + 1 buffers of message_bytes_max.
    explicit ChunkAssembler(const ChunkLimits& limits);

    /// `datagram` is one of split() without an error, of a preamble in chunks.
    [[nodiscard]] ChunkStep add(const Datagram& datagram) noexcept {
        if (datagram.sequence > newest_ && open_count_ == 0 && datagram.chunk.count == 1) [[likely]] {
            newest_ = datagram.sequence;
            return {.outcome = ChunkOutcome::complete, .given_up = 0, .message = datagram.body};
        }
        return add_to_slot(datagram);
    }

    /// Gives up what is open. Returns how many messages that were.
    std::uint32_t finish() noexcept;

private:
    enum class SlotState : std::uint8_t { free, open, done, refused };
    struct Piece {
        std::uint32_t offset = 0;
        std::uint32_t bytes = 0;
    };
    struct Slot {
        SlotState state = SlotState::free;
        std::uint64_t number = 0;
        std::uint64_t received = 0;  ///< a bit per chunk
        std::uint16_t count = 0;
        std::uint32_t bytes = 0;      ///< used of the buffer, in the order of arrival
        bool is_in_order = true;      ///< chunks arrived in their order
        std::vector<Piece> pieces;    ///< by chunk
        std::vector<std::byte> data;  ///< message_bytes_max
    };

    [[nodiscard]] ChunkStep add_to_slot(const Datagram& datagram) noexcept;
    [[nodiscard]] bool is_restart(const Slot& slot, const Datagram& datagram) const noexcept;
    [[nodiscard]] std::uint32_t give_up_before(std::uint64_t number) noexcept;
    void open(Slot& slot, const Datagram& datagram) noexcept;
    void add_to(Slot& slot, const Datagram& datagram, ChunkStep& step) noexcept;
    [[nodiscard]] std::span<const std::byte> joined(const Slot& slot) noexcept;
    [[nodiscard]] Slot& slot_of(std::uint64_t number) noexcept {
        return slots_[static_cast<std::size_t>(number) & (slots_.size() - 1)];
    }

    ChunkLimits limits_;
    std::uint64_t newest_ = 0;
    std::uint32_t open_count_ = 0;
    std::vector<Slot> slots_;          ///< by number
    std::vector<std::byte> in_order_;  ///< a message whose chunks came out of order
};

}  // namespace tickpath::framing
