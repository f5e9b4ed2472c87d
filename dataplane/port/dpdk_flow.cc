#include "dataplane/port/dpdk_flow.h"

#include <array>
#include <cerrno>

#include <rte_byteorder.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>

namespace tickpath::port {
namespace {

// A rule in DPDK's form: any Ethernet frame, this IPv4 destination, this UDP port. Its parts point at each
// other.
class FlowPattern {
public:
    explicit FlowPattern(const FlowRule& rule) {
        ingress_.ingress = 1;
        address_.hdr.dst_addr = rte_cpu_to_be_32(rule.group.address);
        address_mask_.hdr.dst_addr = ~rte_be32_t{0};
        port_.hdr.dst_port = rte_cpu_to_be_16(rule.group.port);
        port_mask_.hdr.dst_port = static_cast<rte_be16_t>(~rte_be16_t{0});
        queue_.index = rule.queue;
    }
    FlowPattern(const FlowPattern&) = delete;
    FlowPattern& operator=(const FlowPattern&) = delete;

    [[nodiscard]] bool validate(std::uint16_t port_id, rte_flow_error& error) const {
        return rte_flow_validate(port_id, &ingress_, items_.data(), actions_.data(), &error) == 0;
    }
    [[nodiscard]] bool create(std::uint16_t port_id, rte_flow_error& error) const {
        return rte_flow_create(port_id, &ingress_, items_.data(), actions_.data(), &error) != nullptr;
    }

private:
    rte_flow_attr ingress_{};
    rte_flow_item_ipv4 address_{};
    rte_flow_item_ipv4 address_mask_{};
    rte_flow_item_udp port_{};
    rte_flow_item_udp port_mask_{};
    rte_flow_action_queue queue_{};
    std::array<rte_flow_item, 4> items_{{{RTE_FLOW_ITEM_TYPE_ETH, nullptr, nullptr, nullptr},
                                         {RTE_FLOW_ITEM_TYPE_IPV4, &address_, nullptr, &address_mask_},
                                         {RTE_FLOW_ITEM_TYPE_UDP, &port_, nullptr, &port_mask_},
                                         {RTE_FLOW_ITEM_TYPE_END, nullptr, nullptr, nullptr}}};
    std::array<rte_flow_action, 2> actions_{
        {{RTE_FLOW_ACTION_TYPE_QUEUE, &queue_}, {RTE_FLOW_ACTION_TYPE_END, nullptr}}};
};

std::string words_of(const rte_flow_error& error) {
    return error.message != nullptr ? error.message : rte_strerror(rte_errno);
}

std::string refusal(const FlowRule& rule, const char* what, const rte_flow_error& error) {
    return "group " + to_text(rule.group) + " to queue " + std::to_string(rule.queue) + ": " + what + " (" +
           words_of(error) + ')';
}

}  // namespace

bool accepts_rule(std::uint16_t port_id, const FlowRule& rule, std::string& why_not) {
    rte_flow_error error{};
    if (FlowPattern(rule).validate(port_id, error)) return true;
    why_not = refusal(rule, "the device takes no such rule", error);
    return false;
}

bool make_rules(std::uint16_t port_id, std::span<const FlowRule> rules, std::string& why_not) {
    for (const FlowRule& rule : rules)
        if (!accepts_rule(port_id, rule, why_not)) return false;
    for (const FlowRule& rule : rules) {
        rte_flow_error error{};
        if (FlowPattern(rule).create(port_id, error)) continue;
        why_not = refusal(rule, "the device accepted the rule and could not make it", error);
        rte_flow_error ignored{};
        (void)rte_flow_flush(port_id, &ignored);
        return false;
    }
    return true;
}

Steered set_isolated(std::uint16_t port_id, bool is_isolated, std::string& why_not) {
    rte_flow_error error{};
    if (const int outcome = rte_eth_dev_stop(port_id); outcome != 0) {
        why_not = std::string("it does not stop for flow isolation: ") + rte_strerror(-outcome);
        return Steered::refused;
    }
    const bool is_set = rte_flow_isolate(port_id, is_isolated ? 1 : 0, &error) == 0;
    if (!is_set) why_not = "it takes no flow isolation (" + words_of(error) + ')';
    if (const int outcome = rte_eth_dev_start(port_id); outcome != 0) {
        why_not = std::string("it does not start again after flow isolation: ") + rte_strerror(-outcome);
        return Steered::broken;
    }
    return is_set ? Steered::done : Steered::refused;
}

}  // namespace tickpath::port
