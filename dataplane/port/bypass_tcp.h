// Orders over the port itself: TCP by lwIP on frames of our own, without the kernel. Hot: send, receive,
// poll.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "dataplane/core/counters.h"
#include "dataplane/model/order_link.h"
#include "dataplane/port/frame_wire.h"
#include "decoders/net/mac_address.h"

namespace tickpath::port {

/// Addresses are IPv4 in network byte order.
struct BypassTcpSettings {
    net::MacAddress mac;        ///< ours: the port's
    std::uint32_t address = 0;  ///< ours; the kernel must not have it on this interface, or it answers RST
    std::uint32_t netmask = 0;
    std::uint32_t gateway = 0;  ///< 0 = none: the peer is in our network
    std::uint32_t peer_address = 0;
    std::uint16_t peer_port = 0;  ///< host byte order

    // As tcp::KernelTcpSettings.
    std::size_t backlog_bytes = 64 * 1024;
    std::uint32_t connect_timeout_ms = 5'000;
    std::uint32_t reconnect_ms_first = 100;
    std::uint32_t reconnect_ms_max = 10'000;
    std::uint32_t steady_ms = 5'000;
};

/// Satisfies model::OrderLink. One thread calls send, receive, poll and close; the stack starts in its first
/// poll. lwIP's state is the process's: of two links at a time the second stays down and says so.
///
/// Backlog and receive buffer are taken at start. lwIP as Debian builds it takes a heap block per segment;
/// what it holds is bounded by its windows: 64 KiB and 180 blocks to send, 64 KiB received.
/// Its timers follow poll's clock: a lost last segment goes again after 1.5 s or less, a lost one that
/// others follow at the third repeated acknowledgement.
class BypassTcp {
public:
    /// Counts under `owner` of `counters`: segments_out, segments_in, retransmissions, tx_refused (the wire
    /// had no buffer or room; the segment goes again at the next poll), no_memory, arp_failures,
    /// checksum_errors, fragments, malformed. `wire` outlives the link.
    BypassTcp(FrameWire& wire, const BypassTcpSettings& settings, core::CounterPage& counters,
              std::string_view owner);
    ~BypassTcp();
    BypassTcp(const BypassTcp&) = delete;
    BypassTcp& operator=(const BypassTcp&) = delete;

    [[nodiscard]] bool send(std::span<const std::byte> bytes) noexcept;
    [[nodiscard]] std::size_t receive(std::span<std::byte> buffer) noexcept;
    void poll(std::uint64_t now_ns) noexcept;
    [[nodiscard]] model::LinkState state() const noexcept;
    [[nodiscard]] std::size_t backlog_bytes() const noexcept;
    void close(bool stay_down) noexcept;
    [[nodiscard]] std::uint64_t generation() const noexcept;

    /// Why the link is down, for a person; empty after a connect.
    [[nodiscard]] std::string_view error_text() const noexcept;
    [[nodiscard]] std::uint64_t failures() const noexcept;  ///< connects refused or timed out

private:
    class Stack;
    std::unique_ptr<Stack> stack_;
};
static_assert(model::OrderLink<BypassTcp>);

}  // namespace tickpath::port
