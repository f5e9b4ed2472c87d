// Files that commands open more than once: to see what they are, to read them, perhaps to read them again.
// Cold.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "control/cli/exit_code.h"

namespace tickpath::cli {

struct InputFile {
    const std::string& path;  ///< nothing is done when it is empty
    ExitCode refusal;         ///< when it can be read only once
};

/// Makes inputs fit to be opened again, or says what cannot be, and returns its refusal.
///
/// What is on one of our own descriptors ("/dev/stdin", "/dev/fd/63" of a shell's "<(…)") and is no file is
/// copied into memory, which takes the descriptor's place: at most data_bytes_max bytes, and to the end, so
/// nothing is shown before the writer is done. A pipe or socket with a name of its own is refused at once.
[[nodiscard]] std::optional<ExitCode> settle_inputs(std::initializer_list<InputFile> inputs);

}  // namespace tickpath::cli
