// tickpath latency: how long from a datagram of the feed to the order that it caused, by captures.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/input_file.h"
#include "control/cli/latency_feeds.h"
#include "control/cli/talk.h"
#include "control/latency/html_report.h"
#include "control/latency/report.h"
#include "control/latency/stall_baseline.h"
#include "control/latency/study.h"

namespace tickpath::cli {
namespace {

// Packet numbers repeat when a feed starts again; prices do at any time.
constexpr double token_window_ms = 1000;
constexpr double value_window_ms = 1;
constexpr double number_max = 86'400'000;  // milliseconds of a day
constexpr unsigned baseline_ms_max = 600'000;

struct LatencyOptions {
    std::vector<std::string> captures;
    LatencyFeedOptions feeds;
    std::string match = "token";
    std::string trailer = "auto";
    std::optional<double> window_ms;
    std::optional<double> link_gbps;
    std::string percentiles_file;
    std::string html_file;
    unsigned baseline_ms = 0;
    bool json = false;
};

// CLI11 takes "nan" and "inf" for numbers.
std::string is_positive(const std::string& text) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = failure == std::errc() && end == text.data() + text.size();
    return is_whole && value > 0 && value <= number_max ? "" : text + " is not a positive number";
}

std::string check_outputs(const LatencyOptions& options) {
    std::vector<std::string> inputs = options.captures;
    inputs.insert(inputs.end(), {options.feeds.config, options.feeds.feed, options.feeds.templates,
                                 options.feeds.instruments});
    for (const std::string& out : {options.percentiles_file, options.html_file})
        for (const std::string& input : inputs) {
            std::error_code failure;
            if (!out.empty() && std::filesystem::equivalent(out, input, failure))
                return std::string("the output ").append(out).append(" is the input ").append(input);
        }
    return {};
}

/// What is wrong with the options beside one another; empty when nothing is.
std::string check(const LatencyOptions& options) {
    if (options.feeds.config.empty() == options.feeds.feed.empty())
        return "which datagrams are the feed? --config RUN.xml, or --feed PRESET|FILE";
    if (!options.feeds.config.empty() && !options.feeds.templates.empty())
        return "--templates goes with --feed; a configuration names its own";
    return check_outputs(options);
}

latency::StudySettings settings_of(const LatencyOptions& options, LatencyFeeds feeds) {
    latency::StudySettings settings;
    settings.captures = options.captures;
    settings.trailers = latency::parse_trailer_choice(options.trailer).value_or(latency::TrailerChoice::none);
    settings.by = options.match == "token" ? latency::MatchBy::token : latency::MatchBy::value;
    const bool is_token = settings.by == latency::MatchBy::token;
    const double window_ms = options.window_ms.value_or(is_token ? token_window_ms : value_window_ms);
    settings.window_ns = static_cast<std::uint64_t>(std::llround(window_ms * 1e6));
    settings.link_gbps = options.link_gbps;
    settings.channels = std::move(feeds.channels);
    settings.known = std::move(feeds.instruments);
    return settings;
}

bool write_file(const std::string& path, const std::string& content) {
    if (path.empty()) return true;
    std::ofstream out(path, std::ios::binary);
    out << content;
    out.close();
    if (out) return true;
    say(path + ": cannot be written");
    return false;
}

/// NSE channels beside others only take part in --match value.
std::size_t count_unnumbered(const std::vector<feed::ChannelPlan>& channels) {
    return static_cast<std::size_t>(std::ranges::count_if(
        channels, [](const feed::ChannelPlan& channel) { return channel.nse != nullptr; }));
}

/// Says why there is no latency; what was found is printed all the same.
void say_what_is_missing(const latency::Study& study) {
    if (study.datagrams() == 0)
        say("there is no datagram of the feed in the captures: are groups and lines those of the feed?");
    if (study.orders == 0) say("there is no order (NewOrderSingle over TCP) in the captures");
    if (study.datagrams() != 0 && study.orders != 0) say("no order could be joined with what caused it");
}

ExitCode code_of(const latency::Study& study, bool are_files_written) {
    for (const latency::CaptureFacts& facts : study.captures)
        if (!facts.error.empty()) say(facts.error);
    if (study.is_cut()) return exit_bad_data;
    if (study.som_sof.count() != 0) return are_files_written ? exit_ok : exit_failed;
    say_what_is_missing(study);
    return exit_failed;
}

ExitCode run_latency(const LatencyOptions& options) {
    if (const std::string wrong = check(options); !wrong.empty()) {
        say(wrong);
        return exit_usage;
    }
    for (const std::string& capture : options.captures)
        if (const auto refusal = settle_inputs({{capture, exit_bad_data}})) return *refusal;
    Diagnostics diagnostics;
    std::optional<LatencyFeeds> feeds = load_latency_feeds(options.feeds, diagnostics);
    say(diagnostics);
    if (!feeds) return exit_configuration;
    const std::size_t unnumbered = count_unnumbered(feeds->channels);
    if (options.match == "token" && unnumbered != 0) {
        say("datagrams of an NSE broadcast carry no packet number that a ClOrdID could name: orders that "
            "they "
            "caused are found with --match value");
        if (unnumbered == feeds->channels.size()) return exit_usage;
    }
    const latency::Study study = latency::make_study(settings_of(options, std::move(*feeds)));
    std::optional<latency::StallBaseline> stalls;
    if (options.baseline_ms != 0) stalls = latency::measure_stalls(options.baseline_ms);
    const latency::StallBaseline* const baseline = stalls ? &*stalls : nullptr;
    std::cout << (options.json ? to_json(study, baseline) : to_text(study, baseline)) << std::flush;
    const bool has_percentiles = write_file(options.percentiles_file, study.som_sof.to_hgrm());
    const bool has_html = write_file(options.html_file, to_html(study, baseline));
    return code_of(study, has_percentiles && has_html);
}

void attach(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<LatencyOptions>();
    app.add_option("captures", options->captures,
                   "pcap or pcapng captures: feed and orders in one, or in several in any sequence")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--config", options->feeds.config,
                   "configuration of tickpath run: its feeds and instruments");
    app.add_option("--feed", options->feeds.feed, "feed description instead: a preset or a file");
    app.add_option("--templates", options->feeds.templates,
                   "FAST templates, unless the description names them")
        ->check(CLI::ExistingFile);
    app.add_option("--instruments", options->feeds.instruments,
                   "instrument file: symbols and scales, for --match value")
        ->check(CLI::ExistingFile);
    app.add_option("--match", options->match,
                   "token: the ClOrdID names the datagram (default); value: instrument and price, for orders "
                   "of other systems")
        ->check(CLI::IsMember({"token", "value"}));
    app.add_option(
           "--window", options->window_ms,
           "milliseconds before an order in which its trigger is looked for (default 1000 by token, 1 by "
           "value)")
        ->check(is_positive);
    app.add_option("--trailer", options->trailer,
                   "times from switch trailers: auto (default), none, metamako, exablaze")
        ->check(CLI::IsMember({"auto", "none", "metamako", "exablaze"}));
    app.add_option("--link-gbps", options->link_gbps,
                   "speed of the feed's link: also measures from the end of the trigger (EOT-SOF)")
        ->check(is_positive);
    app.add_option("--percentiles", options->percentiles_file,
                   "write the distribution as HdrHistogram does (hgrm), nanoseconds");
    app.add_option("--html", options->html_file, "write a page with the percentile plot");
    app.add_option("--baseline", options->baseline_ms,
                   "spin for so many milliseconds and report this machine's own stalls beside")
        ->check(CLI::Range(1u, baseline_ms_max));
    app.add_flag("--json", options->json, "print the report as JSON");
    app.footer(
        "Of several copies of a datagram or an order the first counts. Times of two captures must come from "
        "clocks that agree.\n"
        "The example's capture is one that scripts/demo makes; its latencies are made up.\n"
        "Exit code 0: measured; 1: no order could be joined with its trigger; 5: a capture ends in the "
        "middle, "
        "what came before was used.");
    app.callback([options, &exit_code] { exit_code = run_latency(*options); });
}

}  // namespace

Command latency_command() {
    return {.name = "latency",
            .summary = "measure tick-to-trade in captures",
            .example = "tickpath latency build/demo/orders.pcap --feed templates/feeds/demo.xml",
            .attach = attach};
}

}  // namespace tickpath::cli
