// Both kernels in the fuzzers' own build, where sources have no options of their own: the wide one is the
// base one again.
#define TICKPATH_COPY_FAR copy_far_base
#include "decoders/lzo1z/copy_far.cc"

namespace tickpath::lzo1z {

std::size_t copy_far_avx2(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept {
    return copy_far_base(out, distance, length);
}

}  // namespace tickpath::lzo1z
