// tickpath encode: the messages that `tickpath decode` printed, as bytes again.
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/decode_settings.h"
#include "control/cli/encode_run.h"
#include "control/cli/talk.h"
#include "control/cli/written_over.h"
#include "decoders/base/whole_file.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::cli {
namespace {

/// As typed; empty means not given.
struct Options {
    std::string in;
    std::string out;
    std::string templates;
    std::string mode = "compact";
    std::string reset;
    std::string framing = "none";
    bool prints_hex = false;
    bool is_strict = false;
};

std::optional<UsageError> read_options(const Options& options, EncodeSettings& settings) {
    if (options.mode == "explicit") {
        settings.encoder.mode = fast::EncodeMode::explicit_;
    } else if (options.mode != "compact") {
        return UsageError{"--mode " + options.mode + " is not one of compact, explicit"};
    }
    if (options.framing == "u32le-length") {
        settings.framing = EncodeFraming::length;
    } else if (options.framing == "u32le-sequence") {
        settings.framing = EncodeFraming::sequence;
    } else if (options.framing != "none") {
        return UsageError{"--framing " + options.framing +
                          " is not one of none, u32le-length, u32le-sequence"};
    }
    if (options.reset.empty())
        return UsageError{
            "say when dictionaries are forgotten, as the decoder will: --reset "
            "message|datagram|never|template:ID"};
    fast::DecoderOptions decoder;
    if (!parse_reset_rule(options.reset, decoder))
        return UsageError{"--reset " + options.reset +
                          " is not one of message, datagram, never, template:ID"};
    settings.encoder.reset = decoder.reset;
    settings.encoder.reset_template_id = decoder.reset_template_id;
    settings.encoder.strict = options.is_strict;
    if (options.out.empty() && !options.prints_hex) return UsageError{"where to? -o OUT, or --hex to print"};
    return std::nullopt;
}

void append_hex(std::string& to, std::string_view bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    for (const char c : bytes) {
        to += digits[static_cast<unsigned char>(c) >> 4];
        to += digits[static_cast<unsigned char>(c) & 15];
    }
    to += '\n';
}

// Nothing is left behind when a line is wrong: half a file decodes like a whole one.
ExitCode write_out(const std::string& path, const std::string& bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (out) return exit_ok;
    say(path + ": cannot be written");
    return exit_failed;
}

ExitCode encode(const Options& options) {
    EncodeSettings settings;
    if (writes_over(options.out, {&options.in, &options.templates})) return exit_usage;
    if (const std::optional<UsageError> usage = read_options(options, settings)) {
        say(usage->text);
        return exit_usage;
    }
    Diagnostics diagnostics;
    settings.templates =
        fast::load_template_file(options.templates, diagnostics, {.strict = options.is_strict});
    if (!settings.templates) {
        say(diagnostics);
        return exit_configuration;
    }
    FileContent content = read_whole_file(options.in, data_bytes_max);
    if (!content) {
        say(options.in + ": " + content.why);
        return exit_failed;
    }
    std::istringstream in(std::move(content.bytes));
    std::string bytes;
    std::string hex;
    const EncodeTotals totals = run_encode(settings, in, options.in, [&](std::string_view message) {
        bytes += message;
        if (options.prints_hex) append_hex(hex, message);
    });
    if (!totals.problem.empty()) {
        say(totals.problem);
        return exit_bad_data;
    }
    std::cout << hex << std::flush;
    say(std::to_string(totals.messages) + " messages, " + std::to_string(bytes.size()) + " bytes");
    if (totals.texts_from_hex != 0)
        say(std::to_string(totals.texts_from_hex) +
            " unicode texts \"hex:…\" were taken for the bytes that decode prints so; characters are "
            "{\"text\":\"hex:…\"}");
    return options.out.empty() ? exit_ok : write_out(options.out, bytes);
}

void attach(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    app.add_option("file", options->in, "JSON Lines as `tickpath decode --format jsonl` prints them")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("-o,--output", options->out, "file to write");
    app.add_option("--templates", options->templates, "FAST template XML")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--mode", options->mode,
                   "compact sends what the decoder's dictionary does not know, explicit every field (default "
                   "compact)");
    app.add_option("--reset", options->reset,
                   "when dictionaries are forgotten: message, datagram, never, template:ID. Templates' own "
                   "reset attributes are always honoured");
    app.add_option("--framing", options->framing,
                   "what stands around messages: none (the file is one datagram), u32le-length, "
                   "u32le-sequence (default none)");
    app.add_flag("--hex", options->prints_hex, "print the bytes, a message a line");
    app.add_flag("--strict", options->is_strict,
                 "refuse what a strict decoder would (R2, D4), and mend nothing in the template file");
    app.footer(
        "With u32le-length the lines of one \"packet\" are one block, other lines a block each. Nothing is\n"
        "written when a line is wrong (exit code 5).\n"
        "In a unicode field \"hex:ff\" is the byte that decode printed so. The characters are what decode "
        "prints\n"
        "for them, \"\\u0068ex:ff\", or {\"text\":\"hex:ff\"}.");
    app.callback([options, &exit_code] { exit_code = encode(*options); });
}

}  // namespace

Command encode_command() {
    return {.name = "encode",
            .summary = "make FAST messages of what decode printed",
            .example =
                "tickpath encode --templates templates/fast/demo/demo.xml --reset datagram --hex "
                "templates/fast/demo/messages.jsonl",
            .attach = attach};
}

}  // namespace tickpath::cli
