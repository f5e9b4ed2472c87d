// Plan and rules of topologies that stand in data/steering, one a file: what there is above "=", what becomes
// of it below. Read them: they are the specification.
#include "dataplane/pipeline/steering.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tickpath::pipeline {
namespace {

const std::filesystem::path folder = TICKPATH_SOURCE_ROOT "/tests/dataplane/pipeline/data/steering";

struct Topology {
    PlanRequest plan;
    SteeringRequest steering;
    std::string expected;
};

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);)
        if (!part.empty()) parts.push_back(part);
    return parts;
}

// "port a steering=flow queues=2 shared=yes node=0": what is not said is what PortCapabilities has.
class TopologyReader {
public:
    Topology read(const std::filesystem::path& path) {
        std::ifstream in(path);
        topology_.plan.split = true;
        bool is_expected = false;
        for (std::string line; std::getline(in, line);) {
            if (is_expected)
                topology_.expected += line + '\n';
            else if (line == "=")
                is_expected = true;
            else if (!line.empty() && line[0] != '#')
                take(split(line, ' '));
        }
        EXPECT_TRUE(is_expected) << path;
        return topology_;
    }

private:
    using Values = std::vector<std::pair<std::string, std::string>>;

    void take(const std::vector<std::string>& words) {
        Values values;
        for (std::size_t i = 2; i < words.size(); ++i)
            values.emplace_back(words[i].substr(0, words[i].find('=')),
                                words[i].substr(words[i].find('=') + 1));
        if (words[0] == "port") return take_port(words[1], values);
        if (words[0] == "worker") return take_worker(words[1], values);
        if (words[0] == "channel") return take_channel(words[1], values);
        ADD_FAILURE() << "unknown word " << words[0];
    }

    void take_port(const std::string& name, const Values& values) {
        SteeredPort port{.name = name, .capabilities = {}, .queue_count = 1};
        for (const auto& [key, value] : values) {
            if (key == "steering")
                port.capabilities.steering = value == "flow"  ? port::Steering::flow
                                             : value == "rss" ? port::Steering::rss
                                                              : port::Steering::none;
            else if (key == "queues")
                port.queue_count = static_cast<std::uint16_t>(std::stoul(value));
            else if (key == "shared")
                port.capabilities.is_shared_with_kernel = value == "yes";
            else if (key == "node")
                port.capabilities.numa_node = std::stoi(value);
            else
                ADD_FAILURE() << "unknown key " << key;
        }
        indices_[name] = static_cast<std::uint16_t>(topology_.plan.port_names.size());
        topology_.plan.port_names.push_back(name);
        topology_.plan.port_queue_counts.push_back(port.queue_count);
        topology_.steering.ports.push_back(port);
    }

    void take_worker(const std::string& name, const Values& values) {
        ReceiverRequest receiver{.name = name, .cpu = -1, .ports = {}};
        int node = -1;
        for (const auto& [key, value] : values) {
            if (key == "node") node = std::stoi(value);
            if (key != "ports") continue;
            for (const std::string& port : split(value, ','))
                receiver.ports.push_back(indices_.at(port));
        }
        topology_.plan.receivers.push_back(receiver);
        topology_.steering.receiver_nodes.push_back(node);
    }

    void take_channel(const std::string& name, const Values& values) {
        std::vector<GroupAt> groups;
        ChannelRequest channel{.name = name, .ports = {}};
        for (const auto& [port, group] : values) {
            std::string why_not;
            const auto parsed = net::parse_group(group, why_not);
            EXPECT_TRUE(parsed) << why_not;
            groups.push_back({.group = parsed.value_or(net::MulticastGroup{}), .port = indices_.at(port)});
            channel.ports.push_back(indices_.at(port));
        }
        topology_.plan.channels.push_back(channel);
        topology_.steering.channels.push_back(groups);
    }

    Topology topology_;
    std::map<std::string, std::uint16_t> indices_;
};

