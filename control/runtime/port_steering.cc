#include "control/runtime/port_steering.h"

#include <string>

#include "control/runtime/topology.h"

namespace tickpath::runtime {

pipeline::SteeringRequest steering_request(const Parts& parts, const pipeline::Plan& plan) {
    pipeline::SteeringRequest request;
    for (const port::DpdkPort* port : parts.ports)
        request.ports.push_back({.name = port->facts().name,
                                 .capabilities = port->facts().capabilities,
                                 .queue_count = port->queue_count()});
    for (const feed::ChannelPlan& channel : parts.channels) {
        std::vector<pipeline::GroupAt>& groups = request.channels.emplace_back();
        for (const feed::LinePlan& line : channel.lines)
            groups.push_back({.group = line.line.group, .port = line.port});
    }
    for (const pipeline::ReceiverPlan& receiver : plan.receivers)
        request.receiver_nodes.push_back(numa_node_of_cpu(receiver.cpu));
    request.plan = plan;
    return request;
}

void refuse_hand_overs(const pipeline::Steering& steering, const pipeline::SteeringRequest& request,
                       std::string_view file, Diagnostics& diagnostics) {
    for (const pipeline::PacketHandOver& over : steering.hand_overs)
        diagnostics.error(
            file, 0,
            "port \"" + request.ports[over.port].name + "\" is polled by both \"" +
                request.plan.receivers[over.from].name + "\" and \"" + request.plan.receivers[over.to].name +
                "\", and its device cannot send a group to a queue (steering none); name it in one "
                "<receive> only");
}

void steer_ports(const pipeline::Steering& steering, const Parts& parts, std::string_view file,
                 Diagnostics& diagnostics) {
    for (std::size_t p = 0; p < steering.ports.size(); ++p) {
        const pipeline::PortSteering& wanted = steering.ports[p];
        if (wanted.rules.empty()) continue;
        std::string why_not;
        const port::Steered outcome = parts.ports[p]->steer(wanted.rules, wanted.isolate, why_not);
        const std::string text = "port " + parts.ports[p]->facts().name + " takes no flow rules: " + why_not;
        if (outcome == port::Steered::broken)
            diagnostics.error(file, 0, text, Errc::io);
        else if (outcome == port::Steered::refused && wanted.is_needed)
            diagnostics.error(file, 0, text + "; name it in one <receive> only", Errc::io);
        else if (outcome == port::Steered::refused)
            diagnostics.warning(file, 0, text + "; its worker gets all frames");
    }
}

}  // namespace tickpath::runtime
