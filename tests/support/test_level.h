// How thorough this run is: scripts/test sets TICKPATH_TEST_LEVEL to quick, all or nightly. Read once per
// test.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace tickpath::test {

/// Picks a count (repetitions, packets, seeds) for this run; quick when nothing is set.
[[nodiscard]] inline std::uint64_t at_level(std::uint64_t quick, std::uint64_t all, std::uint64_t nightly) {
    const char* named = std::getenv("TICKPATH_TEST_LEVEL");
    const std::string_view level = named != nullptr ? named : "quick";
    if (level == "nightly") return nightly;
    return level == "all" ? all : quick;
}

}  // namespace tickpath::test
