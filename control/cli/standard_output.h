// The data of a command goes to standard output: whether it could, and all of it arrived. Cold.
#pragma once

namespace tickpath::cli {

/// Takes the descriptors 0 to 2 where the caller closed them, so that no file opened later becomes standard
/// output and is written over. Reading and writing them still fails. For the beginning of main.
void reserve_standard_streams();

/// Writes what standard output still holds; false, with one line on stderr, when this or an earlier write
/// failed: then data is missing behind the pipe or in the file. For the end of main.
[[nodiscard]] bool finish_standard_output();

}  // namespace tickpath::cli
