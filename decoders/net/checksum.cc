#include "decoders/net/checksum.h"

#include <bit>

namespace tickpath::net {

std::uint64_t checksum_add(std::uint64_t sum, std::span<const std::byte> bytes) noexcept {
    std::size_t at = 0;
    for (; at + 1 < bytes.size(); at += 2)
        sum += load_big<std::uint16_t>(bytes.data() + at);
    if (at < bytes.size()) sum += std::to_integer<std::uint64_t>(bytes[at]) << 8;
    return sum;
}

std::uint16_t checksum_of(std::uint64_t sum) noexcept {
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFFu) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum);
}

bool has_good_checksum(const UdpView& datagram) noexcept {
    if (datagram.udp_checksum == 0) return true;
    const std::uint64_t udp_bytes = datagram.payload.size() + udp_header_bytes;
    // Pseudo header (addresses, protocol, length), then the UDP header, whose length stands in it again.
    std::uint64_t sum = detail::protocol_udp + udp_bytes + udp_bytes + datagram.udp_checksum;
    for (const std::uint32_t address : {datagram.source_address, datagram.group.address})
        sum += (address >> 16) + (address & 0xFFFFu);
    sum += std::uint64_t{datagram.source_port} + datagram.group.port;
    return checksum_of(checksum_add(sum, datagram.payload)) == 0;
}

}  // namespace tickpath::net
