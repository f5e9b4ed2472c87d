// tickpath version: what this executable is and how it was built.
#include <iostream>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"

namespace tickpath::cli {
namespace {

void print_version() {
    std::cout << "tickpath " TICKPATH_VERSION "\n"
              << "dpdk " TICKPATH_DPDK_VERSION "\n"
              << "compiler " TICKPATH_COMPILER "\n"
              << "build type " TICKPATH_BUILD_TYPE ", march " TICKPATH_MARCH
                 ", sanitizers " TICKPATH_SANITIZERS ", lto " TICKPATH_LTO ", assertions "
#ifdef NDEBUG
              << "off\n";
#else
              << "on\n";
#endif
}

}  // namespace

Command version_command() {
    return {.name = "version",
            .summary = "print the versions of tickpath and DPDK and the build options",
            .example = "tickpath version",
            .attach = [](CLI::App& app, int& exit_code) {
                app.callback([&exit_code] {
                    print_version();
                    exit_code = exit_ok;
                });
            }};
}

}  // namespace tickpath::cli
