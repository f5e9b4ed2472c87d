// Fuzzes LZO1Z compression: what is compressed comes back, in our decoder and in its plain twin, and stays
// within the bound. Input: one byte with the level, then what to compress.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "decoders/lzo1z/compress.h"
#include "decoders/lzo1z/decompress.h"
#include "tests/support/plain_lzo1z_decoder.h"

namespace {

using namespace tickpath;

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const std::vector<std::uint8_t> input(data + 1, data + size);
    static lzo1z::Workspace workspace;
    std::vector<std::uint8_t> block(lzo1z::max_compressed_size(input.size()));
    const lzo1z::CompressResult packed =
        lzo1z::compress(std::as_bytes(std::span(input)), std::as_writable_bytes(std::span(block)), workspace,
                        data[0] % 2 == 0 ? lzo1z::Level::fast : lzo1z::Level::small);
    require(packed.error == Errc::ok);
    block.resize(packed.written);

    std::vector<std::uint8_t> back(input.size() + data[0]);
    const lzo1z::DecompressResult result =
        lzo1z::decompress(std::as_bytes(std::span(block)), std::as_writable_bytes(std::span(back)));
    require(result.error == Errc::ok && result.written == input.size() &&
            std::equal(input.begin(), input.end(), back.begin()));
    require(test::plain_lzo1z(block, input.size()).bytes == input);

    // One byte less than needed is refused, never overrun.
    if (!block.empty()) {
        std::vector<std::byte> tight(block.size() - 1);
        require(lzo1z::compress(std::as_bytes(std::span(input)), tight, workspace,
                                data[0] % 2 == 0 ? lzo1z::Level::fast : lzo1z::Level::small)
                    .error == Errc::output_overrun);
    }
    return 0;
}
