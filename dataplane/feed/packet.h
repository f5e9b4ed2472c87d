// A datagram of one stream with its packet number: what passes from router to sequencer to decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/model/timestamp.h"

namespace tickpath::feed {

/// A view into the frame, or into the slot that holds the packet back.
struct Packet {
    std::uint64_t number = 0;
    std::span<const std::byte> body;   ///< FAST messages, framing removed
    std::uint32_t body_offset = 0;     ///< of `body` in the UDP payload
    std::uint32_t tailroom_bytes = 0;  ///< behind `body`, may be overwritten
    std::uint8_t copy = 0;             ///< 0 = line A, 1 = line B of the stream
    std::uint8_t line = 0;             ///< as model::Tick::line
    model::Timestamp rx_time;
    std::uint64_t rx_cycles = 0;
    std::uint64_t sending_time_ns = 0;  ///< of the packet's header, where the feed has one; else 0
    std::uint64_t frame_number = 0;
    /// The clock of windows and leads: the receive stamp where that is in nanoseconds (a capture keeps its
    /// own time at any pace), else the cycle counter in nanoseconds.
    std::uint64_t arrival_ns = 0;
};

}  // namespace tickpath::feed
