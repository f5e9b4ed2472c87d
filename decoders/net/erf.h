// One Endace ERF record, as capture cards write it: its hardware time and the Ethernet frame in it. Layout:
// spec/dataplane.md §7; the two bytes before the frame as in Wireshark's erf_record.h. Cold: captures only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"

namespace tickpath::net {

struct ErfRecord {
    std::uint64_t time_ns = 0;  ///< nanoseconds since 1970, the nearest
    /// Ethernet header first; with the check sequence where the card kept it.
    std::span<const std::byte> frame;
    bool is_cut = false;  ///< the card or the file kept only the frame's beginning
};

/// Errors: `truncated` when the record ends inside its headers, `unknown` when it is none of Ethernet.
[[nodiscard]] inline Result<ErfRecord> read_erf(std::span<const std::byte> record) noexcept {
    constexpr std::size_t header_bytes = 16, extension_bytes = 8, padding_bytes = 2;
    constexpr unsigned more_extensions = 0x80;
    if (record.size() < header_bytes) return Errc::truncated;
    auto type = std::to_integer<unsigned>(record[8]);
    switch (type & 0x7Fu) {
        case 2:   // Ethernet
        case 11:  // with a colour instead of the loss counter
        case 16:  // with a colour from the card's filter
        case 20:  // with a hash
            break;
        default:
            return Errc::unknown;
    }
    const std::size_t record_bytes = load_big<std::uint16_t>(record.data() + 10);
    const std::size_t wire_bytes = load_big<std::uint16_t>(record.data() + 14);
    std::size_t at = header_bytes;
    while ((type & more_extensions) != 0) {
        if (record.size() < at + extension_bytes) return Errc::truncated;
        type = std::to_integer<unsigned>(record[at]);
        at += extension_bytes;
    }
    at += padding_bytes;
    if (record.size() < at || record_bytes < at) return Errc::truncated;

    const auto fixed_point = load_little<std::uint64_t>(record.data());
    constexpr std::uint64_t ns_per_second = 1'000'000'000;
    const std::uint64_t fraction_ns =
        ((fixed_point & 0xFFFF'FFFFu) * ns_per_second + (std::uint64_t{1} << 31)) >> 32;
    const std::size_t kept_bytes = (record_bytes < record.size() ? record_bytes : record.size()) - at;
    ErfRecord read;
    read.time_ns = (fixed_point >> 32) * ns_per_second + fraction_ns;
    read.frame = record.subspan(at, kept_bytes < wire_bytes ? kept_bytes : wire_bytes);
    read.is_cut = kept_bytes < wire_bytes;
    return read;
}

}  // namespace tickpath::net
