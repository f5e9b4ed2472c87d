// Fuzzes LZO1Z decompression: any bytes give what the plain twin gives, in one call and in steps. Input: two
// bytes with the capacity, then the block.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "decoders/lzo1z/decompress.h"
#include "tests/support/plain_lzo1z_decoder.h"

namespace {

using namespace tickpath;

void require(bool holds) {
    if (!holds) std::abort();
}

void check(const test::PlainBlock& plain, const lzo1z::DecompressResult& result, const std::byte* out) {
    require((result.error == Errc::ok ? "" : code(result.error)) == plain.error);
    require(result.written <= plain.bytes.size());
    if (result.error == Errc::ok) require(result.written == plain.bytes.size());
    require(std::equal(plain.bytes.begin(), plain.bytes.begin() + static_cast<std::ptrdiff_t>(result.written),
                       reinterpret_cast<const std::uint8_t*>(out)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::size_t capacity = data[0] + 256u * (data[1] % 16);
    const std::span<const std::uint8_t> input(data + 2, size - 2);
    // Buffers of exactly the size, so that the sanitizer sees one byte too far.
    const auto block = std::make_unique<std::byte[]>(input.size());
    std::copy(input.begin(), input.end(), reinterpret_cast<std::uint8_t*>(block.get()));
    const auto out = std::make_unique<std::byte[]>(capacity);
    const std::span<const std::byte> in(block.get(), input.size());
    const test::PlainBlock plain = test::plain_lzo1z(input, capacity);
    check(plain, lzo1z::decompress(in, {out.get(), capacity}), out.get());

    lzo1z::Decompression steps(in, {out.get(), capacity});
    lzo1z::DecompressResult result;
    for (std::size_t wanted = 1; !steps.finished(); wanted += 1 + wanted / 2)
        result = steps.advance(wanted);
    check(plain, result, out.get());
    return 0;
}
