// LZO1Z decompression of one block, always checked. Hot: once per compressed packet; no allocation, no table
// that is not constant, linear time. Raw blocks only: what stands around them (lengths, checksums, headers)
// is the feed's framing. The sister formats LZO1X and LZO1Y cannot be told apart from LZO1Z by their bytes;
// on messages of some size they end in `lookbehind_overrun`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/error.h"

namespace tickpath::lzo1z {

/// An output span with this much room behind the decompressed bytes is decompressed fastest. Any other size
/// is right too: the capacity is the span's size, never a guess.
inline constexpr std::size_t output_slack_bytes = 96;

/// `error` is ok, input_overrun, output_overrun, lookbehind_overrun or trailing_input.
struct [[nodiscard]] DecompressResult {
    std::size_t written = 0;   ///< bytes of the output that are valid, in an error too
    std::size_t consumed = 0;  ///< bytes of the block used; in an error, where the failing instruction begins
    Errc error = Errc::ok;
};

/// Decompresses a block up to its end marker. Bytes of `out` behind `written` may have been overwritten,
/// bytes outside `out` never. On `trailing_input` the output is complete and `consumed` says where the block
/// ended, so that a caller may accept padding on purpose. The spans must not overlap.
DecompressResult decompress(std::span<const std::byte> block, std::span<std::byte> out) noexcept;

/// The same in steps: an interest filter asks for the first bytes, then goes on or gives up.
class Decompression {
public:
    Decompression(std::span<const std::byte> block, std::span<std::byte> out) noexcept;

    /// Goes on until at least `bytes` bytes are valid, the block ends, or an error is met. A stop falls
    /// between two instructions, so that somewhat more may be there than was asked for.
    DecompressResult advance(std::size_t bytes) noexcept;

    /// The end marker was met, or an error: advance() has nothing more to do.
    [[nodiscard]] bool finished() const noexcept { return finished_; }

private:
    std::span<const std::byte> block_;
    std::span<std::byte> out_;
    std::size_t in_used_ = 0;
    std::size_t out_used_ = 0;
    std::size_t distance_;    ///< of the most recent match
    std::uint8_t state_ = 0;  ///< literals that the last instruction carried; 4 and more are 4
    bool finished_ = false;
    Errc error_ = Errc::ok;
};

/// What became of one block of a batch. Its bytes are arena[offset, offset + written).
struct BatchEntry {
    std::size_t offset = 0;
    DecompressResult result;
};

/// Decompresses the blocks of a datagram one behind the other into one arena, each to `bytes_max` bytes at
/// most, and goes on after a bad one, whose bytes are given up: its `written` says how far it came, and the
/// next block takes its place. Returns how many blocks were decompressed without error. `entries` has one for
/// each block. The arena is used fastest when output_slack_bytes are left behind the last message.
std::size_t decompress_batch(std::span<const std::span<const std::byte>> blocks, std::span<std::byte> arena,
                             std::size_t bytes_max, std::span<BatchEntry> entries) noexcept;

}  // namespace tickpath::lzo1z
