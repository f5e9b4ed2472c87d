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

/// What became of rules that a device was given.
enum class Steered : std::uint8_t {
    done,
    refused,  ///< no rule is left, and frames come as without
    broken,   ///< the device was stopped for it and does not run again
};

}  // namespace tickpath::port
