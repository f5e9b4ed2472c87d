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

using Sharers = std::vector<std::vector<std::size_t>>;  // by port: the receivers that name it, in their order

Sharers sharers_of_ports(const PlanRequest& request, const std::vector<ReceiverRequest>& receivers) {
    Sharers sharers(request.port_names.size());
    for (std::size_t r = 0; r < receivers.size(); ++r)
        for (const std::uint16_t port : receivers[r].ports)
            if (sharers[port].empty() || sharers[port].back() != r) sharers[port].push_back(r);
    return sharers;
}

std::string names_of(const std::vector<std::size_t>& sharers, const std::vector<ReceiverRequest>& receivers) {
    std::string names = sharers.size() == 2 ? "both " : "";
    for (std::size_t i = 0; i < sharers.size(); ++i)
        names += (i == 0                   ? "\""
                  : i + 1 < sharers.size() ? ", \""
                                           : " and \"") +
                 receivers[sharers[i]].name + '"';
    return names;
}

// Who shares a port has a queue of it each.
void check_ports(const PlanRequest& request, const std::vector<ReceiverRequest>& receivers,
                 const Sharers& sharers, std::string_view file, Diagnostics& diagnostics) {
    for (std::size_t port = 0; port < sharers.size(); ++port) {
        const std::string name = "port \"" + request.port_names[port] + "\"";
        const std::size_t worker_count = sharers[port].size();
        const std::size_t queue_count = request.port_queue_counts[port];
        if (worker_count == 0)
            diagnostics.error(file, 0, name + " is polled by no worker; add it to the ports of a <receive>");
        if (worker_count > 1 && worker_count != queue_count)
            diagnostics.error(file, 0,
                              name + " is polled by " + names_of(sharers[port], receivers) + " and has " +
                                  std::to_string(queue_count) + (queue_count == 1 ? " queue" : " queues") +
                                  "; name it in one <receive> only, or set queue_count=\"" +
                                  std::to_string(worker_count) + "\" where the device takes flow rules");
    }
}

// All queues of a port of its own, or its place among those who share it. Ports in the order they are named
// in.
std::vector<QueueRef> queues_of(std::size_t receiver, const std::vector<std::uint16_t>& ports,
                                const PlanRequest& request, const Sharers& sharers) {
    std::vector<QueueRef> queues;
    for (const std::uint16_t port : ports) {
        const auto place = std::find(sharers[port].begin(), sharers[port].end(), receiver);
        const bool is_alone = sharers[port].size() == 1;
        const auto first = is_alone ? 0 : place - sharers[port].begin();
        const auto end = is_alone ? request.port_queue_counts[port] : first + 1;
        for (auto queue = first; queue < end; ++queue) {
            const QueueRef ref{port, static_cast<std::uint16_t>(queue)};
            if (std::find(queues.begin(), queues.end(), ref) == queues.end()) queues.push_back(ref);
        }
    }
    return queues;
}

// Of the receivers that poll all ports of a channel the one with the fewest lines so far, the first of
// several.
std::optional<std::size_t> owner_of(const ChannelRequest& channel, const Sharers& sharers,
                                    const std::vector<std::size_t>& line_counts) {
    std::optional<std::size_t> owner;
    for (const std::size_t candidate : sharers[channel.ports.front()]) {
        const bool has_all = std::all_of(channel.ports.begin(), channel.ports.end(), [&](std::uint16_t port) {
            return std::find(sharers[port].begin(), sharers[port].end(), candidate) != sharers[port].end();
        });
        if (has_all && (!owner || line_counts[candidate] < line_counts[*owner])) owner = candidate;
    }
    return owner;
}

// A port that nobody polls is an error of its own.
void refuse_split(const ChannelRequest& channel, const PlanRequest& request, const Sharers& sharers,
                  std::string_view file, Diagnostics& diagnostics) {
    if (std::any_of(channel.ports.begin(), channel.ports.end(),
                    [&](std::uint16_t port) { return sharers[port].empty(); }))
        return;
    const auto elsewhere = std::find_if(channel.ports.begin(), channel.ports.end(), [&](std::uint16_t port) {
        return sharers[port] != sharers[channel.ports.front()];
    });
    diagnostics.error(file, 0,
                      "channel \"" + channel.name + "\" is split: its lines arrive at ports \"" +
                          request.port_names[channel.ports.front()] + "\" and \"" +
                          request.port_names[*elsewhere] +
                          "\", which different workers poll; give both ports to one <receive>");
}

}  // namespace

Plan make_plan(const PlanRequest& request, std::string_view file, Diagnostics& diagnostics) {
    const std::vector<ReceiverRequest> receivers = receivers_or_default(request);
    const Sharers sharers = sharers_of_ports(request, receivers);
    check_ports(request, receivers, sharers, file, diagnostics);
    if (receivers.size() > 1 && !request.split)
        diagnostics.error(file, 0,
                          std::to_string(receivers.size()) +
                              " receive workers need layout=\"split\": one trade stage serves one thread");

    Plan plan{.receivers = {}, .split = request.split, .trade_cpu = request.trade_cpu};
    for (std::size_t r = 0; r < receivers.size(); ++r)
        plan.receivers.push_back({.name = receivers[r].name,
                                  .cpu = receivers[r].cpu,
                                  .queues = queues_of(r, receivers[r].ports, request, sharers),
                                  .channels = {}});
    std::vector<std::size_t> line_counts(receivers.size());
    for (std::size_t c = 0; c < request.channels.size(); ++c) {
        const ChannelRequest& channel = request.channels[c];
        const auto owner = owner_of(channel, sharers, line_counts);
        if (!owner) {
            refuse_split(channel, request, sharers, file, diagnostics);
            continue;
        }
        plan.receivers[*owner].channels.push_back(static_cast<std::uint16_t>(c));
        line_counts[*owner] += channel.ports.size();
    }
    return plan;
}

}  // namespace tickpath::pipeline
