// `tickpath run` as a program around strategies of one's own. Cold.
#pragma once

#include <span>

#include "control/runtime/trading.h"

namespace tickpath::cli {

/// Its options are those of `tickpath run --help`; returns the exit code.
[[nodiscard]] int run_main(int argc, const char* const* argv,
                           std::span<const runtime::StrategyEntry> strategies);

}  // namespace tickpath::cli
