#include "dataplane/feed/group_router.h"

#include <bit>
#include <string>

namespace tickpath::feed {

GroupRouter::GroupRouter(std::span<const RoutedGroup> groups, std::span<const net::MacAddress> port_macs,
                         core::CounterPage& page, std::string_view owner)
    : slots_(std::bit_ceil(std::max<std::size_t>(2, groups.size() * 2 + 1))),
      shift_(64u - static_cast<unsigned>(std::countr_zero(slots_.size()))),
      port_macs_(port_macs.begin(), port_macs.end()) {
    for (const RoutedGroup& routed : groups) {
        const std::uint64_t key = key_of(routed.port, routed.group);
        std::size_t at = home_of(key);
        while (slots_[at].line_index != RoutedDatagram::no_line && slots_[at].key != key)
            at = (at + 1) & (slots_.size() - 1);
        slots_[at] = {key, routed.line_index, routed.check_checksum};
    }

    const std::string name = std::string(owner) + ".router";
    routed_ = page.add(name, "routed");
    own_frames_ = page.add(name, "own_frame");
    unknown_groups_ = page.add(name, "unknown_group");
    bad_checksums_ = page.add(name, "bad_checksum");
    for (std::size_t i = 1; i < outcomes_.size(); ++i)
        outcomes_[i] = page.add(name, net::name(static_cast<net::UdpOutcome>(i)));
}

}  // namespace tickpath::feed
