// Asks the kernel for the driver and offloads of an interface (the ioctls of ethtool). Cold.
#pragma once

#include <vector>

#include "control/doctor/machine.h"

namespace tickpath::doctor {

/// Of every interface of this network namespace. What cannot be asked (a driver that does not answer) stays
/// empty or off.
[[nodiscard]] std::vector<InterfaceFeatures> features_of_interfaces();

}  // namespace tickpath::doctor
