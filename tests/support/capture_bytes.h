// Makes capture files byte by byte, good and broken ones, without the library that reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tickpath::test {

/// Appends `count` bytes of `value` in the given order.
inline void put(std::string& to, std::uint64_t value, int count, bool is_big_endian = false) {
    for (int i = 0; i < count; ++i)
        to += static_cast<char>((value >> (8 * (is_big_endian ? count - 1 - i : i))) & 0xFFu);
}

inline constexpr std::uint32_t link_type_ethernet = 1;

/// The classic format: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html
struct PcapFormat {
    std::uint32_t ticks_per_second = 1'000'000'000;  ///< or 1'000'000
    std::uint32_t snaplen = 65535;
    std::uint32_t link_type = link_type_ethernet;
    bool is_big_endian = false;
};

[[nodiscard]] inline std::string pcap_header(const PcapFormat& format = {}) {
    std::string file;
    const bool big = format.is_big_endian;
    put(file, format.ticks_per_second == 1'000'000 ? 0xA1B2C3D4u : 0xA1B23C4Du, 4, big);
    put(file, 2, 2, big);
    put(file, 4, 2, big);
    put(file, 0, 8, big);
    put(file, format.snaplen, 4, big);
    put(file, format.link_type, 4, big);
    return file;
}

/// `time_ns` is cut to the format's precision and `frame` to its snaplen.
[[nodiscard]] inline std::string pcap_record(std::uint64_t time_ns, std::span<const std::byte> frame,
                                             const PcapFormat& format = {}) {
    std::string record;
    const bool big = format.is_big_endian;
    const std::size_t kept = frame.size() < format.snaplen ? frame.size() : format.snaplen;
    put(record, time_ns / 1'000'000'000, 4, big);
    put(record, time_ns % 1'000'000'000 / (1'000'000'000 / format.ticks_per_second), 4, big);
    put(record, kept, 4, big);
    put(record, frame.size(), 4, big);
    record.append(reinterpret_cast<const char*>(frame.data()), kept);
    return record;
}

/// pcapng: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html
[[nodiscard]] inline std::string pcapng_block(std::uint32_t type, std::string body,
                                              bool is_big_endian = false) {
    while (body.size() % 4 != 0)
        body += '\0';
    std::string block;
    put(block, type, 4, is_big_endian);
    put(block, body.size() + 12, 4, is_big_endian);
    block += body;
    put(block, body.size() + 12, 4, is_big_endian);
    return block;
}

[[nodiscard]] inline std::string pcapng_section(bool is_big_endian = false) {
    std::string body;
    put(body, 0x1A2B3C4D, 4, is_big_endian);
    put(body, 1, 2, is_big_endian);
    put(body, 0, 2, is_big_endian);
    put(body, ~std::uint64_t{0}, 8, is_big_endian);
    return pcapng_block(0x0A0D0D0A, body, is_big_endian);
}

/// `resolution` is the if_tsresol option byte: 9 = ns, 6 = us, 0x80 | n = 2^-n seconds; 0 leaves the option
/// out (us).
[[nodiscard]] inline std::string pcapng_interface(std::uint8_t resolution, std::uint64_t offset_s = 0,
                                                  bool is_big_endian = false,
                                                  std::uint32_t link_type = link_type_ethernet) {
    const bool big = is_big_endian;
    std::string body;
    put(body, link_type, 2, big);
    put(body, 0, 2, big);
    put(body, 65535, 4, big);
    if (resolution != 0) {
        put(body, 9, 2, big);  // if_tsresol
        put(body, 1, 2, big);
        put(body, resolution, 1, big);
        put(body, 0, 3, big);
    }
    if (offset_s != 0) {
        put(body, 14, 2, big);  // if_tsoffset
        put(body, 8, 2, big);
        put(body, offset_s, 8, big);
    }
    put(body, 0, 4, big);  // opt_endofopt
    return pcapng_block(1, body, big);
}

/// An Enhanced Packet Block; `ticks` in the interface's resolution.
[[nodiscard]] inline std::string pcapng_packet(std::uint32_t interface, std::uint64_t ticks,
                                               std::span<const std::byte> frame, bool is_big_endian = false) {
    const bool big = is_big_endian;
    std::string body;
    put(body, interface, 4, big);
    put(body, ticks >> 32, 4, big);
    put(body, ticks & 0xFFFF'FFFFu, 4, big);
    put(body, frame.size(), 4, big);
    put(body, frame.size(), 4, big);
    body.append(reinterpret_cast<const char*>(frame.data()), frame.size());
    return pcapng_block(6, body, big);
}

}  // namespace tickpath::test
