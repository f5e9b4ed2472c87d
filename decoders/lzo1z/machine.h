// Where decompression stands between two instructions, and the two engines that carry instructions out: one
// fast, with copies that overshoot, and one exact. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "decoders/base/error.h"

namespace tickpath::lzo1z {

/// Farther back than any output reaches: a repeat before the first match then fails the one look-behind
/// check.
inline constexpr std::size_t no_distance = std::numeric_limits<std::size_t>::max() / 2;

/// The last instruction copied four or more literals.
inline constexpr unsigned state_after_run = 4;

struct Machine {
    const std::uint8_t* in = nullptr;
    std::uint8_t* out = nullptr;
    std::size_t distance = no_distance;  ///< of the most recent match
    unsigned state = 0;                  ///< 0..4, literals copied by the last instruction

    const std::uint8_t* in_begin = nullptr;
    const std::uint8_t* in_end = nullptr;
    std::uint8_t* out_begin = nullptr;
    std::uint8_t* out_end = nullptr;  ///< of the capacity
};

enum class Step : std::uint8_t { going_on, finished, failed };

/// Carries out exactly one instruction with no read or write outside the spans, and says what is wrong with
/// it. On failure the machine stays where the instruction began.
Step exact_step(Machine& machine, Errc& error) noexcept;

enum class FastExit : std::uint8_t {
    stopped,   ///< close to `wanted` or to an end: between two instructions
    finished,  ///< at the end marker, with no input left
    doubt,     ///< something is wrong; the machine is where it was, and exact_step will find it
};

/// Carries out instructions until `wanted` bytes of output are there or nearly so, or one comes that it has
/// no room for. Writes nothing outside the output span.
FastExit run_fast(Machine& machine, std::size_t wanted) noexcept;

}  // namespace tickpath::lzo1z
