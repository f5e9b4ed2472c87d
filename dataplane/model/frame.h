// One received Ethernet frame as a port hands it to the first stage of its core. A view: never copied between
// cores.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dataplane/model/timestamp.h"

namespace tickpath::model {

/// Valid from the port's rx_burst until its release. The bytes are read only: a recorder may hold them too.
struct Frame {
    const std::byte* data = nullptr;  ///< Ethernet header first, no FCS
    std::uint32_t size_bytes = 0;     ///< contiguous bytes at `data`; multi-segment frames never get here
    /// Bytes behind the frame that may be overwritten for decoding sentinels; 0 unless the buffer is direct
    /// and exclusively ours (mbuf refcnt 1), see spec "a frame is never written to".
    std::uint32_t tailroom_bytes = 0;
    std::uint64_t frame_number = 0;  ///< counts from 0 per port, over all frames the port delivered
    Timestamp rx_time{};             ///< best stamp the port has; domain cycles when it has none better
    std::uint64_t rx_cycles = 0;     ///< cycle counter once per burst
    std::uint16_t port = 0;          ///< index of the port in the configuration
    std::uint16_t queue = 0;
};

}  // namespace tickpath::model
