// A port of its own as the wire of the order stack: nothing else polls that queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/port/frame_wire.h"
#include "dataplane/port/port.h"

namespace tickpath::port {

/// `P` is a Port that also sends: `tx(frame)` returns the bytes sent, 0 when it has no buffer or room. One
/// thread; `port` outlives the wire.
template <Port P>
class PortWire final : public FrameWire {
public:
    PortWire(P& port, std::uint16_t queue) noexcept : port_(port), queue_(queue) {}

    [[nodiscard]] std::span<std::byte> tx_alloc(std::size_t size_bytes) noexcept override {
        if (size_bytes > frame_.size()) return {};
        size_bytes_ = size_bytes;
        return std::span(frame_).first(size_bytes);
    }
    [[nodiscard]] bool tx_send() noexcept override {
        return port_.tx(std::span(frame_).first(size_bytes_)) == size_bytes_;
    }
    [[nodiscard]] std::size_t rx_burst(std::span<model::Frame> out) noexcept override {
        return port_.rx_burst(queue_, out);
    }
    void rx_free() noexcept override { port_.release(queue_); }

private:
    static constexpr std::size_t frame_bytes_max = 1536;  // MTU 1500 with Ethernet header and a VLAN tag

    P& port_;
    std::uint16_t queue_;
    std::size_t size_bytes_ = 0;
    std::array<std::byte, frame_bytes_max> frame_{};
};

}  // namespace tickpath::port
