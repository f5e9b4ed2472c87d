#include "decoders/lzo1z/tickpath_lzo1z.h"

#include <new>

#include "decoders/lzo1z/compress.h"
#include "decoders/lzo1z/decompress.h"

namespace {

using namespace tickpath;

static_assert(lzo1z::output_slack_bytes == TICKPATH_LZO1Z_OUTPUT_SLACK);
static_assert(sizeof(lzo1z::Workspace) == TICKPATH_LZO1Z_WORKSPACE_SIZE);

Errc errc_of(tickpath_lzo1z_error error) noexcept {
    switch (error) {
        case TICKPATH_LZO1Z_OK:
            return Errc::ok;
        case TICKPATH_LZO1Z_INPUT_OVERRUN:
            return Errc::input_overrun;
        case TICKPATH_LZO1Z_OUTPUT_OVERRUN:
            return Errc::output_overrun;
        case TICKPATH_LZO1Z_LOOKBEHIND_OVERRUN:
            return Errc::lookbehind_overrun;
        case TICKPATH_LZO1Z_TRAILING_INPUT:
            return Errc::trailing_input;
    }
    return Errc::unknown;
}

tickpath_lzo1z_error c_error(Errc error) noexcept {
    switch (error) {
        case Errc::ok:
            return TICKPATH_LZO1Z_OK;
        case Errc::output_overrun:
            return TICKPATH_LZO1Z_OUTPUT_OVERRUN;
        case Errc::lookbehind_overrun:
            return TICKPATH_LZO1Z_LOOKBEHIND_OVERRUN;
        case Errc::trailing_input:
            return TICKPATH_LZO1Z_TRAILING_INPUT;
        default:
            return TICKPATH_LZO1Z_INPUT_OVERRUN;
    }
}

}  // namespace

extern "C" {

tickpath_lzo1z_result tickpath_lzo1z_decompress(const void* block, size_t block_size, void* out,
                                                size_t capacity) {
    const lzo1z::DecompressResult result = lzo1z::decompress(
        {static_cast<const std::byte*>(block), block_size}, {static_cast<std::byte*>(out), capacity});
    return {result.written, result.consumed, c_error(result.error)};
}

tickpath_lzo1z_result tickpath_lzo1z_compress(const void* input, size_t input_size, void* out,
                                              size_t capacity, void* workspace, tickpath_lzo1z_level level) {
    auto& tables = *::new (workspace) lzo1z::Workspace;
    const lzo1z::CompressResult result = lzo1z::compress(
        {static_cast<const std::byte*>(input), input_size}, {static_cast<std::byte*>(out), capacity}, tables,
        level == TICKPATH_LZO1Z_SMALL ? lzo1z::Level::small : lzo1z::Level::fast);
    return {result.written, result.error == Errc::ok ? input_size : 0, c_error(result.error)};
}

size_t tickpath_lzo1z_max_compressed_size(size_t input_size) {
    return lzo1z::max_compressed_size(input_size);
}

// The phrases are literals, so that they end in a zero.
const char* tickpath_lzo1z_describe(tickpath_lzo1z_error error) {
    return describe(errc_of(error)).data();
}

}  // extern "C"
