#include "dataplane/tcp/kernel_tcp.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tickpath::tcp {
namespace {

constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr int listen_backlog = 128;

[[nodiscard]] sockaddr_in as_sockaddr(Endpoint endpoint) noexcept {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(endpoint.port);
    address.sin_addr.s_addr = endpoint.address;
    return address;
}

/// An order must not wait for its predecessor's acknowledgement.
void set_no_delay(int descriptor) noexcept {
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

[[nodiscard]] std::string_view advice_for(int error_number) noexcept {
    switch (error_number) {
        case ECONNREFUSED:
            return ": is the counterparty running and listening there?";
        case ETIMEDOUT:
        case EHOSTUNREACH:
        case ENETUNREACH:
            return ": check the address, the route and the firewall";
        default:
            return "";
    }
}

[[nodiscard]] bool is_would_block(int error_number) noexcept {
    return error_number == EAGAIN || error_number == EWOULDBLOCK || error_number == EINTR;
}

}  // namespace

std::optional<Endpoint> Endpoint::resolve(const std::string& host, std::uint16_t port,
                                          std::string& error_text) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int result = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
    if (result != 0 || found == nullptr) {
        error_text = "host \"" + host + "\" has no IPv4 address: " + ::gai_strerror(result);
        return std::nullopt;
    }
    sockaddr_in address{};
    std::memcpy(&address, found->ai_addr, sizeof address);
    return Endpoint{.address = address.sin_addr.s_addr, .port = port};
}

std::string Endpoint::to_text() const {
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address, text.data(), text.size());
    return std::string(text.data()) + ':' + std::to_string(port);
}

KernelTcp::KernelTcp(Endpoint peer, const KernelTcpSettings& settings)
    : backoff_ms_(settings.reconnect_ms_first),
      peer_(peer),
      settings_(settings),
      backlog_(settings.backlog_bytes) {}

KernelTcp::KernelTcp(int accepted_descriptor, Endpoint peer, const KernelTcpSettings& settings)
    : KernelTcp(peer, settings) {
    descriptor_ = accepted_descriptor;
    may_connect_ = false;
    came_up(0);  // nothing follows from its age: it never connects again
}

KernelTcp::~KernelTcp() {
    drop_socket();
}

bool KernelTcp::send(std::span<const std::byte> bytes) noexcept {
    if (state_ != model::LinkState::up) return false;
    const std::size_t waiting = backlog_bytes();
    if (waiting != 0) [[unlikely]] {  // order of bytes = order of calls
        if (bytes.size() > backlog_.size() - waiting) return false;
        keep(bytes);
        return true;
    }
    // Asked before the first byte goes: what the socket leaves over must have a place.
    if (bytes.size() > backlog_.size()) return false;
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(bytes.size())) [[likely]]
        return true;
    if (sent < 0 && !is_would_block(errno)) {
        fail("sending failed", errno);
        return false;
    }
    keep(bytes.subspan(sent < 0 ? 0 : static_cast<std::size_t>(sent)));
    return true;
}

std::size_t KernelTcp::receive(std::span<std::byte> buffer) noexcept {
    if (state_ != model::LinkState::up || buffer.empty()) return 0;
    const ssize_t received = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (received > 0) [[likely]] {
        has_received_ = true;
        return static_cast<std::size_t>(received);
    }
    if (received == 0)
        fail("the peer closed the connection", 0);
    else if (!is_would_block(errno))
        fail("receiving failed", errno);
    return 0;
}

void KernelTcp::poll(std::uint64_t now_ns) noexcept {
    switch (state_) {
        case model::LinkState::up:
            if (backlog_bytes() != 0) flush_backlog();
            return;
        case model::LinkState::connecting:
            finish_connect(now_ns);
            return;
        case model::LinkState::down:
            if (!may_connect_) return;
            if (must_plan_retry_) plan_retry(now_ns);
            if (now_ns >= retry_at_ns_) start_connect(now_ns);
            return;
    }
}

/// A peer that only accepts, or answers a Logon with a Logout each time, gets ever longer pauses.
void KernelTcp::plan_retry(std::uint64_t now_ns) noexcept {
    must_plan_retry_ = false;
    const bool was_steady = has_received_ && now_ns - up_since_ns_ >= settings_.steady_ms * ns_per_ms;
    has_received_ = false;
    if (was_steady) backoff_ms_ = settings_.reconnect_ms_first;
    retry_at_ns_ = now_ns + backoff_ms_ * ns_per_ms;
    backoff_ms_ = std::min(backoff_ms_ * 2, settings_.reconnect_ms_max);
}

