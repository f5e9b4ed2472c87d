// Unaligned loads and stores in either byte order.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tickpath {

static_assert(std::endian::native == std::endian::little, "x86-64 is the only target so far");

template <std::unsigned_integral T>
[[nodiscard]] constexpr T byte_swapped(T value) noexcept {
    if constexpr (sizeof(T) == 1) return value;
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}

/// Reads sizeof(T) bytes at `from`, which need not be aligned.
template <std::unsigned_integral T>
[[nodiscard]] inline T load_little(const void* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <std::unsigned_integral T>
[[nodiscard]] inline T load_big(const void* from) noexcept {
    return byte_swapped(load_little<T>(from));
}

template <std::unsigned_integral T>
inline void store_little(void* to, T value) noexcept {
    std::memcpy(to, &value, sizeof value);
}

template <std::unsigned_integral T>
inline void store_big(void* to, T value) noexcept {
    store_little(to, byte_swapped(value));
}

}  // namespace tickpath
