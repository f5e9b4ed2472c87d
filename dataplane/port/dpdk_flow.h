// Turns rules into rte_flow. Included by the dpdk_*.cc files only. Cold.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dataplane/port/flow_rule.h"

namespace tickpath::port {

/// The device would take this rule; nothing is made. False with its own words in `why_not`.
[[nodiscard]] bool accepts_rule(std::uint16_t port_id, const FlowRule& rule, std::string& why_not);

/// Judges all rules, then makes them. False with the rule and the device's words in `why_not` when it refuses
/// one; then none of them is left.
[[nodiscard]] bool make_rules(std::uint16_t port_id, std::span<const FlowRule> rules, std::string& why_not);

/// Sends what no rule takes to the kernel, or no longer. Stops the device and starts it again, for drivers
/// take it only then; rules made before are gone. Unless `done`, its words are in `why_not`.
[[nodiscard]] Steered set_isolated(std::uint16_t port_id, bool is_isolated, std::string& why_not);

}  // namespace tickpath::port
