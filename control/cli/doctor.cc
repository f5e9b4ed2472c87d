// tickpath doctor: what is wrong with this machine, or which options are right for a capture.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "control/cli/commands.h"
#include "control/cli/doctor_device.h"
#include "control/cli/input_file.h"
#include "control/cli/talk.h"
#include "control/doctor/fast_check.h"
#include "control/doctor/machine_checks.h"
#include "control/doctor/machine_report.h"
#include "control/doctor/nse_check.h"
#include "decoders/base/whole_file.h"
#include "decoders/fast/template_loader.h"
#include "decoders/framing/nse_layout.h"
#include "decoders/framing/presets.h"

namespace tickpath::cli {
namespace {

struct DoctorOptions {
    std::string file;
    std::string templates;
    std::string device;
    std::vector<std::string> feeds;
    std::size_t datagrams_max = 100'000;
    bool machine = false;
    bool json = false;
};

std::optional<std::vector<framing::FeedDescription>> load_feeds(const DoctorOptions& options,
                                                                Diagnostics& diagnostics) {
    std::vector<std::string> sources = options.feeds;
    for (const std::string_view preset : framing::preset_names())
        sources.emplace_back(preset);
    std::vector<framing::FeedDescription> feeds;
    for (const std::string& source : sources) {
        std::optional<framing::FeedDescription> feed = framing::load_description(source, diagnostics);
        if (!feed) return std::nullopt;
        if (feed->codec != framing::Codec::fast) continue;
        feed->name = source;  // what --feed takes
        feeds.push_back(std::move(*feed));
    }
    return feeds;
}

ExitCode code_of(doctor::Outcome outcome) {
    switch (outcome) {
        case doctor::Outcome::found:
            return exit_ok;
        case doctor::Outcome::cannot_tell:
            return exit_failed;
        case doctor::Outcome::bad_data:
            return exit_bad_data;
    }
    return exit_bad_data;
}

doctor::Outcome worst_of(const std::vector<doctor::CheckReport>& reports) {
    doctor::Outcome worst = doctor::Outcome::found;
    for (const doctor::CheckReport& report : reports)
        worst = std::max(worst, report.outcome);
    return worst;
}

void print(const std::vector<doctor::CheckReport>& reports, bool as_json) {
    if (as_json) {
        nlohmann::ordered_json all;
        for (const doctor::CheckReport& report : reports)
            all[report.check] = report.data;
        std::cout << all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
        return;
    }
    for (const doctor::CheckReport& report : reports)
        for (const std::string& line : report.lines)
            std::cout << line << '\n';
}

std::optional<doctor::CheckReport> find_fast(const DoctorOptions& options, doctor::Recording recording,
                                             Diagnostics& diagnostics) {
    std::optional<std::vector<framing::FeedDescription>> feeds = load_feeds(options, diagnostics);
    auto templates = fast::load_template_file(options.templates, diagnostics);
    if (!feeds || !templates) return std::nullopt;
    return doctor::check_fast({.recording = std::move(recording),
                               .templates_file = options.templates,
                               .templates_xml = read_whole_file(options.templates, xml_bytes_max).bytes,
                               .templates = std::move(templates),
                               .feeds = std::move(*feeds)});
}

bool is_empty(const doctor::Recording& recording) {
    return std::all_of(recording.payloads.begin(), recording.payloads.end(),
                       [](const doctor::Payload& payload) { return payload.bytes.empty(); });
}

// What is left to find out is about FAST, and nothing can be said of it without templates.
ExitCode ask_for_templates(const doctor::Recording& recording) {
    if (is_empty(recording)) {
        say(recording.error.empty() ? recording.file + ": there is no datagram in it" : recording.error);
        return exit_bad_data;
    }
    if (!recording.error.empty()) say(recording.error);
    say(recording.file + " is no NSE broadcast; for FAST say which templates: --templates XML");
    return exit_usage;
}

// Groups beside those of the broadcast, when no templates say what they may carry.
doctor::CheckReport other_groups(const doctor::Recording& recording) {
    doctor::CheckReport report{.check = "other",
                               .outcome = doctor::Outcome::found,
                               .lines = {},
                               .data = {{"groups", recording.groups}}};
    for (const std::string& group : recording.groups)
        report.lines.push_back(group + ": no NSE broadcast; for FAST say which templates: --templates XML");
    return report;
}

std::string advice_on_several_feeds(const std::string& nse_group, const std::string& file) {
    return "several feeds in one file: decode takes one at a time, so cut them apart first, as with tcpdump "
           "-r " +
           file + " -w one.pcap dst host " + nse_group.substr(0, nse_group.find(':'));
}

ExitCode judge_machine(bool as_json) {
    const std::vector<doctor::MachineFinding> findings = doctor::check_machine(doctor::Machine::this_one());
    if (as_json) {
        std::cout << to_json(findings).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                  << '\n';
    } else {
        std::cout << printable(to_text(findings));
    }
    return is_ok(findings) ? exit_ok : exit_failed;
}

ExitCode judge_capture(const DoctorOptions& options) {
    if (const auto refusal =
            settle_inputs({{options.templates, exit_configuration}, {options.file, exit_bad_data}}))
        return *refusal;
    Diagnostics diagnostics;
    const auto layouts = framing::nse::load_layouts("", diagnostics);
    if (!layouts) {
        say(diagnostics);
        return exit_configuration;
    }
    doctor::Recording recording = doctor::read_recording(options.file, options.datagrams_max);
    std::vector<doctor::CheckReport> reports;
    if (std::optional<doctor::NseAnswer> nse = doctor::check_nse(recording, *layouts)) {
        doctor::Recording others = without_groups(recording, nse->groups);
        if (!others.payloads.empty())
            nse->report.lines.push_back(
                advice_on_several_feeds(recording.groups[nse->groups.front()], options.file));
        reports.push_back(std::move(nse->report));
        recording = std::move(others);
    }
    if (options.templates.empty()) {
        if (reports.empty()) return ask_for_templates(recording);
        if (!recording.payloads.empty()) reports.push_back(other_groups(recording));
    } else if (reports.empty() || !recording.payloads.empty()) {
        std::optional<doctor::CheckReport> fast = find_fast(options, std::move(recording), diagnostics);
        if (!fast) {
            say(diagnostics);
            return exit_configuration;
        }
        reports.push_back(std::move(*fast));
    }
    print(reports, options.json);
    return code_of(worst_of(reports));
}

void attach(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<DoctorOptions>();
    CLI::Option* capture =
        app.add_option("capture", options->file, "pcap or pcapng capture, or a file of FAST messages")
            ->check(CLI::ExistingFile);
    app.add_option("--templates", options->templates, "FAST template XML; an NSE broadcast needs none")
        ->check(CLI::ExistingFile)
        ->needs(capture);
    app.add_option("--feed", options->feeds, "feed descriptions to try besides the presets")
        ->take_all()
        ->needs(capture);
    app.add_option("--datagrams", options->datagrams_max,
                   "look at so many datagrams of a capture (default 100000)")
        ->check(CLI::PositiveNumber)
        ->needs(capture);
    app.add_flag("--machine", options->machine, "judge this machine; so it does without a capture")
        ->excludes(capture);
    CLI::Option* device =
        app.add_option("--device", options->device, "what this device can do, as a port of a run names it")
            ->excludes(capture)
            ->excludes("--machine");
    app.add_flag("--json", options->json, "print the findings as JSON");
    app.footer(
        "Recognises the groups of an NSE broadcast by their lengths, and says which LZO variant its blocks "
        "are "
        "of. For the others it tries every framing and reset rule that `tickpath decode` knows and says "
        "which gives stable values. "
        "A\n"
        "missing reset gives wrong values and no error, so it looks at what the sender left out and sent "
        "again.\n"
        "Exit code 0: found; 1: cannot tell; 5: nothing decodes it.\n"
        "Without a capture: whether this machine is set up for the path, each finding with the command that "
        "mends it.\n"
        "Exit code 0: nothing to mend; 1: something is.\n"
        "--device opens a NIC by its PCI address, af_packet:INTERFACE or another device, and asks it. Exit "
        "code 4: it does not "
        "open.");
    app.callback([options, capture, device, &exit_code] {
        if (!device->empty()) {
            exit_code = judge_device(options->device, options->json);
            return;
        }
        exit_code = capture->empty() ? judge_machine(options->json) : judge_capture(*options);
    });
}

}  // namespace

Command doctor_command() {
    return {.name = "doctor",
            .summary = "judge this machine, or find the feed, framing and reset rule of a capture",
            .example =
                "tickpath doctor build/demo/feed.pcap --templates templates/fast/demo/demo.xml --feed "
                "templates/feeds/demo.xml",
            .attach = attach};
}

}  // namespace tickpath::cli
