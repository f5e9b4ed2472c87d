#include "dataplane/trade/loopback_pair.h"

#include <array>
#include <cstdint>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tickpath::trade {
namespace {

class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_;
};

int tcp_socket() noexcept {
    return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/// Listens on a loopback port that the system chooses; the address is left in `address`.
bool listen_anywhere(int listener, sockaddr_in& address) noexcept {
    address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    return ::bind(listener, any, bytes) == 0 && ::listen(listener, 1) == 0 &&
           ::getsockname(listener, any, &bytes) == 0;
}

/// Another process may have connected in between; a stranger's bytes must not come here.
bool is_peer_of(int far, int near) noexcept {
    sockaddr_in near_name{};
    sockaddr_in far_peer{};
    socklen_t bytes = sizeof near_name;
    if (::getsockname(near, reinterpret_cast<sockaddr*>(&near_name), &bytes) != 0) return false;
    bytes = sizeof far_peer;
    if (::getpeername(far, reinterpret_cast<sockaddr*>(&far_peer), &bytes) != 0) return false;
    return near_name.sin_port == far_peer.sin_port;
}

}  // namespace

LoopbackPair::LoopbackPair() noexcept {
    const Descriptor listener(tcp_socket());
    Descriptor near(tcp_socket());
    sockaddr_in address{};
    if (!listener.is_open() || !near.is_open() || !listen_anywhere(listener.get(), address)) return;
    if (::connect(near.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    Descriptor far(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!far.is_open() || !is_peer_of(far.get(), near.get())) return;
    const int on = 1;
    ::setsockopt(near.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    near_ = near.release();
    far_ = far.release();
}

LoopbackPair::~LoopbackPair() {
    if (near_ >= 0) ::close(near_);
    if (far_ >= 0) ::close(far_);
}

void LoopbackPair::send(std::span<const std::byte> bytes) noexcept {
    std::array<std::byte, 2'048> arrived;
    (void)::recv(far_, arrived.data(), arrived.size(), MSG_DONTWAIT);
    (void)::send(near_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace tickpath::trade
