#include "dataplane/port/membership.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tickpath::port {
namespace {

// net.ipv4.igmp_max_memberships is 20 by default, per socket.
constexpr std::size_t groups_per_socket = 20;

std::vector<std::uint32_t> distinct_addresses(std::span<const net::MulticastGroup> groups) {
    std::vector<std::uint32_t> addresses;
    for (const net::MulticastGroup& group : groups)
        addresses.push_back(group.address);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    return addresses;
}

int join_on(int socket, unsigned interface_index, std::uint32_t address) {
    ip_mreqn request{};
    request.imr_multiaddr.s_addr = htonl(address);
    request.imr_ifindex = static_cast<int>(interface_index);
    return ::setsockopt(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
}

std::string address_text(std::uint32_t address) {
    const std::string text = to_text(net::MulticastGroup{address, 0});
    return text.substr(0, text.find(':'));
}

std::string remedy(int error) {
    if (error != ENOBUFS) return {};
    return "; sudo sysctl net.ipv4.igmp_max_memberships=" + std::to_string(groups_per_socket);
}

}  // namespace

Membership Membership::join(std::string_view interface, std::span<const net::MulticastGroup> groups,
                            std::string_view file, Diagnostics& diagnostics) {
    Membership membership;
    const std::string name(interface);
    const unsigned index = ::if_nametoindex(name.c_str());
    if (index == 0) {
        diagnostics.error(file, 0, "interface " + name + " does not exist, no group can be joined on it",
                          Errc::io);
        return membership;
    }
    for (const std::uint32_t address : distinct_addresses(groups)) {
        if (membership.group_count_ % groups_per_socket == 0) {
            const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
            if (socket < 0) {
                diagnostics.error(file, 0,
                                  std::string("no socket for group membership: ") + std::strerror(errno),
                                  Errc::io);
                return membership;
            }
            membership.sockets_.push_back(socket);
        }
        if (join_on(membership.sockets_.back(), index, address) != 0) {
            const int error = errno;
            diagnostics.error(file, 0,
                              "group " + address_text(address) + " cannot be joined on " + name + ": " +
                                  std::strerror(error) + remedy(error),
                              Errc::io);
            return membership;
        }
        ++membership.group_count_;
    }
    return membership;
}

Membership::Membership(Membership&& other) noexcept
    : sockets_(std::exchange(other.sockets_, {})), group_count_(std::exchange(other.group_count_, 0)) {}

Membership& Membership::operator=(Membership&& other) noexcept {
    std::swap(sockets_, other.sockets_);
    std::swap(group_count_, other.group_count_);
    return *this;
}

Membership::~Membership() {
    for (const int socket : sockets_)
        ::close(socket);
}

}  // namespace tickpath::port
