#include "dataplane/port/dpdk_capabilities.h"

#include <ctime>

#include "dataplane/port/dpdk_flow.h"

namespace tickpath::port {
namespace {

Steering steering_of(std::uint16_t port_id, const rte_eth_dev_info& info) {
    // Any group will do: what counts is the form of the rule.
    constexpr FlowRule trial{.group = {.address = 0xEF00'0001, .port = 9000}, .queue = 0};
    std::string why_not;
    if (accepts_rule(port_id, trial, why_not)) return Steering::flow;
    return info.flow_type_rss_offloads != 0 && info.max_rx_queues > 1 ? Steering::rss : Steering::none;
}

// The kernel's index of the interface is all that DPDK says of sharing.
MembershipBy membership_of(DeviceKind kind, const rte_eth_dev_info& info) {
    if (kind == DeviceKind::pcap || kind == DeviceKind::ring || kind == DeviceKind::null)
        return MembershipBy::nobody;
    return info.if_index != 0 ? MembershipBy::kernel : MembershipBy::own_igmp;
}

// Without a frame the register is empty: then the call fails, but not as unsupported.
ReceiveStamp receive_stamp_of(std::uint16_t port_id, DeviceKind kind, const rte_eth_dev_info& info) {
    if (kind == DeviceKind::pcap) return ReceiveStamp::capture;
    if ((info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP) != 0) return ReceiveStamp::every_frame;
    timespec stamp{};
    return rte_eth_timesync_read_rx_timestamp(port_id, &stamp, 0) == -ENOTSUP ? ReceiveStamp::cycles
                                                                              : ReceiveStamp::ptp_frames;
}

TransmitStamp transmit_stamp_of(std::uint16_t port_id) {
    timespec stamp{};
    return rte_eth_timesync_read_tx_timestamp(port_id, &stamp) == -ENOTSUP ? TransmitStamp::doorbell
                                                                           : TransmitStamp::timesync;
}

}  // namespace

DescriptorLimits limits_of(const rte_eth_desc_lim& limits) {
    return {.least = limits.nb_min, .most = limits.nb_max, .multiple_of = limits.nb_align};
}

PortCapabilities ask_capabilities(std::uint16_t port_id, DeviceKind kind, const rte_eth_dev_info& info) {
    return {.steering = steering_of(port_id, info),
            .is_shared_with_kernel = info.if_index != 0,
            .membership = membership_of(kind, info),
            .receive_stamp = receive_stamp_of(port_id, kind, info),
            .transmit_stamp = transmit_stamp_of(port_id),
            .has_checksum_flag = (info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_UDP_CKSUM) != 0,
            .receive_queues_max = info.max_rx_queues,
            .receive_descriptors = limits_of(info.rx_desc_lim),
            .transmit_descriptors = limits_of(info.tx_desc_lim),
            .numa_node = rte_eth_dev_socket_id(port_id)};
}

}  // namespace tickpath::port
