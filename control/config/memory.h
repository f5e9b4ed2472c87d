// How much memory a configuration asks for. All of it is taken and touched at start, so what this machine
// does not have is refused before, with the line to change. Cold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/config/check.h"
#include "control/config/config.h"

namespace tickpath::config {

/// What one part of a configuration takes.
struct MemoryShare {
    std::string what;  ///< the attributes that decide: "learned_max=1024, book_levels_max=128"
    FileLine line = 0;
    std::uint64_t bytes = 0;
};

/// The parts that can grow large: books, instruments, queues, rings, frames. A lower bound of what is taken.
[[nodiscard]] std::vector<MemoryShare> memory_shares(const RunConfig& config, const CheckedRun& run);

/// An error at the largest share when all together is more than the machine has.
void check_memory(const RunConfig& config, const CheckedRun& run, const Machine& machine,
                  Diagnostics& diagnostics);

}  // namespace tickpath::config
