// Made-up inputs of the LZO1Z benches, thousands of different ones each: a predictor learns a single small
// block by heart, and then the bench measures nothing that a feed would show.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tickpath::bench {

struct Block {
    std::vector<std::uint8_t> raw;
    std::vector<std::uint8_t> packed;  ///< by liblzo2's default level where it is installed, else by ours
};

/// nse_478, nse_264, nse_120, text, records or large. Made at the first call.
const std::vector<Block>& lzo1z_blocks(std::string_view workload);

}  // namespace tickpath::bench
