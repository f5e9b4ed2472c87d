// tickpath decode: what is in a capture or a file of FAST messages.
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/decode_output.h"
#include "control/cli/decode_run.h"
#include "control/cli/decode_settings.h"
#include "control/cli/talk.h"

namespace tickpath::cli {
namespace {

void report(const DecodeTotals& totals) {
    std::cerr << "tickpath: " << totals.messages << " messages, " << totals.errors << " errors";
    const char* separator = "; reportable errors: ";
    for (std::size_t i = 0; i < fast::report_count; ++i) {
        if (totals.reports[i] == 0) continue;
        std::cerr << separator << code(errc_of(static_cast<fast::Report>(i))) << " in " << totals.reports[i];
        separator = ", ";
    }
    if (totals.frames_passed_over != 0)
        std::cerr << "; " << totals.frames_passed_over << " frames without UDP over IPv4 passed over";
    std::cerr << '\n';
    if (!totals.input_error.empty()) std::cerr << "tickpath: " << totals.input_error << '\n';
}

ExitCode decode(const DecodeOptions& options) {
    const std::unique_ptr<DecodeOutput> output = make_decode_output(options.format);
    if (!output) {
        std::cerr << "tickpath: --format " << options.format << " is not one of jsonl, csv, text\n";
        return exit_usage;
    }
    Diagnostics diagnostics;
    std::optional<UsageError> usage;
    const std::optional<DecodeSettings> settings = resolve_decode_settings(options, diagnostics, usage);
    if (usage) {
        say(usage->text);
        return exit_usage;
    }
    if (!settings) {
        say(diagnostics);
        return exit_configuration;
    }
    const DecodeTotals totals = run_decode(*settings, options.file, *output);
    std::cout.flush();
    report(totals);
    return totals.errors == 0 && totals.input_error.empty() ? exit_ok : exit_bad_data;
}

void attach(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<DecodeOptions>();
    app.add_option("file", options->file, "pcap or pcapng capture, or a file of FAST messages")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--feed", options->feed,
                   "feed preset or description file: framing, reset rule, maybe templates");
    app.add_option("--templates", options->templates, "FAST template XML");
    app.add_option(
        "--framing", options->framing,
        "what stands around messages: none, u32le-length (a length before each block), u32le-sequence (a "
        "number before each message); default: the feed's, or none");
    app.add_option(
        "--reset", options->reset,
        "when dictionaries are forgotten: message, datagram, never, template:ID; required without --feed. "
        "Templates' own reset attributes are always honoured");
    app.add_option("--format", options->format, "jsonl, csv or text (default jsonl)");
    app.add_flag("--strict", options->strict,
                 "reportable errors (R2, R6-R9) are errors, and template files are not mended");
    app.footer(
        "A file that is no capture: with --framing u32le-length each block is a datagram, with "
        "u32le-sequence each\n"
        "message; without framing the whole file is one datagram. Exit code 5 when anything could not be "
        "decoded.");
    app.callback([options, &exit_code] { exit_code = decode(*options); });
}

}  // namespace

Command decode_command() {
    return {.name = "decode",
            .summary = "print the FAST messages of a capture or file",
            .example = "tickpath decode --feed templates/feeds/demo.xml --format jsonl build/demo/feed.pcap",
            .attach = attach};
}

}  // namespace tickpath::cli
