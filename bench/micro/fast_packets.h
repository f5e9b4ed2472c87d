// Packets for the FAST decode benches, written by a small encoder of its own for one template, together with
// what decoding them must add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickpath::bench {

/// An incremental refresh with seven fields an entry: copy, increment, optional decimal, integer and default.
extern const std::string_view refresh_template_xml;

struct RefreshPacket {
    std::vector<std::byte> buffer;  ///< the packet and room for sentinels behind it
    std::size_t size_bytes = 0;
    std::int64_t checksum = 0;  ///< sum of price mantissa × size over the entries
};

/// The 174-byte packet of ten entries that other implementations publish numbers for: all presence bits set.
[[nodiscard]] RefreshPacket fastfix_packet();

/// `count` different packets of ten entries with all bits set.
[[nodiscard]] std::vector<RefreshPacket> varied_full_packets(std::size_t count);

/// `count` different packets of 1 to 16 entries, each value sent only where the dictionary does not say it.
[[nodiscard]] std::vector<RefreshPacket> varied_compressed_packets(std::size_t count);

}  // namespace tickpath::bench
