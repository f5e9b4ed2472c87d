// The strategies that come with the program, and the run without one. Cold.
#pragma once

#include <memory>
#include <span>

#include "control/runtime/trading.h"

namespace tickpath::runtime {

/// "hit-quote" and "null".
[[nodiscard]] std::span<const StrategyEntry> own_strategies() noexcept;

/// A pipeline without a trade side (order_link="none").
[[nodiscard]] std::unique_ptr<Trading> watch_only(const Parts& parts);

}  // namespace tickpath::runtime
