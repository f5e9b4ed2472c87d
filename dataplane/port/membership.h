// Joins multicast groups on a kernel interface with ordinary sockets: programs the NIC's filter and makes the
// kernel answer IGMP queries, while the frames are read elsewhere. Cold.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/diagnostics.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::port {

/// Member of its groups for as long as it lives. The sockets are bound to nothing and receive nothing.
class Membership {
public:
    /// Joins each distinct group address on `interface`. Findings go to `diagnostics` under `file`: an
    /// interface that does not exist or is down is an error, as is a group the kernel refuses.
    [[nodiscard]] static Membership join(std::string_view interface,
                                         std::span<const net::MulticastGroup> groups, std::string_view file,
                                         Diagnostics& diagnostics);

    Membership() = default;
    Membership(Membership&& other) noexcept;
    Membership& operator=(Membership&& other) noexcept;
    ~Membership();

    [[nodiscard]] std::size_t group_count() const noexcept { return group_count_; }

private:
    std::vector<int> sockets_;
    std::size_t group_count_ = 0;
};

}  // namespace tickpath::port
