// The commands of the executable, one declaration a line; each lives in the file of its name. Cold.
#pragma once

#include "control/cli/command.h"

namespace tickpath::cli {

[[nodiscard]] Command decode_command();
[[nodiscard]] Command doctor_command();
[[nodiscard]] Command encode_command();
[[nodiscard]] Command exchange_command();
[[nodiscard]] Command latency_command();
[[nodiscard]] Command lzo1z_command();
[[nodiscard]] Command nse_generate_command();
[[nodiscard]] Command run_command();
[[nodiscard]] Command templates_command();
[[nodiscard]] Command version_command();

}  // namespace tickpath::cli
