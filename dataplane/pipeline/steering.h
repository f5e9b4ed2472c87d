// Plan → rules: which group of which port goes to which queue, given what the devices can. A pure function.
// Cold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/pipeline/plan.h"
#include "dataplane/port/flow_rule.h"
#include "dataplane/port/port_capabilities.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::pipeline {

struct SteeredPort {
    std::string name;
    port::PortCapabilities capabilities;
    std::uint16_t queue_count = 1;
};

/// A group that a channel listens to, and the port it arrives at.
struct GroupAt {
    net::MulticastGroup group;
    std::uint16_t port = 0;
};

struct SteeringRequest {
    std::vector<SteeredPort> ports;              ///< by index, as the plan counts them
    std::vector<std::vector<GroupAt>> channels;  ///< by index, as the plan counts them
    Plan plan;
    std::vector<int> receiver_nodes;  ///< NUMA node of each receiver's CPU; -1: not pinned or not known
};

struct PortSteering {
    /// Nothing but what a rule takes leaves the kernel: of a device that the kernel has, too.
    bool isolate = false;
    /// Without the rules datagrams come to a wrong worker: a device that refuses one cannot be used so.
    bool is_needed = false;
    std::vector<port::FlowRule> rules;  ///< one for each group that arrives at the port
};

/// Where a device cannot steer, one worker receives and hands the others their packets.
struct PacketHandOver {
    std::uint16_t port = 0;
    std::uint16_t from = 0;  ///< receiver, by index in the plan
    std::uint16_t to = 0;
};

struct Steering {
    std::vector<PortSteering> ports;  ///< by index
    std::vector<PacketHandOver> hand_overs;
};

/// Rules wherever the device takes them. Where several workers share a port whose device takes none, the
/// first receives for the others.
///
/// Errors (all of them, under `file`): several queues of a device that can only spread by a hash (RSS), which
/// sends the lines of a channel to queues nobody can foretell. Warnings: a worker on another NUMA node than a
/// port that it polls.
[[nodiscard]] Steering make_steering(const SteeringRequest& request, std::string_view file,
                                     Diagnostics& diagnostics);

}  // namespace tickpath::pipeline
