#include "control/cli/decode_settings.h"

#include <charconv>
#include <filesystem>
#include <string_view>

#include "control/fast_decoders/own_decoders.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::cli {
namespace {

void apply_description(const framing::FeedDescription& feed, DecodeSettings& settings) {
    settings.framing.preamble = feed.preamble;
    settings.framing.is_one_message = feed.messages == framing::MessagesPerDatagram::one;
    settings.framing.ignores_trailing = feed.trailing == framing::TrailingBytes::ignore;
    settings.decoder.limits.sequence_length_max = feed.fast_limits.sequence_length_max;
    settings.decoder.limits.string_bytes_max = feed.fast_limits.string_bytes_max;
    settings.decoder.limits.map_bytes_max = feed.fast_limits.map_bytes_max;
    settings.decoder.reset_template_id = feed.reset_template_id;
    switch (feed.reset) {
        case framing::ResetRule::message:
            settings.decoder.reset = fast::ResetRule::message;
            break;
        case framing::ResetRule::datagram:
            settings.decoder.reset = fast::ResetRule::datagram;
            break;
        case framing::ResetRule::template_id:
            settings.decoder.reset = fast::ResetRule::template_id;
            break;
        case framing::ResetRule::never:
            settings.decoder.reset = fast::ResetRule::never;
            break;
    }
}

bool apply_framing(const std::string& text, DecodeFraming& framing) {
    if (text == "none") {
        framing = {};
    } else if (text == "u32le-length") {
        framing = {.has_length_prefix = true};
    } else if (const std::optional<framing::Preamble> preamble = framing::preamble_named(text)) {
        framing = {.preamble = *preamble, .is_one_message = preamble->form != framing::PreambleForm::header};
    } else {
        return false;
    }
    return true;
}

// The command line goes before the feed's.
void apply_limits(const DecodeOptions& options, fast::Limits& limits) {
    limits.sequence_length_max = options.sequence_length_max.value_or(limits.sequence_length_max);
    limits.string_bytes_max = options.string_bytes_max.value_or(limits.string_bytes_max);
    limits.map_bytes_max = options.map_bytes_max.value_or(limits.map_bytes_max);
}

// A description names its templates relative to itself.
std::string templates_file(const DecodeOptions& options,
                           const std::optional<framing::FeedDescription>& feed) {
    if (!options.templates.empty() || !feed || feed->templates_file.empty()) return options.templates;
    return (std::filesystem::path(feed->file).parent_path() / feed->templates_file).string();
}

}  // namespace

bool parse_reset_rule(const std::string& text, fast::DecoderOptions& options) {
    constexpr std::string_view by_template = "template:";
    if (text == "message") {
        options.reset = fast::ResetRule::message;
    } else if (text == "datagram") {
        options.reset = fast::ResetRule::datagram;
    } else if (text == "never") {
        options.reset = fast::ResetRule::never;
    } else if (text.starts_with(by_template)) {
        const char* const first = text.data() + by_template.size();
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(first, last, options.reset_template_id);
        options.reset = fast::ResetRule::template_id;
        return error == std::errc{} && end == last;
    } else {
        return false;
    }
    return true;
}

std::optional<DecodeSettings> resolve_decode_settings(const DecodeOptions& options, Diagnostics& diagnostics,
                                                      std::optional<UsageError>& usage) {
    DecodeSettings settings;
    settings.decoder.strict = options.strict;
    std::optional<framing::FeedDescription> feed;
    if (!options.feed.empty()) {
        feed = framing::load_description(options.feed, diagnostics);
        if (!feed) return std::nullopt;
        apply_description(*feed, settings);
    }
    apply_limits(options, settings.decoder.limits);
    if (!options.framing.empty() && !apply_framing(options.framing, settings.framing))
        usage = {"--framing " + options.framing +
                 " is not one of none, u32le-length, u32le-sequence, cme, umdf, t7"};
    if (options.reset.empty() && !feed)
        usage = {
            "say when dictionaries are forgotten: --reset message|datagram|never|template:ID, or --feed "
            "PRESET; a "
            "wrong rule gives wrong values and no error"};
    if (!options.reset.empty() && !parse_reset_rule(options.reset, settings.decoder))
        usage = {"--reset " + options.reset + " is not one of message, datagram, never, template:ID"};
    const std::string file = templates_file(options, feed);
    if (file.empty()) usage = {"which templates? --templates XML"};
    if (usage) return std::nullopt;

    settings.templates = fast_decoders::with_own_decoders(
        fast::load_template_file(file, diagnostics, {.strict = options.strict}));
    if (!settings.templates) return std::nullopt;
    settings.templates_file = file;
    return settings;
}

}  // namespace tickpath::cli
