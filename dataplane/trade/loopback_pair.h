// A TCP connection of this process with itself, to which the warmer sends: it keeps the kernel's send path in
// the caches without a byte on the order link.
#pragma once

#include <cstddef>
#include <span>

namespace tickpath::trade {

/// Owns both ends. Bytes sent are read back and dropped.
class LoopbackPair {
public:
    /// Connects over 127.0.0.1; is_open() tells whether it worked (a namespace may have no loopback).
    LoopbackPair() noexcept;
    ~LoopbackPair();
    LoopbackPair(const LoopbackPair&) = delete;
    LoopbackPair& operator=(const LoopbackPair&) = delete;

    [[nodiscard]] bool is_open() const noexcept { return near_ >= 0; }

    /// One send, as the order link does it, and what arrived so far read away. Never blocks.
    void send(std::span<const std::byte> bytes) noexcept;

private:
    int near_ = -1;
    int far_ = -1;
};

}  // namespace tickpath::trade
