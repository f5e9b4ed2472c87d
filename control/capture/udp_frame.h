// An Ethernet frame around a UDP datagram, for captures that are made up. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoders/net/multicast_group.h"

namespace tickpath::capture {

/// From 10.0.0.1:40000 to the group, with right checksums and destination MAC, padded to the 60 bytes that
/// Ethernet asks for. `payload` has at most 65,507 bytes.
[[nodiscard]] std::vector<std::byte> udp_frame(net::MulticastGroup group, std::span<const std::byte> payload);

}  // namespace tickpath::capture
