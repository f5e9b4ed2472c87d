// LZO1Z compression of one block, for simulators, recorders and tests: the feeds that use this format
// compress at the exchange. No allocation; the tables are the caller's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/error.h"

namespace tickpath::lzo1z {

enum class Level : std::uint8_t {
    fast,   ///< takes the first match it finds
    small,  ///< looks at several, and at the next position before it decides
};

/// Tables of one compression at a time, about 20 KiB. Nothing is carried over from block to block.
class Workspace {
private:
    friend class MatchFinder;
    std::array<std::uint16_t, 4096> heads_;      ///< by hash of 3 bytes, the newest position
    std::array<std::uint16_t, 4096> chain_;      ///< by position, the one before it with the same hash
    std::array<std::uint16_t, 2048> far_heads_;  ///< by hash of 6 bytes, for what lies beyond the chain
};

/// No block of `bytes` bytes compresses to more.
[[nodiscard]] constexpr std::size_t max_compressed_size(std::size_t bytes) noexcept {
    return bytes + bytes / 255 + 16;
}

/// `error` is ok or output_overrun; after that the output is of no use.
struct [[nodiscard]] CompressResult {
    std::size_t written = 0;
    Errc error = Errc::ok;
};

/// The same input and level always give the same bytes. The spans must not overlap.
CompressResult compress(std::span<const std::byte> input, std::span<std::byte> out, Workspace& workspace,
                        Level level = Level::fast) noexcept;

}  // namespace tickpath::lzo1z
