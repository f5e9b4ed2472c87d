#include "control/doctor/preset_match.h"

#include <algorithm>

namespace tickpath::doctor {
namespace {

bool has_template(const framing::MessageMapping& mapping, const fast::Templates& templates) {
    return std::any_of(
        mapping.templates.begin(), mapping.templates.end(), [&](const framing::TemplateSelector& selector) {
            return std::any_of(
                templates.all().begin(), templates.all().end(),
                [&](const fast::Template& tmpl) { return selector.matches(tmpl.name(), tmpl.id()); });
        });
}

bool knows_group(const framing::FeedDescription& feed, const std::string& group) {
    return std::any_of(feed.channels.begin(), feed.channels.end(), [&](const framing::Channel& channel) {
        return std::any_of(channel.lines.begin(), channel.lines.end(),
                           [&](const framing::Line& line) { return to_text(line.group) == group; });
    });
}

}  // namespace

Rule rule_of(const framing::FeedDescription& feed) {
    switch (feed.reset) {
        case framing::ResetRule::message:
            return {fast::ResetRule::message, 0};
        case framing::ResetRule::datagram:
            return {fast::ResetRule::datagram, 0};
        case framing::ResetRule::template_id:
            return {fast::ResetRule::template_id, feed.reset_template_id};
        case framing::ResetRule::never:
            return {fast::ResetRule::never, 0};
    }
    return {};
}

PresetMatch match_preset(const framing::FeedDescription& feed, const fast::Templates& templates,
                         const Recording& recording, const FramingTry& found, const std::vector<Rule>& same) {
    PresetMatch match;
    match.source = feed.name;
    const Framing framing = framing_of(feed, "");
    const bool has_too_many = recording.is_capture && framing.is_one_message && !framing.ignores_trailing &&
                              found.trial.datagrams_of_many != 0;
    match.framing_fits = framing.cuts_like(found.framing) && !has_too_many;
    match.reset_fits = std::find(same.begin(), same.end(), rule_of(feed)) != same.end();
    match.mappings = feed.messages_mapped.size();
    match.mappings_found = static_cast<std::size_t>(std::count_if(
        feed.messages_mapped.begin(), feed.messages_mapped.end(),
        [&](const framing::MessageMapping& mapping) { return has_template(mapping, templates); }));
    if (!recording.is_capture) return match;
    match.groups = recording.groups.size();
    match.groups_known = static_cast<std::size_t>(
        std::count_if(recording.groups.begin(), recording.groups.end(),
                      [&](const std::string& group) { return knows_group(feed, group); }));
    return match;
}

std::string PresetMatch::text() const {
    std::string text =
        source + (fits() ? " fits" : " does not fit") + ": framing " + (framing_fits ? "agrees" : "differs") +
        ", reset " + (reset_fits ? "agrees" : "differs") + ", templates for " +
        std::to_string(mappings_found) + " of its " + std::to_string(mappings) + " message kinds";
    if (groups != 0)
        text += ", " + std::to_string(groups_known) + " of " + std::to_string(groups) + " groups";
    return text;
}

}  // namespace tickpath::doctor