std::string text_of(const Plan& plan, const PlanRequest& request) {
    std::string text;
    for (const ReceiverPlan& receiver : plan.receivers) {
        text += "worker " + receiver.name + " polls";
        for (const QueueRef queue : receiver.queues)
            text += ' ' + request.port_names[queue.port] + ".q" + std::to_string(queue.queue);
        text += ", channels";
        for (const std::uint16_t channel : receiver.channels)
            text += ' ' + request.channels[channel].name;
        text += receiver.channels.empty() ? " none\n" : "\n";
    }
    return text;
}

std::string text_of(const Steering& steering, const SteeringRequest& request) {
    std::string text;
    for (std::size_t p = 0; p < steering.ports.size(); ++p) {
        const PortSteering& port = steering.ports[p];
        if (!port.rules.empty())
            text += "port " + request.ports[p].name + (port.isolate ? " isolated," : "") + " rules " +
                    (port.is_needed ? "needed\n" : "not needed\n");
        for (const port::FlowRule& rule : port.rules)
            text += "  " + to_text(rule.group) + " -> queue " + std::to_string(rule.queue) + '\n';
    }
    for (const PacketHandOver& over : steering.hand_overs)
        text += "packet ring of port " + request.ports[over.port].name + ": " +
                request.plan.receivers[over.from].name + " -> " + request.plan.receivers[over.to].name + '\n';
    return text;
}

std::string outcome_of(Topology& topology) {
    Diagnostics diagnostics;
    topology.steering.plan = make_plan(topology.plan, "", diagnostics);
    std::string text;
    if (!diagnostics.has_errors()) {
        if (topology.steering.receiver_nodes.empty()) topology.steering.receiver_nodes = {-1};
        const Steering steering = make_steering(topology.steering, "", diagnostics);
        text = text_of(topology.steering.plan, topology.plan);
        if (!diagnostics.has_errors()) text += text_of(steering, topology.steering);
    }
    for (const Diagnostic& finding : diagnostics.all())
        text += (finding.severity == Severity::error ? "error: " : "warning: ") + finding.text + '\n';
    return text;
}

std::vector<std::filesystem::path> topology_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

TEST(Steering, MakesOfEveryTopologyWhatItsFileSays) {
    const std::vector<std::filesystem::path> files = topology_files();
    EXPECT_GE(files.size(), 20u) << "so many there were";
    for (const std::filesystem::path& file : files) {
        Topology topology = TopologyReader().read(file);
        EXPECT_EQ(outcome_of(topology), topology.expected) << file.filename();
    }
}

// Whatever the topology: every group of every channel has one rule on each steering port it arrives at, to a
// queue that the channel's worker polls, and no other rule is made.
TEST(Steering, SendsEachGroupToItsWorkerOnce) {
    for (const std::filesystem::path& file : topology_files()) {
        Topology topology = TopologyReader().read(file);
        Diagnostics diagnostics;
        topology.steering.plan = make_plan(topology.plan, "", diagnostics);
        if (topology.steering.receiver_nodes.empty()) topology.steering.receiver_nodes = {-1};
        if (diagnostics.has_errors()) continue;
        const Steering steering = make_steering(topology.steering, "", diagnostics);
        std::size_t rules_left = 0;
        for (const PortSteering& port : steering.ports)
            rules_left += port.rules.size();
        for (const ReceiverPlan& receiver : topology.steering.plan.receivers)
            for (const std::uint16_t channel : receiver.channels)
                for (const GroupAt& at : topology.steering.channels[channel]) {
                    if (topology.steering.ports[at.port].capabilities.steering != port::Steering::flow)
                        continue;
                    const auto& rules = steering.ports[at.port].rules;
                    const auto is_it = [&](const port::FlowRule& rule) { return rule.group == at.group; };
                    ASSERT_EQ(std::count_if(rules.begin(), rules.end(), is_it), 1) << file.filename();
                    const QueueRef target{at.port, std::find_if(rules.begin(), rules.end(), is_it)->queue};
                    EXPECT_NE(std::find(receiver.queues.begin(), receiver.queues.end(), target),
                              receiver.queues.end())
                        << file.filename();
                    --rules_left;
                }
        EXPECT_EQ(rules_left, 0u) << file.filename();
    }
}

}  // namespace
}  // namespace tickpath::pipeline
