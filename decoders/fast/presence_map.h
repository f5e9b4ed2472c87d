// Presence maps, FAST 1.1 §10.5. Hot: once per message, and per element or group that has one.
//
// The bits lie left-aligned in a register and are shifted out at the top: what was never sent reads as zero,
// and what is left at the end of the segment is more than it used.
#pragma once

#include <cstdint>

#include "decoders/fast/cursor.h"

namespace tickpath::fast {

inline constexpr unsigned map_groups_in_register = 9;
inline constexpr unsigned map_bits_in_register = 7 * map_groups_in_register;

/// Where the bits of a map that does not fit the register go on.
struct WideMap {
    const std::uint8_t* next = nullptr;  ///< first group not in the register yet
    const std::uint8_t* end = nullptr;   ///< one past the map's last byte
    unsigned bits_left = 0;              ///< of those in the register
};

/// First bits of the map whose bytes are [at, end); zeros when it is over.
[[nodiscard]] std::uint64_t map_register(const std::uint8_t* at, const std::uint8_t* end) noexcept;

/// A map of any length: the first bits in `bits`, the rest in `wide`. Reports R7. The cursor moves behind the
/// map.
[[gnu::noinline]] bool read_wide_map(Cursor& cursor, std::uint64_t& bits, WideMap& wide) noexcept;

/// A map whose segment uses at most 63 bits: set bits beyond are R8.
[[gnu::noinline]] bool read_long_map(Cursor& cursor, std::uint64_t& bits) noexcept;

/// Whether any bit beyond the register is set.
[[nodiscard]] bool has_bits_left(const WideMap& wide) noexcept;

/// Takes a map of one or two bytes; false, with nothing taken, when there are more.
[[nodiscard, gnu::always_inline]] inline bool read_short_map(Cursor& cursor, std::uint64_t& bits) noexcept {
    const std::uint8_t* const p = cursor.at();
    bits = std::uint64_t{p[0]} << 57;  // the stop bit falls out at the top
    if (p[0] & stop_bit) [[likely]] {
        cursor.move_to(p + 1);
        return true;
    }
    if (p[1] > stop_bit) {  // the stop bit, and not overlong
        bits |= std::uint64_t{p[1]} << 57 >> 7;
        cursor.move_to(p + 2);
        return true;
    }
    return false;
}

/// Reads the map of a segment that uses at most 63 bits.
[[nodiscard, gnu::always_inline]] inline bool read_map(Cursor& cursor, std::uint64_t& bits) noexcept {
    if (read_short_map(cursor, bits)) [[likely]]
        return true;
    Cursor copy = cursor;  // a copy, so that the cursor itself may stay in registers
    std::uint64_t long_bits = 0;
    const bool ok = read_long_map(copy, long_bits);
    cursor = copy;
    bits = long_bits;
    return ok;
}

}  // namespace tickpath::fast
