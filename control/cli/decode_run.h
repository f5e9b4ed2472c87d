// Runs `tickpath decode` over a whole file, on one thread or several. Cold.
#pragma once

#include <string>

#include "control/cli/decode_output.h"
#include "control/cli/decode_pass.h"
#include "control/cli/decode_settings.h"

namespace tickpath::cli {

/// Decodes everything and prints it. Text of `output` goes to stdout, its talk to stderr.
///
/// `jobs`: how many threads decode; more than 1 only where refuse_jobs() has nothing against it. What is
/// printed is the same, byte for byte.
[[nodiscard]] DecodeTotals run_decode(const DecodeSettings& settings, const std::string& path,
                                      DecodeOutput& output, unsigned jobs);

/// Why the datagrams of this file cannot be decoded in any order; empty when they can.
[[nodiscard]] std::string refuse_jobs(const DecodeSettings& settings, const std::string& path);

}  // namespace tickpath::cli
