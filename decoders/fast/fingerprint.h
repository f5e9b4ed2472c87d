// Tells compiled programs apart. Cold.
#pragma once

#include <cstdint>

#include "decoders/fast/program.h"

namespace tickpath::fast {

/// A hash of everything that generated code has made constants of: instructions, segments, rows, dictionary
/// words, and where initial values lie. Names are not in it: templates that differ in names only decode
/// alike.
[[nodiscard]] std::uint64_t fingerprint(const Program& program) noexcept;

}  // namespace tickpath::fast
