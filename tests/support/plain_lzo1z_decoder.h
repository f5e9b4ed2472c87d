// A byte-wise LZO1Z decoder, slow and obviously right: the twin that the fast one is compared with. Written
// from the format's text alone and sharing no line with decoders/lzo1z.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tickpath::test {

struct PlainBlock {
    std::string error;  ///< empty, or the class of the error
    std::vector<std::uint8_t> bytes;
};

PlainBlock plain_lzo1z(std::span<const std::uint8_t> block, std::size_t capacity);

}  // namespace tickpath::test
