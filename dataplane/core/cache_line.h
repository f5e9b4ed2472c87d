// The unit in which cores exchange memory.
#pragma once

#include <cstddef>

namespace tickpath::core {

inline constexpr std::size_t cache_line_bytes = 64;

}  // namespace tickpath::core
