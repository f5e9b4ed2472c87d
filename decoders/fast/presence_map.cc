#include "decoders/fast/presence_map.h"

#include <algorithm>

namespace tickpath::fast {

std::uint64_t map_register(const std::uint8_t* at, const std::uint8_t* end) noexcept {
    std::uint64_t bits = 0;
    const auto groups = std::min<std::ptrdiff_t>(end - at, map_groups_in_register);
    for (std::ptrdiff_t i = 0; i < groups; ++i)
        bits |= std::uint64_t{at[i] & 0x7Fu} << (57 - 7 * i);
    return bits;
}

bool read_wide_map(Cursor& cursor, std::uint64_t& bits, WideMap& wide) noexcept {
    const std::uint8_t* const first = cursor.at();
    const std::uint8_t* last = first;
    while (!(*last & stop_bit))
        if (static_cast<std::uint32_t>(++last - first) >= cursor.input().map_bytes_max)
            return cursor.fail(Errc::limit);
    const std::uint8_t* const end = last + 1;
    if (last != first && *last == stop_bit && !cursor.input().report(Report::r7, end)) return false;
    bits = map_register(first, end);
    wide.next = first + std::min<std::ptrdiff_t>(end - first, map_groups_in_register);
    wide.end = end;
    wide.bits_left = map_bits_in_register;
    cursor.move_to(end);
    return true;
}

bool read_long_map(Cursor& cursor, std::uint64_t& bits) noexcept {
    WideMap wide;
    if (!read_wide_map(cursor, bits, wide)) return false;
    return !has_bits_left(wide) || cursor.input().report(Report::r8, cursor.at());
}

bool has_bits_left(const WideMap& wide) noexcept {
    return std::any_of(wide.next, wide.end, [](std::uint8_t group) { return (group & 0x7F) != 0; });
}

}  // namespace tickpath::fast
