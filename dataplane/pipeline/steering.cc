#include "dataplane/pipeline/steering.h"

#include <algorithm>

namespace tickpath::pipeline {
namespace {

bool polls(const ReceiverPlan& receiver, std::uint16_t port) {
    return std::any_of(receiver.queues.begin(), receiver.queues.end(),
                       [&](QueueRef queue) { return queue.port == port; });
}

std::vector<std::uint16_t> receivers_of(const Plan& plan, std::uint16_t port) {
    std::vector<std::uint16_t> receivers;
    for (std::size_t r = 0; r < plan.receivers.size(); ++r)
        if (polls(plan.receivers[r], port)) receivers.push_back(static_cast<std::uint16_t>(r));
    return receivers;
}

// A worker with all queues of a port gets everything in the first: order within a burst is worth more than a
// second ring.
std::uint16_t queue_of(const ReceiverPlan& receiver, std::uint16_t port) {
    const auto queue = std::find_if(receiver.queues.begin(), receiver.queues.end(),
                                    [&](QueueRef candidate) { return candidate.port == port; });
    return queue->queue;
}

std::vector<port::FlowRule> rules_for(const SteeringRequest& request, std::uint16_t port) {
    std::vector<port::FlowRule> rules;
    for (const ReceiverPlan& receiver : request.plan.receivers)
        for (const std::uint16_t channel : receiver.channels)
            for (const GroupAt& at : request.channels[channel])
                if (at.port == port) rules.push_back({.group = at.group, .queue = queue_of(receiver, port)});
    return rules;
}

void refuse_rss(const SteeredPort& port, std::string_view file, Diagnostics& diagnostics) {
    diagnostics.error(
        file, 0,
        "port \"" + port.name + "\" can spread frames over its " + std::to_string(port.queue_count) +
            " queues by a hash only (RSS): nobody can foretell to which queue a group goes, so the lines "
            "of a channel would part; set queue_count=\"1\" and name the port in one <receive>");
}

void warn_of_far_workers(const SteeringRequest& request, std::uint16_t port, std::string_view file,
                         Diagnostics& diagnostics) {
    const int node = request.ports[port].capabilities.numa_node;
    for (const std::uint16_t r : receivers_of(request.plan, port)) {
        const int own = request.receiver_nodes[r];
        if (node < 0 || own < 0 || own == node) continue;
        diagnostics.warning(
            file, 0,
            "worker \"" + request.plan.receivers[r].name + "\" runs on NUMA node " + std::to_string(own) +
                " and polls port \"" + request.ports[port].name + "\" of node " + std::to_string(node) +
                ": every frame crosses between them; give it a cpu of node " + std::to_string(node));
    }
}

}  // namespace

Steering make_steering(const SteeringRequest& request, std::string_view file, Diagnostics& diagnostics) {
    Steering steering;
    for (std::size_t index = 0; index < request.ports.size(); ++index) {
        const auto p = static_cast<std::uint16_t>(index);
        const SteeredPort& port = request.ports[p];
        const std::vector<std::uint16_t> receivers = receivers_of(request.plan, p);
        PortSteering& made = steering.ports.emplace_back();
        warn_of_far_workers(request, p, file, diagnostics);
        if (port.capabilities.steering == port::Steering::flow) {
            made.rules = rules_for(request, p);
            made.isolate = port.capabilities.is_shared_with_kernel && !made.rules.empty();
            made.is_needed = receivers.size() > 1;
        } else if (port.capabilities.steering == port::Steering::rss && port.queue_count > 1) {
            refuse_rss(port, file, diagnostics);
        } else {
            for (std::size_t other = 1; other < receivers.size(); ++other)
                steering.hand_overs.push_back({.port = p, .from = receivers.front(), .to = receivers[other]});
        }
    }
    return steering;
}

}  // namespace tickpath::pipeline
