// tickpath run: frames in, orders out, until the captures end or somebody says stop.
#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/run_main.h"
#include "control/runtime/interrupt.h"
#include "control/runtime/launch.h"
#include "control/runtime/strategies.h"
#include "control/stats/latency_report.h"

namespace tickpath::cli {
namespace {

ExitCode exit_code_of(runtime::RunEnd end) {
    switch (end) {
        case runtime::RunEnd::ok:
            return exit_ok;
        case runtime::RunEnd::failed:
            return exit_failed;
        case runtime::RunEnd::configuration:
            return exit_configuration;
        case runtime::RunEnd::unreachable:
            return exit_unreachable;
        case runtime::RunEnd::bad_data:
            return exit_bad_data;
        case runtime::RunEnd::interrupted:
            return exit_interrupted;
    }
    return exit_failed;
}

struct Options {
    runtime::RunOptions run;
    bool json = false;
};

// CLI11 takes "nan" and "inf" for positive numbers.
std::string is_duration(const std::string& text) {
    double seconds = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool is_whole = failure == std::errc() && end == text.data() + text.size();
    return is_whole && std::isfinite(seconds) && seconds > 0 ? "" : text + " is not a positive number";
}

void print_text(const stats::Snapshot& snapshot) {
    std::cout << stats::to_text(snapshot) << std::flush;
}
void print_json(const stats::Snapshot& snapshot) {
    std::cout << stats::to_json(snapshot) << std::flush;
}

void attach(CLI::App& app, int& exit_code, std::span<const runtime::StrategyEntry> strategies) {
    auto options = std::make_shared<Options>();
    app.add_option("config", options->run.config, "configuration file (templates/config/README.md)")
        ->required();
    app.add_flag("--arm", options->run.arm, "orders may be sent from the start, whatever the file says");
    app.add_option("--ticks", options->run.ticks, "write every tick as CSV to this file");
    app.add_option("--seconds", options->run.seconds, "end by itself after so many seconds")
        ->check(is_duration);
    app.add_flag("--json", options->json, "print the report as JSON");
    app.footer(
        "Signals: SIGINT, SIGTERM and SIGHUP end with a report, SIGUSR1 throws the kill switch, SIGUSR2 "
        "prints a report.\n"
        "The example's capture is one that scripts/demo makes.");
    app.callback([options, &exit_code, strategies] {
        const runtime::Interrupts interrupts;
        const auto print = options->json ? print_json : print_text;
        const runtime::RunResult result = runtime::launch(options->run, strategies, print);
        if (result.snapshot) print(*result.snapshot);
        exit_code = exit_code_of(result.end);
    });
}

Command command_with(std::span<const runtime::StrategyEntry> strategies) {
    return {.name = "run",
            .summary = "run the path: frames to ticks to orders",
            .example = "tickpath run templates/config/replay.xml --ticks ticks.csv",
            .attach = [strategies](CLI::App& app, int& exit_code) { attach(app, exit_code, strategies); }};
}

}  // namespace

Command run_command() {
    return command_with(runtime::own_strategies());
}

int run_main(int argc, const char* const* argv, std::span<const runtime::StrategyEntry> strategies) {
    std::vector<const char*> arguments = {argv[0], "run"};
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    const Command command = command_with(strategies);
    return dispatch({&command, 1}, static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace tickpath::cli
