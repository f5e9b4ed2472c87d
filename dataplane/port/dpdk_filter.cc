// Tells a device which frames to let in, and asks what it counted itself. Cold.
#include <algorithm>

#include "dataplane/port/dpdk_impl.h"

namespace tickpath::port {
namespace {

rte_ether_addr ethernet_address(net::MacAddress mac) {
    rte_ether_addr address{};
    for (std::size_t i = 0; i < net::mac_address_bytes; ++i)
        address.addr_bytes[i] = static_cast<std::uint8_t>(mac.bits >> (8 * (net::mac_address_bytes - 1 - i)));
    return address;
}

class DeviceFilter {
public:
    explicit DeviceFilter(std::uint16_t port_id) : port_id_(port_id) {}

    [[nodiscard]] int set_mac_list(std::span<const net::MacAddress> macs) const {
        std::vector<rte_ether_addr> addresses;
        for (const net::MacAddress mac : macs)
            addresses.push_back(ethernet_address(mac));
        return rte_eth_dev_set_mc_addr_list(port_id_, addresses.data(),
                                            static_cast<std::uint32_t>(addresses.size()));
    }
    [[nodiscard]] int set_all_multicast() const { return rte_eth_allmulticast_enable(port_id_); }
    [[nodiscard]] int set_promiscuous() const { return rte_eth_promiscuous_enable(port_id_); }

private:
    std::uint16_t port_id_;
};

}  // namespace

FilterChoice DpdkPort::let_in(std::span<const net::MulticastGroup> groups) {
    const bool hears_queries = impl_->facts.capabilities.membership == MembershipBy::own_igmp;
    const std::vector<net::MacAddress> macs = multicast_macs(groups, hears_queries);
    return choose_multicast_filter(macs, DeviceFilter(impl_->port_id));
}

std::vector<ExtendedStat> DpdkPort::extended_stats() const {
    const std::uint16_t id = impl_->port_id;
    const int count = rte_eth_xstats_get_names(id, nullptr, 0);
    if (count <= 0) return {};
    std::vector<rte_eth_xstat_name> names(static_cast<std::size_t>(count));
    std::vector<rte_eth_xstat> values(static_cast<std::size_t>(count));
    if (rte_eth_xstats_get_names(id, names.data(), static_cast<unsigned>(count)) != count) return {};
    const int known = rte_eth_xstats_get(id, values.data(), static_cast<unsigned>(count));
    std::vector<ExtendedStat> stats;
    for (int i = 0; i < std::min(known, count); ++i) {
        const rte_eth_xstat& at = values[static_cast<std::size_t>(i)];
        if (at.value != 0 && at.id < names.size()) stats.push_back({names[at.id].name, at.value});
    }
    return stats;
}

}  // namespace tickpath::port
