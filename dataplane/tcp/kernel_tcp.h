// The kernel's TCP as an order link, and the listener of an acceptor. Hot: send and receive, one system call
// each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/model/order_link.h"

namespace tickpath::tcp {

/// An IPv4 address and port. Names are resolved once, at start: looking one up may block for seconds.
struct Endpoint {
    std::uint32_t address = 0;  ///< network byte order
    std::uint16_t port = 0;     ///< host byte order

    /// Resolves "127.0.0.1" or a host name; nullopt with a text for a person in `error_text`. Cold, may
    /// block.
    [[nodiscard]] static std::optional<Endpoint> resolve(const std::string& host, std::uint16_t port,
                                                         std::string& error_text);
    [[nodiscard]] std::string to_text() const;  ///< "127.0.0.1:9876"
};

struct KernelTcpSettings {
    std::size_t backlog_bytes = 64 * 1024;     ///< bytes `send` may keep while the socket is full
    std::uint32_t connect_timeout_ms = 5'000;  ///< a connect that gets no answer
    std::uint32_t reconnect_ms_first = 100;    ///< pause after a break; doubles until a connection was steady
    std::uint32_t reconnect_ms_max = 10'000;
    std::uint32_t steady_ms = 5'000;  ///< a peer that sent something and stayed up so long is no storm
};

/// Satisfies model::OrderLink: non-blocking, TCP_NODELAY. One thread.
///
/// An initiator's link connects in `poll` and again after a break, with back-off. An accepted link has one
/// connection; when that ends it stays down.
class KernelTcp {
public:
    KernelTcp(Endpoint peer, const KernelTcpSettings& settings);
    /// Takes over a connected socket, from TcpListener::accept.
    KernelTcp(int accepted_descriptor, Endpoint peer, const KernelTcpSettings& settings);
    ~KernelTcp();
    KernelTcp(const KernelTcp&) = delete;
    KernelTcp& operator=(const KernelTcp&) = delete;

    [[nodiscard]] bool send(std::span<const std::byte> bytes) noexcept;
    [[nodiscard]] std::size_t receive(std::span<std::byte> buffer) noexcept;
    void poll(std::uint64_t now_ns) noexcept;
    [[nodiscard]] model::LinkState state() const noexcept { return state_; }
    [[nodiscard]] std::size_t backlog_bytes() const noexcept { return backlog_end_ - backlog_start_; }
    void close(bool stay_down) noexcept;
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    /// Why the link is down, for a person: "127.0.0.1:9876: connection refused: is the counterparty
    /// running?"; empty after a connect.
    [[nodiscard]] std::string_view error_text() const noexcept { return error_text_.data(); }
    [[nodiscard]] std::uint64_t failures() const noexcept {
        return failures_;
    }  ///< connects refused or timed out
    [[nodiscard]] Endpoint peer() const noexcept { return peer_; }
    /// Of the socket, for epoll or a test; -1 when there is none.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    void start_connect(std::uint64_t now_ns) noexcept;
    void finish_connect(std::uint64_t now_ns) noexcept;
    void came_up(std::uint64_t now_ns) noexcept;
    void plan_retry(std::uint64_t now_ns) noexcept;
    void flush_backlog() noexcept;
    [[gnu::cold, gnu::noinline]] void keep(std::span<const std::byte> bytes) noexcept;
    [[gnu::cold, gnu::noinline]] void fail(const char* what, int error_number) noexcept;
    void drop_socket() noexcept;

    int descriptor_ = -1;
    model::LinkState state_ = model::LinkState::down;
    bool may_connect_ = true;       ///< false for accepted links and after close(stay_down)
    bool must_plan_retry_ = false;  ///< went down outside of poll, where the time is not known
    bool has_received_ = false;     ///< on this connection
    std::size_t backlog_start_ = 0;
    std::size_t backlog_end_ = 0;
    std::uint64_t generation_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t up_since_ns_ = 0;
    std::uint64_t connect_deadline_ns_ = 0;
    std::uint64_t retry_at_ns_ = 0;
    std::uint32_t backoff_ms_ = 0;
    Endpoint peer_;
    KernelTcpSettings settings_;
    std::vector<std::byte> backlog_;
    std::array<char, 192> error_text_{};
};
static_assert(model::OrderLink<KernelTcp>);

/// A listening socket that never blocks.
class TcpListener {
public:
    /// `endpoint.port` 0 lets the system choose; see port(). nullopt with a text for a person.
    [[nodiscard]] static std::optional<TcpListener> open(Endpoint endpoint, std::string& error_text);
    TcpListener(TcpListener&& other) noexcept;
    TcpListener& operator=(TcpListener&& other) noexcept;
    ~TcpListener();

    struct Accepted {
        int descriptor = -1;
        Endpoint peer;
    };
    /// The next waiting connection, non-blocking with TCP_NODELAY set.
    [[nodiscard]] std::optional<Accepted> accept() noexcept;
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    TcpListener(int descriptor, std::uint16_t port) noexcept : descriptor_(descriptor), port_(port) {}

    int descriptor_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace tickpath::tcp
