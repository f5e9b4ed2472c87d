// A bypass link on one end of a tap interface and this process's kernel, as the counterparty, on the other.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include <arpa/inet.h>
#include <sched.h>
#include <unistd.h>

#include "dataplane/core/counters.h"
#include "dataplane/port/bypass_tcp.h"
#include "tests/support/tap_wire.h"

namespace tickpath::test {

/// Puts this program into a network of its own, once: interfaces and addresses go with it. False where that
/// is not permitted.
inline bool enter_tap_network() {
    static const bool is_in = [] {
        const std::string map = "0 " + std::to_string(::geteuid()) + " 1\n";
        if (::unshare(CLONE_NEWNET) != 0) {  // needs no privilege with a user namespace around it
            if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
            std::ofstream("/proc/self/uid_map") << map;
        }
        return ::access("/dev/net/tun", R_OK | W_OK) == 0 && std::system("ip link set lo up") == 0;
    }();
    return is_in;
}

class BypassLab {
public:
    static constexpr const char* kernel_address = "10.77.0.1";
    static constexpr const char* link_address = "10.77.0.2";

    BypassLab() {
        if (!enter_tap_network()) return;
        wire_ = std::make_unique<TapWire>("orders0");
        is_ready_ = wire_->is_open() &&
                    std::system("ip addr add 10.77.0.1/24 dev orders0 && ip link set orders0 up") == 0;
    }

    [[nodiscard]] bool is_ready() const noexcept { return is_ready_; }
    [[nodiscard]] TapWire& wire() noexcept { return *wire_; }
    [[nodiscard]] std::uint64_t count(const char* name) const { return counters_.sum(name); }

    /// Settings of a link to `port` of the kernel.
    [[nodiscard]] static port::BypassTcpSettings settings(std::uint16_t port) {
        port::BypassTcpSettings settings;
        settings.mac = {0x020000000002};
        settings.address = ::inet_addr(link_address);
        settings.netmask = ::inet_addr("255.255.255.0");
        settings.peer_address = ::inet_addr(kernel_address);
        settings.peer_port = port;
        return settings;
    }
    [[nodiscard]] std::unique_ptr<port::BypassTcp> link(const port::BypassTcpSettings& settings) {
        return std::make_unique<port::BypassTcp>(*wire_, settings, counters_, "orders");
    }

private:
    core::CounterPage counters_ = core::CounterPage::anonymous();
    std::unique_ptr<TapWire> wire_;
    bool is_ready_ = false;
};

}  // namespace tickpath::test
