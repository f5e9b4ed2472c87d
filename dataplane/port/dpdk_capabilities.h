// Asks a device what it can do. Included by the dpdk_*.cc files only. Cold.
#pragma once

#include <cstdint>

#include <rte_ethdev.h>

#include "dataplane/port/port_capabilities.h"
#include "dataplane/port/port_settings.h"

namespace tickpath::port {

[[nodiscard]] DescriptorLimits limits_of(const rte_eth_desc_lim& limits);

/// Of a started device: drivers judge a flow rule only then. Changes nothing on it.
[[nodiscard]] PortCapabilities ask_capabilities(std::uint16_t port_id, DeviceKind kind,
                                                const rte_eth_dev_info& info);

}  // namespace tickpath::port
