#include "control/doctor/interface_features.h"

#include <cstdint>
#include <cstring>
#include <string>

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tickpath::doctor {
namespace {

bool ask(int socket, const std::string& interface, void* question) {
    ifreq request{};
    interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
    request.ifr_data = static_cast<char*>(question);
    return ::ioctl(socket, SIOCETHTOOL, &request) == 0;
}

bool is_on(int socket, const std::string& interface, std::uint32_t command) {
    ethtool_value value{.cmd = command, .data = 0};
    return ask(socket, interface, &value) && value.data != 0;
}

std::string driver_of(int socket, const std::string& interface) {
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    if (!ask(socket, interface, &info)) return {};
    return {info.driver, ::strnlen(info.driver, sizeof info.driver)};
}

InterfaceFeatures features_of(int socket, const std::string& interface) {
    return {.name = interface,
            .driver = driver_of(socket, interface),
            .transmit_checksum = is_on(socket, interface, ETHTOOL_GTXCSUM),
            .tcp_segmentation = is_on(socket, interface, ETHTOOL_GTSO),
            .generic_segmentation = is_on(socket, interface, ETHTOOL_GGSO),
            .generic_receive = is_on(socket, interface, ETHTOOL_GGRO)};
}

}  // namespace

// Not from /sys/class/net: a program in another namespace may still see the files of its old one.
std::vector<InterfaceFeatures> features_of_interfaces() {
    std::vector<InterfaceFeatures> all;
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct if_nameindex* const interfaces = ::if_nameindex();
    for (const auto* at = interfaces; socket >= 0 && at != nullptr && at->if_index != 0; ++at)
        all.push_back(features_of(socket, at->if_name));
    if (interfaces != nullptr) ::if_freenameindex(interfaces);
    if (socket >= 0) ::close(socket);
    return all;
}

}  // namespace tickpath::doctor
