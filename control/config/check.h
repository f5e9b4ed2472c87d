// Judges a loaded configuration as a whole and against this machine, before anything is started. Cold.
#pragma once

#include <vector>

#include "control/config/config.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::config {

/// What the checks need to know of the machine; a test makes one up.
struct Machine {
    std::vector<int> cpus;  ///< on which this process may run

    [[nodiscard]] static Machine this_one();
};

/// Adds everything that is wrong, each with file and line: names that point nowhere, a channel whose lines
/// arrive at different workers, CPUs that are not there or are given twice, files that cannot be read, groups
/// that are not multicast, devices of a form no port takes, a host that no resolver takes, settings that
/// exclude each other.
void check(const RunConfig& config, const Machine& machine, Diagnostics& diagnostics);
void check(const ExchangeConfig& config, Diagnostics& diagnostics);

}  // namespace tickpath::config
