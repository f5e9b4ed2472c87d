#include "dataplane/port/interface_watch.h"

#include <cerrno>

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tickpath::port {
namespace {

// By its index, whatever it is called by now.
InterfaceState state_of(unsigned index) {
    ifreq request{};
    if (::if_indextoname(index, request.ifr_name) == nullptr)
        return errno == ENXIO ? InterfaceState::gone : InterfaceState::up;
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return InterfaceState::up;
    const bool is_known = ::ioctl(fd, SIOCGIFFLAGS, &request) == 0;
    ::close(fd);
    if (!is_known) return InterfaceState::gone;  // since its name was asked for
    const auto flags = static_cast<unsigned short>(request.ifr_flags);
    if ((flags & IFF_UP) == 0) return InterfaceState::down;
    return (flags & IFF_RUNNING) == 0 ? InterfaceState::no_carrier : InterfaceState::up;
}

}  // namespace

InterfaceWatch::InterfaceWatch(std::string_view name)
    : name_(name), index_(::if_nametoindex(name_.c_str())), is_gone_(index_ == 0) {}

InterfaceState InterfaceWatch::look() {
    if (!is_gone_) {
        const InterfaceState state = state_of(index_);
        if (state != InterfaceState::gone) return state;
        is_gone_ = true;
    }
    return ::if_nametoindex(name_.c_str()) == 0 ? InterfaceState::gone : InterfaceState::replaced;
}

}  // namespace tickpath::port
