// One sub-command of the executable. Cold.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "control/cli/exit_code.h"

// The header of CLI11 takes seconds to compile: only files that add options include it.
namespace CLI {
class App;
}

namespace tickpath::cli {

/// A line of the command table. Data goes to stdout, talk to stderr; every message starts with "tickpath: ".
struct Command {
    std::string name;
    std::string summary;  ///< one line, lower case, no full stop
    std::string example;  ///< a command line that works without a NIC; closes the command's --help

    /// Adds the command's options to `app` and sets a callback that does the work and stores its ExitCode in
    /// `exit_code`, which outlives the callback. What the options fill must be owned by the callback, since
    /// `attach` returns before parsing: capture a shared_ptr to an options struct.
    std::function<void(CLI::App& app, int& exit_code)> attach;
};

/// Parses the command line, runs the one command it names and returns the exit code.
///
/// Usage errors end with exit_usage and one line on stderr that says what to do; an exception that leaves a
/// command ends with exit_failed, and so does one whose output could not be written. `--help` of the
/// executable lists the table in its order.
[[nodiscard]] int dispatch(std::span<const Command> commands, int argc, const char* const* argv);

}  // namespace tickpath::cli
