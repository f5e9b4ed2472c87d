// The two rings of a pipeline with what they carry: ticks after decoding, frames before it.
#pragma once

#include <cstdint>
#include <span>

#include "dataplane/core/packet_ring.h"
#include "dataplane/core/tick_ring.h"
#include "dataplane/model/frame.h"
#include "dataplane/model/tick.h"

namespace tickpath::model {

using TickRing = core::TickRing<Tick>;

/// What of a frame stays true on another core; the bytes are copied beside it.
struct FrameOrigin {
    std::uint64_t frame_number = 0;
    std::uint64_t rx_time = 0;
    std::uint64_t rx_cycles = 0;
    std::uint16_t port = 0;
    std::uint16_t queue = 0;
    TimeDomain rx_domain = TimeDomain::none;
};

using FrameRing = core::PacketRing<FrameOrigin>;

/// Copies a frame into the ring; false when the ring is full. The frame must fit (FrameRing::fits).
[[nodiscard]] inline bool push(FrameRing& ring, const Frame& frame) noexcept {
    return ring.push({.frame_number = frame.frame_number,
                      .rx_time = frame.rx_time.value,
                      .rx_cycles = frame.rx_cycles,
                      .port = frame.port,
                      .queue = frame.queue,
                      .rx_domain = frame.rx_time.domain},
                     {frame.data, frame.size_bytes});
}

/// A frame that views a slot; valid until the slot is popped. Its tailroom is free for sentinels.
[[nodiscard]] inline Frame frame_of(const core::Packet<FrameOrigin>& packet) noexcept {
    const FrameOrigin& origin = packet.meta;
    return {.data = packet.bytes.data(),
            .size_bytes = packet.size_bytes,
            .tailroom_bytes = static_cast<std::uint32_t>(packet.bytes.size() - packet.size_bytes),
            .frame_number = origin.frame_number,
            .rx_time = {origin.rx_time, origin.rx_domain},
            .rx_cycles = origin.rx_cycles,
            .port = origin.port,
            .queue = origin.queue};
}

}  // namespace tickpath::model
