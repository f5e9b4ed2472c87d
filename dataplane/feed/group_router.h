// Finds the line a frame belongs to by its destination group, port and NIC. Hot: once per frame, on a receive
// core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/model/frame.h"
#include "decoders/net/checksum.h"
#include "decoders/net/headers.h"
#include "decoders/net/mac_address.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::feed {

/// A line's address and the number the caller knows it by.
struct RoutedGroup {
    std::uint16_t port = 0;  ///< model::Frame::port
    net::MulticastGroup group;
    std::uint32_t line_index = 0;
    bool check_checksum = false;  ///< strict: datagrams with a UDP checksum that does not fit are not ours
};

/// A datagram of one of our lines; `line_index` is no_line for a frame that is not ours, which was counted.
struct RoutedDatagram {
    static constexpr std::uint32_t no_line = 0xFFFF'FFFF;

    std::uint32_t line_index = no_line;
    std::uint32_t tailroom_bytes = 0;  ///< behind the payload, may be overwritten
    std::span<const std::byte> payload;
};

/// The table is built at start and never changes. What is not ours is counted by cause, never silent.
class GroupRouter {
public:
    GroupRouter(std::span<const RoutedGroup> groups, std::span<const net::MacAddress> port_macs,
                core::CounterPage& page, std::string_view owner);

    [[nodiscard]] RoutedDatagram route(const model::Frame& frame) noexcept {
        const net::UdpParse parse = net::parse_udp({frame.data, frame.size_bytes});
        if (is_own(frame.port, parse.udp.source_mac)) [[unlikely]]
            return refuse(own_frames_);
        if (parse.outcome != net::UdpOutcome::ok) [[unlikely]]
            return refuse(outcomes_[static_cast<std::size_t>(parse.outcome)]);
        const Slot& line = find(frame.port, parse.udp.group);
        if (line.line_index == RoutedDatagram::no_line) [[unlikely]]
            return refuse(unknown_groups_);
        if (line.check_checksum && !net::has_good_checksum(parse.udp)) [[unlikely]]
            return refuse(bad_checksums_);
        routed_.add();
        // A frame is never written to: with padding or a trailer behind the payload there is no room at all.
        const std::byte* const payload_end = parse.udp.payload.data() + parse.udp.payload.size();
        const bool ends_frame = payload_end == frame.data + frame.size_bytes;
        return {line.line_index, ends_frame ? frame.tailroom_bytes : 0, parse.udp.payload};
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t line_index = RoutedDatagram::no_line;
        bool check_checksum = false;
    };

    static std::uint64_t key_of(std::uint16_t port, net::MulticastGroup group) noexcept {
        return std::uint64_t{port} << 48 | group.key();
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t key) const noexcept {
        return static_cast<std::size_t>((key * 0x9E37'79B9'7F4A'7C15u) >> shift_);
    }

    /// The table is at most half full, so a free slot ends every search.
    [[nodiscard]] const Slot& find(std::uint16_t port, net::MulticastGroup group) const noexcept {
        const std::uint64_t key = key_of(port, group);
        for (std::size_t at = home_of(key);; at = (at + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[at];
            if (slot.line_index == RoutedDatagram::no_line || slot.key == key) return slot;
        }
    }

    /// The kernel hands our own multicast back to af_packet (spec/dataplane.md §4). A port without an address
    /// (0) has no echo.
    [[nodiscard]] bool is_own(std::uint16_t port, net::MacAddress source) const noexcept {
        return port < port_macs_.size() && port_macs_[port].bits != 0 && port_macs_[port] == source;
    }

    [[gnu::cold, gnu::noinline]] static RoutedDatagram refuse(core::Counter& cause) noexcept {
        cause.add();
        return {};
    }

    std::vector<Slot> slots_;  ///< size is a power of two
    unsigned shift_ = 63;
    std::vector<net::MacAddress> port_macs_;
    core::Counter routed_;
    core::Counter own_frames_;
    core::Counter unknown_groups_;
    core::Counter bad_checksums_;
    std::array<core::Counter, net::udp_outcome_count> outcomes_;
};

}  // namespace tickpath::feed
