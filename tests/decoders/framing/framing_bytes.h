// Bytes for tests of framings: the beginning of a real packet, and datagrams in chunks made to order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace tickpath::test {

/// The first 26 bytes of a Xetra T7 reference-data packet of 17 March 2017: header of template 73, Reset,
/// and the beginning of a message. Public issue objectcomputing/mFAST#72; spec/fast-feeds.md §2.
inline std::vector<std::byte> t7_packet_start() {
    std::vector<std::byte> bytes;
    for (const int value : {0xC0, 0xC9, 0x9E, 0x84, 0x00, 0x00, 0x0B, 0xCE, 0x88, 0x14, 0xAC, 0xA5, 0xFE,
                            0xC6, 0xDA, 0x68, 0xCE, 0xC0, 0xF8, 0x7A, 0xE8, 0xFB, 0xBD, 0x1A, 0x80, 0x84})
        bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

/// A datagram of UMDF: ten bytes big-endian, then one chunk. `length` goes before the chunk's own size.
struct UmdfHeader {
    std::uint32_t number = 0;
    std::uint16_t count = 1;
    std::uint16_t index = 1;
};
inline std::vector<std::byte> umdf_datagram(const UmdfHeader& header, std::span<const std::byte> chunk,
                                            std::size_t length) {
    std::vector<std::byte> bytes;
    const auto put = [&](std::uint64_t value, int width) {
        for (int shift = (width - 1) * 8; shift >= 0; shift -= 8)
            bytes.push_back(static_cast<std::byte>(value >> shift & 0xFF));
    };
    put(header.number, 4);
    put(header.count, 2);
    put(header.index, 2);
    put(length, 2);
    bytes.insert(bytes.end(), chunk.begin(), chunk.end());
    return bytes;
}
inline std::vector<std::byte> umdf_datagram(const UmdfHeader& header, std::span<const std::byte> chunk) {
    return umdf_datagram(header, chunk, chunk.size());
}

}  // namespace tickpath::test
