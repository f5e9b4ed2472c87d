#include "control/doctor/fast_check.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "control/doctor/framing_choice.h"
#include "control/doctor/preset_match.h"
#include "control/doctor/rule_choice.h"

namespace tickpath::doctor {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t weight_enough = 5;  // observations that outweigh chance
constexpr std::int64_t weight_high = 20;
constexpr std::uint64_t messages_enough = 8;  // with fewer, agreement of the rules means little
constexpr std::uint64_t messages_high = 50;
constexpr std::size_t option_width = 26;
constexpr std::size_t line_width_max = 200;

struct Verdict {
    Outcome outcome = Outcome::bad_data;
    std::string confidence = "none";
    std::string sentence;
};

std::string percent(double share) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", share * 100);
    return text.data();
}

bool remembers(const std::vector<fast::Field>& fields) {
    const auto has_memory = [](fast::Operator op) {
        return op != fast::Operator::none && op != fast::Operator::constant && op != fast::Operator::default_;
    };
    return std::any_of(fields.begin(), fields.end(), [&](const fast::Field& field) {
        return has_memory(field.op) || has_memory(field.exponent_op) || has_memory(field.mantissa_op) ||
               remembers(field.fields);
    });
}

bool remembers(const fast::Templates& templates) {
    return std::any_of(templates.all().begin(), templates.all().end(),
                       [](const fast::Template& tmpl) { return remembers(tmpl.fields()); });
}

// Templates' own attributes are honoured whatever the rule, and then the rule may not matter.
std::string by_attribute(const fast::Templates& templates) {
    const bool has_one = std::any_of(templates.all().begin(), templates.all().end(),
                                     [](const fast::Template& tmpl) { return tmpl.resets(); });
    return has_one ? ", for the templates' own reset attribute resets" : "";
}

std::string evidence_text(const RuleChoice& choice) {
    for (const RuleTry& one : choice.tries) {
        const ResetEvidence& evidence = one.evidence;
        if (evidence.weight() > 0 && evidence.sent_again != 0)
            return std::to_string(evidence.sent_again) +
                   " values were sent again that a sender with memory would have left out";
        if (evidence.weight() > 0)
            return std::to_string(evidence.fields_running_away) + " delta fields run away without a reset";
        if (evidence.weight() < 0 && evidence.left_out != 0)
            return std::to_string(evidence.left_out) +
                   " values were left out because the receiver remembers them";
        if (evidence.weight() < 0)
            return std::to_string(evidence.fields_in_small_steps) + " delta fields change in small steps";
    }
    return "sequence numbers or prices make sense under no other rule";
}

Verdict judge(const FastQuestion& question, const FramingChoice& framings, const RuleChoice& rules) {
    const FramingTry& framing = framings.tries[framings.best];
    const Trial& trial = rules.tries[rules.best].trial;
    if (framing.share < share_min)
        return {Outcome::bad_data, "none",
                "no framing and reset rule decodes more than " + percent(framing.share) +
                    " of the bytes: other templates, or a framing that --feed FILE has to describe"};
    if (!framings.is_clear)
        return {Outcome::cannot_tell, "none", "several framings decode it: record more packets"};
    if (!remembers(*question.templates))
        return {Outcome::found, "high", "no field of these templates remembers anything"};
    if (trial.messages < messages_enough)
        return {Outcome::cannot_tell, "none",
                "too few messages (" + std::to_string(trial.messages) +
                    ") to see what a sender remembers: record more"};
    const std::string confidence =
        rules.weight >= weight_high && trial.messages >= messages_high ? "high" : "medium";
    if (rules.is_alone) {
        const bool all_agree = rules.same_rules().size() == rules.tries.size();
        return {Outcome::found, confidence,
                all_agree ? "every rule gives these values" + by_attribute(*question.templates)
                          : "no other rule decodes as much"};
    }
    if (rules.weight < weight_enough)
        return {Outcome::cannot_tell, "none",
                "the rules give different values, and nothing in them tells which are right: record more "
                "packets"};
    return {Outcome::found, confidence, evidence_text(rules)};
}

