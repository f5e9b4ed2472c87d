// Copies of earlier output that may overlap themselves, in whole words: they write up to 32 bytes more than
// asked for. Hot. The caller has room for that.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "decoders/lzo1z/copy_far.h"

#ifdef __SSSE3__
#include <tmmintrin.h>
#endif

namespace tickpath::lzo1z {

inline void copy_8(std::uint8_t* out, const std::uint8_t* from) noexcept {
    std::memcpy(out, from, 8);
}
inline void copy_16(std::uint8_t* out, const std::uint8_t* from) noexcept {
    std::memcpy(out, from, 16);
}

#ifdef __SSSE3__
namespace detail {
// Row D turns the D bytes before the output into 16 bytes of their repetition. Row 0 is never used; from row
// 16 on nothing repeats.
struct alignas(16) PatternRow {
    std::array<std::uint8_t, 16> index;
};
inline constexpr auto pattern_rows = [] {
    std::array<PatternRow, 17> rows{};
    for (unsigned distance = 1; distance <= 16; ++distance)
        for (unsigned i = 0; i < 16; ++i)
            rows[distance].index[i] = static_cast<std::uint8_t>(i % distance);
    return rows;
}();

inline __m128i row(std::size_t distance) noexcept {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(&pattern_rows[distance]));
}
}  // namespace detail
#endif

/// Writes 8 bytes of the repetition of what lies `distance` back: right for matches of up to 8 bytes. No
/// branch on the distance, which is below 16 as often as not. Loads of 8 bytes meet fewer stores that are
/// still under way than loads of 16 would.
[[gnu::always_inline]] inline void copy_match_8(std::uint8_t* out, std::size_t distance) noexcept {
#ifdef __SSSE3__
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(out - distance));
    const __m128i repeated = _mm_shuffle_epi8(bytes, detail::row(std::min<std::size_t>(distance, 8)));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), repeated);
#else
    if (distance >= 8) {
        copy_8(out, out - distance);
    } else {
        for (unsigned i = 0; i < 8; ++i)
            out[i] = out[i - static_cast<std::ptrdiff_t>(distance)];
    }
#endif
}

/// The same for matches of up to 16 bytes.
[[gnu::always_inline]] inline void copy_match_16(std::uint8_t* out, std::size_t distance) noexcept {
#ifdef __SSSE3__
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(out - distance));
    const __m128i repeated = _mm_shuffle_epi8(bytes, detail::row(std::min<std::size_t>(distance, 16)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), repeated);
#else
    copy_match_8(out, distance);
    copy_match_8(out + 8, distance);
#endif
}

/// Fills with the repetition of the last `distance` (1..15) bytes: builds the pattern once.
inline void fill_pattern(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept {
    const std::uint8_t* const end = out + length;
#ifdef __SSSE3__
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(out - distance));
    const __m128i pattern = _mm_shuffle_epi8(bytes, detail::row(distance));
    const std::size_t whole = 16 - 16 % distance;  // bytes of whole repetitions in the 16
    do {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), pattern);
        out += whole;
    } while (out < end);
#else
    const std::uint8_t* from = out - distance;
    while (out < end)
        *out++ = *from++;
#endif
}

/// Copies matches of any length, and remembers the last long one: a run longer than one match can say comes
/// as several of the same distance, and the first has already paid for finding a period that is fast to read
/// at.
class LongMatch {
public:
    /// Writes up to 32 bytes more.
    [[gnu::always_inline]] void copy(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept {
        if (distance < 16) {
            fill_pattern(out, distance, length);
        } else if (length <= 32) {
            copy_16(out, out - distance);
            copy_16(out + 16, out + 16 - distance);
        } else if (distance >= 32 && length <= 128) {
            copy_steps_of_32(out, distance, length);
        } else {
            copy_periodic(out, distance, length);
        }
    }

private:
    static void copy_steps_of_32(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept {
        const std::uint8_t* from = out - distance;
        const std::uint8_t* const end = out + length;
        do {
            copy_16(out, from);
            copy_16(out + 16, from + 16);
            out += 32;
            from += 32;
        } while (out < end);
    }

    void copy_periodic(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept {
        if (out == end_ && distance == distance_) {
            period_ = copy_far(out, period_, length);
        } else if (distance >= 32) {
            period_ = copy_far(out, distance, length);
        } else {
            copy_16(out, out - distance);
            copy_16(out + 16, out + 16 - distance);
            period_ = copy_far(out + 32, 2 * distance, length - 32);  // 32 bytes lie between read and written
        }
        distance_ = distance;
        end_ = out + length;
    }

    const std::uint8_t* end_ = nullptr;
    std::size_t distance_ = 0;
    std::size_t period_ = 0;
};

}  // namespace tickpath::lzo1z
