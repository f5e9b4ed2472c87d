// Finds the captures, vectors and dictionaries that are not part of the project: $TICKPATH_SHARED or
// ../shared.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tickpath::test {

/// The shared data folder, or an empty path when this machine has none.
[[nodiscard]] inline std::filesystem::path shared_data() {
    const char* named = std::getenv("TICKPATH_SHARED");
    const std::filesystem::path root = named != nullptr
                                           ? std::filesystem::path(named)
                                           : std::filesystem::path(TICKPATH_SOURCE_ROOT) / ".." / "shared";
    const std::filesystem::path data = root / "data";
    return std::filesystem::is_directory(data) ? data : std::filesystem::path();
}

/// The whole file as bytes in a string; throws when it cannot be read.
[[nodiscard]] inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    in.exceptions(std::ios::failbit | std::ios::badbit);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace tickpath::test

// First line of a test that reads shared data.
#define TICKPATH_NEEDS_SHARED_DATA() \
    if (::tickpath::test::shared_data().empty()) GTEST_SKIP() << "skipped: no shared data"