void KernelTcp::close(bool stay_down) noexcept {
    if (stay_down) may_connect_ = false;
    if (state_ == model::LinkState::down) return;
    drop_socket();
    state_ = model::LinkState::down;
    must_plan_retry_ = true;
}

void KernelTcp::start_connect(std::uint64_t now_ns) noexcept {
    descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor_ < 0) return fail("no socket", errno);
    set_no_delay(descriptor_);
    const sockaddr_in address = as_sockaddr(peer_);
    if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return came_up(now_ns);
    if (errno != EINPROGRESS) {
        ++failures_;
        return fail("cannot connect", errno);
    }
    state_ = model::LinkState::connecting;
    connect_deadline_ns_ = now_ns + settings_.connect_timeout_ms * ns_per_ms;
}

void KernelTcp::finish_connect(std::uint64_t now_ns) noexcept {
    pollfd waiting{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (::poll(&waiting, 1, 0) <= 0) {
        if (now_ns < connect_deadline_ns_) return;
        ++failures_;
        return fail("cannot connect", ETIMEDOUT);
    }
    int error_number = 0;
    socklen_t size = sizeof error_number;
    ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error_number, &size);
    if (error_number == 0) return came_up(now_ns);
    ++failures_;
    fail("cannot connect", error_number);
}

void KernelTcp::came_up(std::uint64_t now_ns) noexcept {
    set_no_delay(descriptor_);
    up_since_ns_ = now_ns;
    state_ = model::LinkState::up;
    ++generation_;
    backlog_start_ = backlog_end_ = 0;
    error_text_[0] = '\0';
}

void KernelTcp::flush_backlog() noexcept {
    const ssize_t sent =
        ::send(descriptor_, backlog_.data() + backlog_start_, backlog_bytes(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
        if (!is_would_block(errno)) fail("sending failed", errno);
        return;
    }
    backlog_start_ += static_cast<std::size_t>(sent);
    if (backlog_start_ == backlog_end_) backlog_start_ = backlog_end_ = 0;
}

void KernelTcp::keep(std::span<const std::byte> bytes) noexcept {
    if (bytes.size() > backlog_.size() - backlog_end_) {
        std::memmove(backlog_.data(), backlog_.data() + backlog_start_, backlog_bytes());
        backlog_end_ -= backlog_start_;
        backlog_start_ = 0;
    }
    std::memcpy(backlog_.data() + backlog_end_, bytes.data(), bytes.size());
    backlog_end_ += bytes.size();
}

void KernelTcp::fail(const char* what, int error_number) noexcept {
    std::array<char, INET_ADDRSTRLEN> address{};
    ::inet_ntop(AF_INET, &peer_.address, address.data(), address.size());
    const std::string_view advice = advice_for(error_number);
    std::snprintf(error_text_.data(), error_text_.size(), "%s:%u: %s%s%s%.*s", address.data(),
                  unsigned{peer_.port}, what, error_number == 0 ? "" : ": ",
                  error_number == 0 ? "" : std::strerror(error_number), static_cast<int>(advice.size()),
                  advice.data());
    drop_socket();
    state_ = model::LinkState::down;
    must_plan_retry_ = true;
}

void KernelTcp::drop_socket() noexcept {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    backlog_start_ = backlog_end_ = 0;
}

std::optional<TcpListener> TcpListener::open(Endpoint endpoint, std::string& error_text) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    TcpListener listener(descriptor, endpoint.port);
    const auto refuse = [&](std::string_view what) {
        error_text = endpoint.to_text() + ": " + std::string(what) + ": " + std::strerror(errno);
        if (errno == EADDRINUSE)
            error_text += ": another process listens there; choose another port or stop it";
        if (errno == EADDRNOTAVAIL) error_text += ": no interface of this machine has that address";
        return std::nullopt;
    };
    if (descriptor < 0) return refuse("no socket");
    const int on = 1;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in address = as_sockaddr(endpoint);
    if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return refuse("cannot listen");
    if (::listen(descriptor, listen_backlog) != 0) return refuse("cannot listen");
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size);
    listener.port_ = ntohs(bound.sin_port);
    return listener;
}

TcpListener::TcpListener(TcpListener&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), port_(other.port_) {}

TcpListener& TcpListener::operator=(TcpListener&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(port_, other.port_);
    return *this;
}

TcpListener::~TcpListener() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<TcpListener::Accepted> TcpListener::accept() noexcept {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    const int accepted =
        ::accept4(descriptor_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) return std::nullopt;
    return Accepted{.descriptor = accepted,
                    .peer = {.address = address.sin_addr.s_addr, .port = ntohs(address.sin_port)}};
}

}  // namespace tickpath::tcp
