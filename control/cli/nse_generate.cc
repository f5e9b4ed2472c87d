// tickpath nse-generate: a capture of NSE-like traffic, made up.
#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>

#include "control/capture/nse_traffic.h"
#include "control/capture/udp_frame.h"
#include "control/capture/writer.h"
#include "control/cli/commands.h"
#include "control/cli/talk.h"
#include "decoders/framing/description.h"

namespace tickpath::cli {
namespace {

struct Options {
    std::string output;
    std::string segment = "fo";
    double seconds = 10;
    double rate = 400;
    std::uint32_t tokens = 1'000;
    std::uint64_t seed = 1;
    std::string group;
};

// CLI::Range takes "nan" for a number within any range.
std::string is_number(const std::string& text) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = failure == std::errc() && end == text.data() + text.size();
    return is_whole && std::isfinite(value) ? "" : text + " is not a number";
}

// Where the preset of the segment listens, unless the caller says otherwise.
std::optional<net::MulticastGroup> group_of(const Options& options, Diagnostics& diagnostics) {
    if (!options.group.empty()) {
        std::string why_not;
        const auto group = net::parse_group(options.group, why_not);
        if (!group) diagnostics.error("--group", 0, why_not);
        return group;
    }
    const auto preset = framing::load_description("nse-" + options.segment, diagnostics);
    if (!preset) return std::nullopt;
    return preset->channels.at(0).lines.at(0).group;
}

ExitCode generate(const Options& options) {
    Diagnostics diagnostics;
    const std::optional<net::MulticastGroup> group = group_of(options, diagnostics);
    capture::NseTraffic traffic(
        {.segment = options.segment == "cm" ? framing::nse::Segment::cm : framing::nse::Segment::fo,
         .token_count = options.tokens,
         .datagrams_per_second = options.rate,
         .seed = options.seed},
        diagnostics);
    if (diagnostics.has_errors()) {
        say(diagnostics);
        return exit_usage;
    }
    capture::Writer writer(options.output);
    const std::uint64_t end_ns = traffic.time_ns() + static_cast<std::uint64_t>(options.seconds * 1e9);
    for (;;) {
        const std::span<const std::byte> payload = traffic.next();
        if (traffic.time_ns() >= end_ns ||
            !writer.write(traffic.time_ns(), capture::udp_frame(*group, payload)))
            break;
    }
    if (!writer.close()) {
        say(writer.error());
        return exit_failed;
    }
    say(options.output + ": " + std::to_string(writer.frames_written()) + " datagrams to " + to_text(*group));
    return exit_ok;
}

void attach(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    app.add_option("-o,--output", options->output, "pcap file to write")->required();
    app.add_option("--segment", options->segment, "fo (default) or cm")->check(CLI::IsMember({"fo", "cm"}));
    app.add_option("--seconds", options->seconds, "length in capture time (default 10)")
        ->check(is_number)
        ->check(CLI::Range(0.0, 86'400.0));
    app.add_option("--rate", options->rate, "datagrams a second on average (default 400)")
        ->check(is_number)
        ->check(CLI::Range(0.001, 1e7));
    app.add_option("--tokens", options->tokens, "instruments, from token 35001 on (default 1000)")
        ->check(CLI::Range(1u, 1'000'000u));
    app.add_option("--seed", options->seed, "the same seed gives the same file (default 1)");
    app.add_option("--group", options->group, "multicast group ADDRESS:PORT (default: the preset's)");
    app.footer(
        "Books walk at random, each message is in a layout of templates/feeds/nse and compressed by "
        "LZO1Z. Nothing in it is real.");
    app.callback([options, &exit_code] { exit_code = generate(*options); });
}

}  // namespace

Command nse_generate_command() {
    return {.name = "nse-generate",
            .summary = "write a capture of made-up NSE broadcast traffic",
            .example = "tickpath nse-generate -o nse.pcap --segment fo --seconds 5 --rate 400 --tokens 500",
            .attach = attach};
}

}  // namespace tickpath::cli
