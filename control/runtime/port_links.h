// Notices that the interface under a live port goes away, which the device does not tell: without it books
// would stay valid for ever. Cold; once a second.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataplane/core/command_ring.h"
#include "dataplane/core/counters.h"
#include "dataplane/port/dpdk_port.h"
#include "dataplane/port/interface_watch.h"

namespace tickpath::runtime {

class PortLinks {
public:
    /// From now on the port with this index is looked at; its losses are counted as "<port>.link_lost".
    void watch(std::uint16_t port, const port::PortFacts& facts, core::CounterPage& page);

    /// Tells the receive workers what has changed since the last look; `tell` is false when it must be said
    /// again. Returns a line for a person about each change, once.
    [[nodiscard]] std::vector<std::string> look(const std::function<bool(core::Command)>& tell);

private:
    struct Link {
        std::uint16_t port;
        std::string name;
        std::string interface;
        port::InterfaceWatch watch;
        core::Counter losses;
        port::InterfaceState said = port::InterfaceState::up;
        bool is_told_as_lost = false;  ///< what the workers know
    };

    std::vector<Link> links_;
};

}  // namespace tickpath::runtime
