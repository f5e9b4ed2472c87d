// What the process says to the shell when it ends. The numbers are part of the interface: scripts test for
// them.
#pragma once

namespace tickpath::cli {

enum ExitCode : int {
    exit_ok = 0,
    exit_failed = 1,         ///< the work was understood and could not be done
    exit_usage = 2,          ///< unknown command or option, missing or malformed argument
    exit_configuration = 3,  ///< a configuration, template or instrument file is wrong; nothing was started
    exit_unreachable = 4,    ///< a port, interface or counterparty is not there
    exit_bad_data = 5,       ///< the input was read to its end and some of it could not be decoded
    exit_interrupted = 130,  ///< SIGINT, SIGTERM or SIGHUP; the report was still printed
};

}  // namespace tickpath::cli
