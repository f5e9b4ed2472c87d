// Takes a capture or a file apart into datagrams and decodes them. Cold.
#pragma once

#include <cstdint>
#include <string>

#include "control/cli/decode_output.h"
#include "control/cli/decode_settings.h"

namespace tickpath::cli {

/// What one pass over the input came to.
struct DecodeTotals {
    std::uint64_t messages = 0;
    std::uint64_t errors = 0;
    std::uint64_t frames_passed_over = 0;  ///< frames of a capture that carry no UDP over IPv4
    std::array<std::uint64_t, fast::report_count> reports{};
    std::string input_error;  ///< the file itself could not be read to its end
};

/// Decodes everything and shows it to `output`.
[[nodiscard]] DecodeTotals run_decode(const DecodeSettings& settings, const std::string& path,
                                      DecodeOutput& output);

}  // namespace tickpath::cli
