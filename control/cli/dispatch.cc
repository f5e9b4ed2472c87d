#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "control/cli/command.h"
#include "control/cli/standard_output.h"
#include "control/runtime/interrupt.h"
#include "decoders/base/diagnostics.h"
#include "decoders/base/printable.h"

namespace tickpath::cli {
namespace {

// CLI11 would report an unknown word as a surplus argument; a person wants to hear the name it resembles.
bool is_unknown_command(std::span<const Command> commands, std::string_view word) {
    const bool is_option = word.starts_with('-');
    return !is_option && std::ranges::none_of(commands, [&](const Command& c) { return c.name == word; });
}

int report_unknown_command(std::span<const Command> commands, std::string_view word) {
    std::vector<std::string_view> names;
    for (const Command& command : commands)
        names.emplace_back(command.name);
    std::cerr << "tickpath: unknown command '" << printable(word) << '\'';
    const std::string_view near = nearest_spelling(word, names);
    if (!near.empty()) std::cerr << ", did you mean '" << near << "'?";
    std::cerr << " (tickpath --help lists all)\n";
    return exit_usage;
}

void add_command(CLI::App& app, const Command& command, int& exit_code) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    command.attach(*sub, exit_code);
    const std::string own = sub->get_footer();
    sub->footer(own + (own.empty() ? "" : "\n\n") + "Example:\n  " + command.example);
}

int report_usage_error(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const std::string name = chosen.empty() ? "tickpath" : "tickpath " + chosen.front()->get_name();
    std::cerr << "tickpath: " << printable(error.what()) << " (" << name << " --help shows the usage)\n";
    return exit_usage;
}

int parse_and_run(std::span<const Command> commands, int argc, const char* const* argv) {
    if (argc > 1 && is_unknown_command(commands, argv[1])) return report_unknown_command(commands, argv[1]);

    int exit_code = exit_ok;
    CLI::App app("tickpath: market-data frames in, orders out", "tickpath");
    app.require_subcommand(1);
    for (const Command& command : commands)
        add_command(app, command, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        app.exit(help);
        return exit_ok;
    } catch (const CLI::ParseError& error) {
        return report_usage_error(app, error);
    } catch (const std::bad_alloc&) {
        std::cerr << "tickpath: this needs more memory than there is\n";
        return exit_failed;
    } catch (const std::exception& error) {
        std::cerr << "tickpath: " << printable(error.what()) << '\n';
        return exit_failed;
    }
    return exit_code;
}

}  // namespace

int dispatch(std::span<const Command> commands, int argc, const char* const* argv) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file over `ulimit -f` is a write that fails, with a word of ours
    reserve_standard_streams();
    runtime::hold_requests();
    const int exit_code = parse_and_run(commands, argc, argv);
    const bool is_complete = finish_standard_output();
    return exit_code == exit_ok && !is_complete ? exit_failed : exit_code;
}

}  // namespace tickpath::cli
