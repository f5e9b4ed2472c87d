// What tickpath doctor says of one device: it is opened as a run would open it, asked, and closed. Cold.
#pragma once

#include <string>

#include "control/cli/exit_code.h"

namespace tickpath::cli {

/// Prints what the device (as in a configuration: "0000:03:00.0", "af_packet:eth0") can do, as text or JSON.
/// What stands in its way is said with the command that mends it: exit_usage when the text names no device,
/// exit_unreachable when it does not open.
[[nodiscard]] ExitCode judge_device(const std::string& device, bool as_json);

}  // namespace tickpath::cli
