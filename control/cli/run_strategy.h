// The whole program around a strategy: `int main(int argc, char** argv) { return
// tickpath::run<MyStrategy>(argc, argv); }`
#pragma once

#include <string_view>

#include "control/cli/run_main.h"
#include "control/runtime/trading_of.h"
#include "dataplane/trade/strategy.h"

namespace tickpath {

/// Runs the path with strategy `S` and returns the exit code. The configuration calls it by `S::name` where
/// that exists (`static constexpr std::string_view name`), else "strategy".
template <trade::Strategy S>
[[nodiscard]] int run(int argc, const char* const* argv) {
    std::string_view name = "strategy";
    if constexpr (requires { std::string_view(S::name); }) name = S::name;
    const runtime::StrategyEntry entry{.name = name, .make = &runtime::make_strategy<S>};
    return cli::run_main(argc, argv, {&entry, 1});
}

}  // namespace tickpath
