// Long matches at some distance: the one place where wider registers pay, so that it is built twice and
// chosen when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tickpath::lzo1z {

/// Copies `length` bytes from `distance` (32 or more) back; they may overlap. Writes up to 31 bytes more.
/// Returns the multiple of the distance at which it read last: what follows repeats with that period too.
using CopyFar = std::size_t (*)(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept;

std::size_t copy_far_base(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept;
std::size_t copy_far_avx2(std::uint8_t* out, std::size_t distance, std::size_t length) noexcept;

/// The one for this processor. Valid before any initialiser has run, too: it begins as the base one.
extern CopyFar copy_far;

}  // namespace tickpath::lzo1z
