// What carries order bytes to a counterparty and answers back: kernel TCP, TLS, a bypass stack, a test pipe.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tickpath::model {

enum class LinkState : std::uint8_t { down, connecting, up };

[[nodiscard]] constexpr std::string_view name(LinkState state) noexcept {
    switch (state) {
        case LinkState::down:
            return "down";
        case LinkState::connecting:
            return "connecting";
        case LinkState::up:
            return "up";
    }
    return "down";
}

/// Never blocks and never throws; owned and used by one thread.
template <class L>
concept OrderLink = requires(L link, std::span<const std::byte> bytes, std::span<std::byte> buffer,
                             std::uint64_t now_ns) {
    /// Takes all of `bytes` or nothing. False when the link is not up or its backlog has no room: nothing was
    /// taken. What the transport does not accept at once is kept in a bounded backlog and sent by `poll`, in
    /// order.
    { link.send(bytes) }
    noexcept->std::same_as<bool>;
    /// Copies received bytes into `buffer` and returns their count; 0 when nothing is there (see `state` for
    /// a break).
    { link.receive(buffer) }
    noexcept->std::same_as<std::size_t>;
    /// Connects, reconnects with back-off, flushes the backlog. Call when no tick waits. `now_ns` is
    /// monotonic.
    { link.poll(now_ns) }
    noexcept;
    { link.state() }
    noexcept->std::same_as<LinkState>;
    /// Bytes accepted by `send` that the transport has not taken yet.
    { link.backlog_bytes() }
    noexcept->std::same_as<std::size_t>;
    /// Ends the connection now; `poll` connects again after the back-off unless `stay_down`.
    { link.close(true) }
    noexcept;
    /// Counts connections: grows by one each time the link comes up, so that a user sees a break it slept
    /// through.
    { link.generation() }
    noexcept->std::same_as<std::uint64_t>;
};

}  // namespace tickpath::model
