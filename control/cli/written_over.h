// Outputs that would destroy what they are made from. Cold.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <system_error>

#include "control/cli/talk.h"

namespace tickpath::cli {

/// Whether writing `out` would overwrite one of `inputs`, by whatever path (same device and inode); says
/// which.
[[nodiscard]] inline bool writes_over(const std::string& out,
                                      std::initializer_list<const std::string*> inputs) {
    std::error_code failure;
    for (const std::string* input : inputs) {
        if (!std::filesystem::equivalent(out, *input, failure) || failure) continue;
        say("-o " + out + " would write over the input " + *input + "; name another file");
        return true;
    }
    return false;
}

}  // namespace tickpath::cli
