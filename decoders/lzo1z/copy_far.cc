// Compiled once for each instruction set, TICKPATH_COPY_FAR being its name. All else in here is local to the
// file: a shared inline function might be kept in the version that not every processor can run.
#include "decoders/lzo1z/copy_far.h"

#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace tickpath::lzo1z {
namespace {

constexpr std::size_t short_period = 1024;

inline void copy_32(std::uint8_t* out, const std::uint8_t* from) noexcept {
#ifdef __AVX2__  // memcpy would be two halves
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#else
    std::memcpy(out, from, 16);
    std::memcpy(out + 16, from + 16, 16);
#endif
}

void copy_steps(std::uint8_t* out, const std::uint8_t* from, const std::uint8_t* end) noexcept {
    for (; end - out >= 128; out += 128, from += 128) {
        copy_32(out, from);
        copy_32(out + 32, from + 32);
        copy_32(out + 64, from + 64);
        copy_32(out + 96, from + 96);
    }
    for (; out < end; out += 32, from += 32)
        copy_32(out, from);
}

}  // namespace

std::size_t TICKPATH_COPY_FAR(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept {
    const std::uint8_t* const end = out + length;
    // A short period is doubled until loads no longer meet the stores before them.
    const std::uint8_t* const from = out - distance;
    while (distance < short_period && out + distance < end) {
        copy_steps(out, from, out + distance);
        out += distance;
        distance *= 2;
    }
    copy_steps(out, from, end);
    return distance;
}

}  // namespace tickpath::lzo1z
