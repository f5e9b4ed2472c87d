// What a worker needs of a port, whatever is behind it: a NIC, a kernel interface, a capture, a test.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/model/frame.h"

namespace tickpath::port {

inline constexpr std::size_t burst_frames_max = 32;  ///< at most so many frames per rx_burst

/// One thread per queue; never blocks, allocates or throws.
template <class P>
concept Port = requires(P port, const P& looked_at, std::uint16_t queue, std::span<model::Frame> out) {
    /// Fills `out` with the frames that are there, at most burst_frames_max, and returns how many. They stay
    /// valid until `release`, which must come before the next rx_burst of the queue.
    { port.rx_burst(queue, out) }
    noexcept->std::same_as<std::size_t>;
    /// Frees the frames of the last rx_burst of this queue in bulk.
    { port.release(queue) }
    noexcept;
    /// No frame will ever come again and all have been released: the end of a capture. Never true of a live
    /// port.
    { looked_at.finished() }
    noexcept->std::same_as<bool>;
    { looked_at.queue_count() }
    noexcept->std::same_as<std::uint16_t>;
};

}  // namespace tickpath::port
