// Brings a run up, waits for its end, takes it down and reports. Cold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "control/runtime/trading.h"
#include "control/stats/snapshot.h"

namespace tickpath::runtime {

/// What the command line says over the configuration.
struct RunOptions {
    std::filesystem::path config;
    bool arm = false;               ///< orders may be sent from the start
    std::filesystem::path ticks;    ///< CSV file of every tick; empty: none
    std::optional<double> seconds;  ///< ends by itself after so long
};

enum class RunEnd : std::uint8_t {
    ok,
    failed,         ///< the machine refused something; stderr says what
    configuration,  ///< nothing was started
    unreachable,    ///< a port, or with a capture the counterparty, is not there
    bad_data,       ///< a capture could not be read to its end; what came before was replayed
    interrupted,    ///< SIGINT or SIGTERM
};

struct RunResult {
    RunEnd end = RunEnd::ok;
    std::optional<stats::Snapshot> snapshot;  ///< when anything ran
};

/// Runs a configuration to its end: the end of all captures, a signal, or `seconds`. Talks on stderr; calls
/// `on_report` for each SIGUSR2. The caller holds an Interrupts, until the report is printed.
///
/// With captures the ports are polled once the order session is logged on, for a replay does not wait; live
/// ports at once. A replay that ends waits a moment for the answers to its orders.
[[nodiscard]] RunResult launch(const RunOptions& options, std::span<const StrategyEntry> strategies,
                               void (*on_report)(const stats::Snapshot&));

}  // namespace tickpath::runtime