// ---- for a person

std::string row(bool is_found, std::string option, const std::string& rest) {
    if (option.size() < option_width) option.resize(option_width, ' ');
    std::string line = (is_found ? "* " : "  ") + option + ' ' + rest;
    if (line.size() > line_width_max) line.resize(line_width_max);
    return line;
}

std::string whole_of(const Trial& trial) {
    return std::to_string(trial.whole) + " of " + std::to_string(trial.datagrams) + " datagrams, " +
           std::to_string(trial.messages) + " messages";
}

void add_framings(const FramingChoice& framings, std::vector<std::string>& lines) {
    lines.emplace_back("Framing");
    for (const FramingTry& one : framings.tries) {
        std::string text = percent(one.share) + " of the bytes";
        if (!one.reason.empty()) text += "; " + one.reason;
        lines.push_back(row(one.reason.empty(), one.framing.option, text));
    }
}

std::string numbers_of(const Trial& trial) {
    std::string text;
    if (trial.numbers_compared != 0)
        text += "; sequence numbers jump in " + std::to_string(trial.number_jumps) + " of " +
                std::to_string(trial.numbers_compared) + " steps";
    if (!trial.prices.empty())
        text += "; " + std::to_string(trial.prices_out_of_band()) + " of " +
                std::to_string(trial.prices.size()) + " prices far from the median";
    return text;
}

void add_rules(const RuleChoice& rules, std::vector<std::string>& lines) {
    lines.emplace_back("Reset");
    const Trial& best = rules.tries[rules.best].trial;
    for (const RuleTry& one : rules.tries) {
        std::string text = one.failed ? one.reason : whole_of(one.trial);
        if (one.gives_found_values && !one.is_found) {
            text += "; the same values as " + best.rule.name();
        } else if (!one.failed) {
            text += numbers_of(one.trial);
        }
        lines.push_back(row(one.is_found, "--reset " + one.trial.rule.name(), text));
        if (!one.failed && !one.gives_found_values) lines.push_back(row(false, "", one.reason));
    }
}

std::string decode_command(const FastQuestion& question, const std::string& options) {
    return "tickpath decode " + options + " --templates " + question.templates_file + ' ' +
           question.recording.file;
}

std::string head(const FastQuestion& question) {
    const Recording& recording = question.recording;
    std::string text = recording.file + ": ";
    text += recording.is_capture ? std::to_string(recording.payloads.size()) + " datagrams in " +
                                       std::to_string(recording.groups.size()) +
                                       (recording.groups.size() == 1 ? " group" : " groups")
                                 : std::to_string(recording.payloads.front().bytes.size()) + " bytes";
    if (recording.is_limited) text += " (the first of the file)";
    if (recording.frames_passed_over != 0)
        text += ", " + std::to_string(recording.frames_passed_over) + " frames without UDP passed over";
    return text + "; " + std::to_string(question.templates->all().size()) + " templates in " +
           question.templates_file;
}

// ---- for programs

Json to_json(const FramingChoice& framings) {
    Json out = Json::array();
    for (const FramingTry& one : framings.tries) {
        out.push_back({{"options", one.framing.option},
                       {"found", one.reason.empty()},
                       {"datagrams", one.trial.datagrams},
                       {"whole", one.trial.whole},
                       {"share", one.share},
                       {"reason", one.reason}});
    }
    return out;
}

Json to_json(const RuleTry& one) {
    Json errors = Json::object();
    for (const auto& [error, count] : one.trial.errors)
        errors[std::string(code(error))] = count;
    return {{"options", "--reset " + one.trial.rule.name()},
            {"found", one.is_found},
            {"same_values", one.gives_found_values},
            {"datagrams", one.trial.datagrams},
            {"whole", one.trial.whole},
            {"messages", one.trial.messages},
            {"errors", errors},
            {"first_error", one.trial.first_error},
            {"remembered_template_missing", one.trial.without_identifier},
            {"sequence_jumps", one.trial.number_jumps},
            {"prices", one.trial.prices.size()},
            {"prices_out_of_band", one.trial.prices_out_of_band()},
            {"datagrams_differing", one.evidence.datagrams_differing},
            {"sent_again", one.evidence.sent_again},
            {"left_out", one.evidence.left_out},
            {"reason", one.reason}};
}

