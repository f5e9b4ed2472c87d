// Which frames a device is told to let through: our groups alone where it can, everything as the last resort.
// Cold, free of DPDK.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decoders/net/mac_address.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::port {

/// From the narrowest to the widest.
enum class MulticastFilter : std::uint8_t {
    none,           ///< the device has nothing to be told: a capture, a ring
    mac_list,       ///< frames to the addresses of our groups
    all_multicast,  ///< all multicast frames
    promiscuous,    ///< all frames
};

[[nodiscard]] const char* name(MulticastFilter filter) noexcept;

struct FilterChoice {
    MulticastFilter filter = MulticastFilter::none;
    std::size_t mac_count = 0;  ///< of the list
    std::string why;            ///< what a narrower filter was refused with; empty when none was
    std::string error;          ///< the device fails at the last resort; empty when all is well
};

/// "multicast by a list of 3 addresses", "multicast promiscuous (MAC list: Operation not supported)".
[[nodiscard]] std::string to_text(const FilterChoice& choice);

/// The distinct Ethernet addresses of the groups, in ascending order. With `hears_queries` also the one of
/// 224.0.0.1, to which routers send their IGMP queries.
[[nodiscard]] std::vector<net::MacAddress> multicast_macs(std::span<const net::MulticastGroup> groups,
                                                          bool hears_queries);

/// Appends ", <what>: <text of the error>" to the reasons of a choice.
void add_refusal(FilterChoice& choice, const char* what, int error);

/// Asks the device for the narrowest filter first. `Device` has `set_mac_list(macs)`, `set_all_multicast()`
/// and `set_promiscuous()`, each 0 or a negative errno; what it refuses changes nothing on it.
///
/// A device that knows none of the three (-ENOTSUP) delivers everything anyhow.
template <class Device>
[[nodiscard]] FilterChoice choose_multicast_filter(std::span<const net::MacAddress> macs, Device&& device) {
    FilterChoice choice;
    const int of_list = device.set_mac_list(macs);
    if (of_list == 0) return {MulticastFilter::mac_list, macs.size(), {}, {}};
    add_refusal(choice, "MAC list", -of_list);
    const int of_all = device.set_all_multicast();
    if (of_all == 0) {
        choice.filter = MulticastFilter::all_multicast;
        return choice;
    }
    add_refusal(choice, "all-multicast", -of_all);
    const int of_promiscuous = device.set_promiscuous();
    if (of_promiscuous == 0)
        choice.filter = MulticastFilter::promiscuous;
    else if (of_promiscuous != -ENOTSUP || of_list != -ENOTSUP || of_all != -ENOTSUP) {
        add_refusal(choice, "promiscuous", -of_promiscuous);
        choice.error = "it takes no filter that lets our groups in (" + choice.why + ')';
    }
    return choice;
}

}  // namespace tickpath::port
