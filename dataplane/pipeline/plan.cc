#include "dataplane/pipeline/plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace tickpath::pipeline {
namespace {

std::vector<ReceiverRequest> receivers_or_default(const PlanRequest& request) {
    if (!request.receivers.empty()) return request.receivers;
    std::vector<std::uint16_t> every_port(request.port_names.size());
    std::iota(every_port.begin(), every_port.end(), std::uint16_t{0});
    return {{.name = "r0", .cpu = -1, .ports = std::move(every_port)}};
}

/// The receiver that polls each port; ports nobody polls stay nullopt.
std::vector<std::optional<std::size_t>> owners_of_ports(const PlanRequest& request,
                                                        const std::vector<ReceiverRequest>& receivers,
                                                        std::string_view file, Diagnostics& diagnostics) {
    std::vector<std::optional<std::size_t>> owners(request.port_names.size());
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        for (const std::uint16_t port : receivers[r].ports) {
            if (owners[port] && *owners[port] != r)
                diagnostics.error(file, 0,
                                  "port \"" + request.port_names[port] + "\" is polled by both \"" +
                                      receivers[*owners[port]].name + "\" and \"" + receivers[r].name +
                                      "\"; name it in one <receive> only");
            owners[port] = r;
        }
    }
    for (std::size_t port = 0; port < owners.size(); ++port)
        if (!owners[port])
            diagnostics.error(file, 0,
                              "port \"" + request.port_names[port] +
                                  "\" is polled by no worker; add it to the ports of a <receive>");
    return owners;
}

}  // namespace

Plan make_plan(const PlanRequest& request, std::string_view file, Diagnostics& diagnostics) {
    const std::vector<ReceiverRequest> receivers = receivers_or_default(request);
    const auto owners = owners_of_ports(request, receivers, file, diagnostics);
    if (receivers.size() > 1 && !request.split)
        diagnostics.error(file, 0,
                          std::to_string(receivers.size()) +
                              " receive workers need layout=\"split\": one trade stage serves one thread");

    Plan plan{.receivers = {}, .split = request.split, .trade_cpu = request.trade_cpu};
    for (const ReceiverRequest& receiver : receivers) {
        ReceiverPlan planned{.name = receiver.name, .cpu = receiver.cpu, .queues = {}, .channels = {}};
        for (const std::uint16_t port : receiver.ports)
            for (std::uint16_t queue = 0; queue < request.port_queue_counts[port]; ++queue)
                planned.queues.push_back({port, queue});
        plan.receivers.push_back(std::move(planned));
    }
    for (std::size_t c = 0; c < request.channels.size(); ++c) {
        const ChannelRequest& channel = request.channels[c];
        const auto owner = owners[channel.ports.front()];
        const auto elsewhere = std::find_if(channel.ports.begin(), channel.ports.end(),
                                            [&](std::uint16_t port) { return owners[port] != owner; });
        if (elsewhere != channel.ports.end()) {
            diagnostics.error(file, 0,
                              "channel \"" + channel.name + "\" is split: its lines arrive at ports \"" +
                                  request.port_names[channel.ports.front()] + "\" and \"" +
                                  request.port_names[*elsewhere] +
                                  "\", which different workers poll; give both ports to one <receive>");
            continue;
        }
        if (owner) plan.receivers[*owner].channels.push_back(static_cast<std::uint16_t>(c));
    }
    return plan;
}

}  // namespace tickpath::pipeline
