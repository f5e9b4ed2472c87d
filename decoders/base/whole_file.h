// A file read whole: descriptions, templates, tables. Cold.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "decoders/base/error.h"

namespace tickpath {

/// What a description, a template file and other XML may have: far above what any venue publishes.
inline constexpr std::size_t xml_bytes_max = std::size_t{16} << 20;

/// What a recording without capture headers, a block or a file of JSON Lines may have: it is held in memory.
inline constexpr std::size_t data_bytes_max = std::size_t{1} << 30;

/// The bytes of a file, or why they are not there.
struct FileContent {
    std::string bytes;
    Errc error = Errc::ok;  ///< `io`, or `limit` when there are more bytes than may be
    std::string why;  ///< "is a directory", "cannot be read: No such file or directory"; without the name

    [[nodiscard]] explicit operator bool() const noexcept { return error == Errc::ok; }
};

/// Reads to the end, or refuses: never more than `bytes_max` bytes, so that a device or a pipe that has no
/// end cannot take all memory.
[[nodiscard]] FileContent read_whole_file(const std::filesystem::path& path, std::size_t bytes_max);

}  // namespace tickpath
