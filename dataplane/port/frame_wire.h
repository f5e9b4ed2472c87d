// How the order stack reaches a wire: frames out, frames in. Knows neither DPDK nor lwIP, whose headers clash
// in one file (spec/dataplane.md §2).
#pragma once

#include <cstddef>
#include <span>

#include "dataplane/model/frame.h"

namespace tickpath::port {

/// Used by one thread; never blocks, allocates or throws. Virtual, because the stack behind it is compiled
/// once: a call costs a nanosecond of the hundreds that a segment does.
class FrameWire {
public:
    virtual ~FrameWire() = default;

    /// Room for a frame of `size_bytes`, Ethernet header first; empty when there is no buffer. The frame
    /// leaves by `tx_send`, which must come before the next tx_alloc.
    [[nodiscard]] virtual std::span<std::byte> tx_alloc(std::size_t size_bytes) noexcept = 0;
    /// Sends the frame of the last tx_alloc. False when the device has no room: the frame is gone.
    [[nodiscard]] virtual bool tx_send() noexcept = 0;

    /// Fills `out` with frames that are there and returns how many; valid until `rx_free`. Frames for others
    /// may be among them.
    [[nodiscard]] virtual std::size_t rx_burst(std::span<model::Frame> out) noexcept = 0;
    virtual void rx_free() noexcept = 0;
};

}  // namespace tickpath::port
