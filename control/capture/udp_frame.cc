#include "control/capture/udp_frame.h"

#include <algorithm>

#include "decoders/base/bytes.h"
#include "decoders/net/checksum.h"
#include "decoders/net/headers.h"

namespace tickpath::capture {
namespace {

constexpr std::size_t frame_bytes_min = 60;
constexpr std::uint32_t source_address = 0x0A00'0001;
constexpr std::uint16_t source_port = 40'000;
constexpr std::size_t ip_at = net::ethernet_header_bytes;
constexpr std::size_t udp_at = ip_at + net::ipv4_header_bytes_min;
constexpr std::size_t payload_at = udp_at + net::udp_header_bytes;
constexpr std::byte udp_protocol{17};

void write_ethernet(std::byte* at, std::uint32_t address) {
    store_big(at, std::uint16_t{0x0100});
    store_big(at + 2, 0x5E00'0000u | (address & 0x7F'FFFFu));  // RFC 1112: the low 23 bits of the address
    store_big(at + 6, std::uint16_t{0x0200});                  // a locally administered address
    store_big(at + 8, std::uint32_t{1});
    store_big(at + 12, std::uint16_t{0x0800});
}

void write_ipv4(std::byte* at, std::uint32_t address, std::size_t total_bytes) {
    at[0] = std::byte{0x45};
    store_big(at + 2, static_cast<std::uint16_t>(total_bytes));
    store_big(at + 6, std::uint16_t{0x4000});  // do not fragment
    at[8] = std::byte{1};                      // TTL of link-local multicast
    at[9] = udp_protocol;
    store_big(at + 12, source_address);
    store_big(at + 16, address);
    const std::uint64_t sum = net::checksum_add(0, {at, net::ipv4_header_bytes_min});
    store_big(at + 10, net::checksum_of(sum));
}

void write_udp(std::byte* at, net::MulticastGroup group, std::size_t bytes) {
    store_big(at, source_port);
    store_big(at + 2, group.port);
    store_big(at + 4, static_cast<std::uint16_t>(bytes));
    std::byte pseudo[12] = {};
    store_big(pseudo, source_address);
    store_big(pseudo + 4, group.address);
    pseudo[9] = udp_protocol;
    store_big(pseudo + 10, static_cast<std::uint16_t>(bytes));
    const std::uint64_t sum = net::checksum_add(net::checksum_add(0, pseudo), {at, bytes});
    const std::uint16_t checksum = net::checksum_of(sum);
    store_big(at + 6, static_cast<std::uint16_t>(checksum == 0 ? 0xFFFF : checksum));  // 0: not computed
}

}  // namespace

std::vector<std::byte> udp_frame(net::MulticastGroup group, std::span<const std::byte> payload) {
    std::vector<std::byte> frame(std::max(frame_bytes_min, payload_at + payload.size()));
    std::ranges::copy(payload, frame.begin() + payload_at);
    write_ethernet(frame.data(), group.address);
    write_ipv4(frame.data() + ip_at, group.address, payload_at - ip_at + payload.size());
    write_udp(frame.data() + udp_at, group, net::udp_header_bytes + payload.size());
    return frame;
}

}  // namespace tickpath::capture
