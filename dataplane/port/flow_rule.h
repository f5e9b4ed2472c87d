// Which queue of a port a group's datagrams come to. Plain values, free of DPDK. Cold.
#pragma once

#include <cstdint>

#include "decoders/net/multicast_group.h"

namespace tickpath::port {

struct FlowRule {
    net::MulticastGroup group;
    std::uint16_t queue = 0;

    friend constexpr bool operator==(const FlowRule&, const FlowRule&) = default;
};

}  // namespace tickpath::port
