#include "control/cli/nse_decode.h"

#include <iostream>
#include <memory>
#include <optional>

#include "control/cli/nse_run.h"
#include "control/cli/talk.h"
#include "decoders/framing/nse_layout.h"

namespace tickpath::cli {
namespace {

// What of the options is about FAST only; empty when nothing is.
std::string foreign_option(const DecodeOptions& options) {
    if (!options.templates.empty()) return "--templates";
    if (!options.framing.empty()) return "--framing";
    if (!options.reset.empty()) return "--reset";
    if (options.strict) return "--strict";
    if (options.explain) return "--explain";
    if (options.message) return "--message";
    if (!options.hex.empty()) return "--hex";
    if (options.jobs > 1) return "--jobs";
    if (options.sequence_length_max) return "--sequence-length-max";
    if (options.string_bytes_max) return "--string-bytes-max";
    if (options.map_bytes_max) return "--map-bytes-max";
    return {};
}

void report(const NseTotals& totals) {
    std::cerr << "tickpath: " << totals.messages << " messages, " << totals.errors << " errors";
    if (totals.frames_passed_over != 0)
        std::cerr << "; " << totals.frames_passed_over << " frames without UDP over IPv4 passed over";
    std::cerr << '\n';
    for (const auto& [kind, count] : totals.without_layout)
        say("transcode " + std::to_string(kind.first) + " of length " + std::to_string(kind.second) +
            " has no layout: " + std::to_string(count) + " messages passed through raw");
    if (totals.lookbehind_overruns * 2 > totals.compressed)
        say("most blocks look back before their beginning: they are of another LZO variant (LZO1X or LZO1Y?) "
            "than this feed's LZO1Z");
    if (!totals.input_error.empty()) say(totals.input_error);
}

}  // namespace

ExitCode decode_nse(const DecodeOptions& options, const framing::FeedDescription& feed) {
    const std::unique_ptr<NseOutput> output = make_nse_output(options.format);
    if (!output) {
        say("--format " + options.format + " is not one of jsonl, csv, text");
        return exit_usage;
    }
    if (const std::string option = foreign_option(options); !option.empty()) {
        say(option + " is about FAST; feed " + feed.name + " carries none");
        return exit_usage;
    }
    Diagnostics diagnostics;
    const std::optional<framing::nse::Layouts> layouts =
        framing::nse::load_layouts(framing::layouts_path(feed), diagnostics);
    if (!layouts) {
        say(diagnostics);
        return exit_configuration;
    }
    const NseTotals totals = run_nse_decode(feed, *layouts, options.file, *output);
    std::cout.flush();
    report(totals);
    return totals.errors == 0 && totals.input_error.empty() ? exit_ok : exit_bad_data;
}

}  // namespace tickpath::cli