CheckReport nothing_to_read(const FastQuestion& question, const std::string& why) {
    CheckReport report{.check = "fast", .outcome = Outcome::bad_data, .lines = {}, .data = {}};
    report.lines = {question.recording.file + ": " + why};
    report.data = {{"file", question.recording.file}, {"verdict", name(report.outcome)}, {"text", why}};
    return report;
}

class Report {
public:
    Report(const FastQuestion& question, const FramingChoice& framings, const RuleChoice& rules)
        : question_(question),
          framings_(framings),
          rules_(rules),
          verdict_(judge(question, framings, rules)) {}

    CheckReport make() {
        report_.check = "fast";
        report_.outcome = verdict_.outcome;
        report_.data = {{"file", question_.recording.file},         {"verdict", name(verdict_.outcome)},
                        {"confidence", verdict_.confidence},        {"text", verdict_.sentence},
                        {"input_error", question_.recording.error}, {"framings", to_json(framings_)}};
        report_.lines.push_back(head(question_));
        if (!question_.recording.error.empty()) report_.lines.push_back(question_.recording.error);
        add_framings(framings_, report_.lines);
        if (verdict_.outcome != Outcome::bad_data) show_rules();
        show_verdict();
        return report_;
    }

private:
    void show_rules() {
        add_rules(rules_, report_.lines);
        for (const RuleTry& one : rules_.tries)
            report_.data["resets"].push_back(to_json(one));
        report_.lines.emplace_back("Presets");
        report_.data["presets"] = Json::array();
        for (const framing::FeedDescription& feed : question_.feeds) {
            const PresetMatch match = match_preset(feed, *question_.templates, question_.recording,
                                                   framings_.tries[framings_.best], rules_.same_rules());
            if (match.fits() && preset_.empty()) preset_ = match.source;
            report_.lines.push_back("  " + match.text());
            report_.data["presets"].push_back(
                {{"name", match.source}, {"fits", match.fits()}, {"text", match.text()}});
        }
    }

    void show_verdict() {
        const bool is_found = verdict_.outcome == Outcome::found;
        report_.lines.push_back(
            (is_found ? "Found, confidence " + verdict_.confidence
                      : std::string(verdict_.outcome == Outcome::cannot_tell ? "Cannot tell" : "Bad data")) +
            ": " + verdict_.sentence);
        if (!is_found) return;
        const std::string options = framings_.tries[framings_.best].framing.option + " --reset " +
                                    rules_.tries[rules_.best].trial.rule.name();
        report_.data["options"] = options;
        report_.lines.push_back("  " + decode_command(question_, options));
        if (preset_.empty()) return;
        report_.data["preset"] = preset_;
        report_.lines.push_back("  " + decode_command(question_, "--feed " + preset_));
    }

    const FastQuestion& question_;
    const FramingChoice& framings_;
    const RuleChoice& rules_;
    Verdict verdict_;
    std::string preset_;
    CheckReport report_;
};

}  // namespace

CheckReport check_fast(const FastQuestion& question) {
    const Recording& recording = question.recording;
    if (!recording.error.empty() && recording.payloads.empty())
        return nothing_to_read(question, recording.error);
    const bool has_bytes = std::any_of(recording.payloads.begin(), recording.payloads.end(),
                                       [](const Payload& payload) { return !payload.bytes.empty(); });
    if (!has_bytes) return nothing_to_read(question, "there is no datagram in it");
    const FramingChoice framings = choose_framing(recording, question.templates, question.feeds);
    const RuleChoice rules =
        choose_rule(recording, question.templates, question.templates_xml, framings.tries[framings.best]);
    return Report(question, framings, rules).make();
}

}  // namespace tickpath::doctor
