#include "decoders/fast/block.h"

#include <limits>

#include "decoders/fast/cursor.h"

namespace tickpath::fast {
namespace {

constexpr std::size_t size_groups_max = 64;  // as Limits::entity_bytes_max

Block failed(Errc error) noexcept {
    return {.messages = {}, .size_bytes = 0, .error = error};
}

}  // namespace

Block next_block(std::span<const std::byte> bytes, std::size_t block_bytes_max) noexcept {
    std::uint64_t size = 0;
    std::size_t at = 0;
    for (bool is_last = false; !is_last; ++at) {
        if (at == bytes.size()) return failed(Errc::truncated);
        if (at == size_groups_max) return failed(Errc::limit);
        const auto byte = static_cast<std::uint8_t>(bytes[at]);
        is_last = (byte & stop_bit) != 0;
        size = size << 7 | (byte & 0x7Fu);
        if (size > std::numeric_limits<std::uint32_t>::max()) return failed(Errc::d2);
    }
    if (size == 0) return failed(Errc::d12);
    if (size > block_bytes_max) return failed(Errc::limit);
    if (size > bytes.size() - at) return failed(Errc::truncated);
    return {.messages = bytes.subspan(at, size), .size_bytes = at + size, .error = Errc::ok};
}

}  // namespace tickpath::fast
