// tickpath: the table of sub-commands. A new command adds its line here, in commands.h and in meson.build.
#include <array>

#include "control/cli/commands.h"

int main(int argc, char** argv) {
    using namespace tickpath::cli;
    const std::array commands = {
        run_command(),       exchange_command(), decode_command(), doctor_command(),       encode_command(),
        templates_command(), latency_command(),  lzo1z_command(),  nse_generate_command(), version_command(),
    };
    return dispatch(commands, argc, argv);
}
