// Brings the plan and what the devices can together, and the rules to the devices. Cold; once, before
// polling.
#pragma once

#include <string_view>

#include "control/runtime/trading.h"
#include "dataplane/pipeline/steering.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::runtime {

/// What `pipeline::make_steering` wants to know, of ports that are open. `parts` has its ports and channels.
[[nodiscard]] pipeline::SteeringRequest steering_request(const Parts& parts, const pipeline::Plan& plan);

/// One error for each port that one worker would have to receive from for another: there is no such ring.
void refuse_hand_overs(const pipeline::Steering& steering, const pipeline::SteeringRequest& request,
                       std::string_view file, Diagnostics& diagnostics);

/// Gives each port its rules. A port that refuses rules it needs, or that no longer runs for them, is an
/// error, another a warning.
void steer_ports(const pipeline::Steering& steering, const Parts& parts, std::string_view file,
                 Diagnostics& diagnostics);

}  // namespace tickpath::runtime
