// tickpath decode: what is in a capture or a file of FAST or NSE messages.
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/decode_output.h"
#include "control/cli/decode_run.h"
#include "control/cli/decode_settings.h"
#include "control/cli/explain_run.h"
#include "control/cli/input_file.h"
#include "control/cli/nse_decode.h"
#include "control/cli/talk.h"
#include "control/cli/template_definitions.h"

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

ExitCode explain(const DecodeOptions& options, const DecodeSettings& settings) {
    std::optional<std::vector<std::byte>> payload;
    if (!options.hex.empty()) {
        payload = parse_hex(options.hex);
        if (!payload) {
            say("--hex " + options.hex + " is not pairs of hexadecimal digits, as in \"C0 81 85\"");
            return exit_usage;
        }
    }
    const ExplainTotals totals =
        payload ? explain_bytes(settings, read_template_definitions(settings.templates_file), *payload,
                                options.message)
                : explain_file(settings, read_template_definitions(settings.templates_file), options.file,
                               options.message);
    std::cout.flush();
    if (!totals.input_error.empty()) say(totals.input_error);
    if (options.message && *options.message > totals.messages) {
        say("there are " + std::to_string(totals.messages) + " messages, no " +
            std::to_string(*options.message) + "th");
        return exit_failed;
    }
    return totals.errors == 0 && totals.input_error.empty() ? exit_ok : exit_bad_data;
}

// What can be wrong with the options beside one another.
std::optional<UsageError> check(const DecodeOptions& options) {
    if (options.file.empty() && options.hex.empty())
        return UsageError{"which file? or --explain --hex BYTES"};
    if (!options.file.empty() && !options.hex.empty()) return UsageError{"a file or --hex, not both"};
    if (!options.explain && (!options.hex.empty() || options.message))
        return UsageError{"--hex and --message go with --explain"};
    if (options.explain && options.jobs > 1)
        return UsageError{"--explain works on one thread; leave --jobs out"};
    if (options.message && *options.message == 0) return UsageError{"--message counts from 1"};
    return std::nullopt;
}

// The feed when it is one of NSE's. What is wrong with a description is said by whoever reads it for FAST.
std::optional<framing::FeedDescription> nse_feed(const DecodeOptions& options) {
    if (options.feed.empty() || options.file.empty()) return std::nullopt;
    Diagnostics unsaid;
    std::optional<framing::FeedDescription> feed = framing::load_description(options.feed, unsaid);
    if (feed && feed->codec != framing::Codec::nse) feed.reset();
    return feed;
}

ExitCode decode(const DecodeOptions& options) {
    if (const std::optional<ExitCode> refusal = settle_inputs({{options.templates, exit_configuration},
                                                               {options.feed, exit_configuration},
                                                               {options.file, exit_bad_data}}))
        return *refusal;
    if (const std::optional<framing::FeedDescription> feed = nse_feed(options))
        return decode_nse(options, *feed);
    const std::unique_ptr<DecodeOutput> output = make_decode_output(options.format);
    if (!output) {
        std::cerr << "tickpath: --format " << options.format << " is not one of jsonl, csv, text\n";
        return exit_usage;
    }
    Diagnostics diagnostics;
    std::optional<UsageError> usage = check(options);
    std::optional<DecodeSettings> settings;
    if (!usage) settings = resolve_decode_settings(options, diagnostics, usage);
    if (settings && options.jobs > 1) {
        const std::string refusal = refuse_jobs(*settings, options.file);
        if (!refusal.empty()) usage = {refusal};
    }
    if (usage) {
        say(usage->text);
        return exit_usage;
    }
    if (!settings) {
        say(diagnostics);
        return exit_configuration;
    }
    if (options.explain) return explain(options, *settings);
    const DecodeTotals totals = run_decode(*settings, options.file, *output, options.jobs);
    std::fflush(stdout);
    report(totals);
    return totals.errors == 0 && totals.input_error.empty() ? exit_ok : exit_bad_data;
}

// The ranges are those of a feed description (decoders/framing/description.cc).
void attach_limits(CLI::App& app, DecodeOptions& options) {
    app.add_option("--sequence-length-max", options.sequence_length_max,
                   "elements of one sequence; more is the error `limit` (default: the feed's, or 65536)")
        ->check(CLI::Range(1, 262'144));
    app.add_option("--string-bytes-max", options.string_bytes_max,
                   "bytes of one string or byte vector (default: the feed's, or 16384)")
        ->check(CLI::Range(8, 65'536));
    app.add_option("--map-bytes-max", options.map_bytes_max,
                   "bytes of one presence map (default: the feed's, or 64)")
        ->check(CLI::Range(2, 65'536));
}

void attach(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<DecodeOptions>();
    app.add_option("file", options->file, "pcap or pcapng capture, or a file of FAST messages")
        ->check(CLI::ExistingFile);
    app.add_option("--feed", options->feed,
                   "feed preset or description file: framing, reset rule, maybe templates");
    app.add_option("--templates", options->templates, "FAST template XML");
    app.add_option(
        "--framing", options->framing,
        "what stands around messages: none, u32le-length (a length before each block), u32le-sequence (a "
        "number before each message); of venues whose packets we have not seen whole: cme (5 bytes), umdf "
        "(10 "
        "bytes, chunks), t7 (packet header); default: the feed's, or none");
    app.add_option(
        "--reset", options->reset,
        "when dictionaries are forgotten: message, datagram, never, template:ID; required without --feed. "
        "Templates' own reset attributes are always honoured");
    app.add_option("--format", options->format, "jsonl, csv or text (default jsonl)");
    app.add_flag("--strict", options->strict,
                 "reportable errors (R2, R6-R9) are errors, and template files are not mended");
    attach_limits(app, *options);
    app.add_flag("--explain", options->explain,
                 "show how each message is decoded: bytes, presence map, operators, dictionary");
    app.add_option("--hex", options->hex, "explain: these bytes, one UDP payload, instead of a file");
    app.add_option("--message", options->message, "explain: only the message of this number, from 1");
    app.add_option("--jobs", options->jobs,
                   "threads that decode; only where datagrams do not depend on one another")
        ->check(CLI::Range(1, 256));
    app.footer(
        "A file that is no capture: with --framing u32le-length each block is a datagram, with "
        "u32le-sequence each\n"
        "message, with umdf each chunk; else the whole file is one datagram. An NSE datagram whose lengths "
        "or count "
        "disagree with\n"
        "its bytes is bad_length, and so is a UDP header that does. Exit code 5 when anything could not be "
        "decoded.\n"
        "The example's capture is one that scripts/demo makes.");
    app.callback([options, &exit_code] { exit_code = decode(*options); });
}

}  // namespace

Command decode_command() {
    return {.name = "decode",
            .summary = "print the FAST or NSE messages of a capture or file",
            .example = "tickpath decode --feed templates/feeds/demo.xml --format jsonl build/demo/fast.pcap",
            .attach = attach};
}

}  // namespace tickpath::cli
