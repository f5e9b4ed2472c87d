// Block framing (FAST 1.1 §10, "blocked encoding"): a size, then that many bytes of messages. Whether a
// stream has blocks is agreed out of band.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/error.h"

namespace tickpath::fast {

struct Block {
    std::span<const std::byte> messages;  ///< for Decoder::begin; empty on an error
    std::size_t size_bytes = 0;           ///< with the size itself; 0 on an error
    /// `truncated`: the block is not complete yet. D12: its size is 0. D2: its size is no uInt32. `limit`: it
    /// is longer than allowed, or its size does not end within 64 bytes.
    Errc error = Errc::ok;
};

/// The block at the start of `bytes`. The size may be overlong, which is R6 for every other integer.
[[nodiscard]] Block next_block(std::span<const std::byte> bytes, std::size_t block_bytes_max) noexcept;

}  // namespace tickpath::fast
