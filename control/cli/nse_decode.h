// `tickpath decode --feed nse-…`: the part of the command that knows the NSE broadcast. Cold.
#pragma once

#include "control/cli/decode_settings.h"
#include "control/cli/exit_code.h"
#include "decoders/framing/description.h"

namespace tickpath::cli {

/// Decodes the file, prints it to stdout and the totals to stderr. Options about FAST are a usage error.
[[nodiscard]] ExitCode decode_nse(const DecodeOptions& options, const framing::FeedDescription& feed);

}  // namespace tickpath::cli
