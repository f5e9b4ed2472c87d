#include "control/config/check_feeds.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "decoders/framing/presets.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::config {
namespace {

using framing::FeedDescription;

std::string in_quotes(std::string_view text) {
    return '"' + std::string(text) + '"';
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
    const std::string_view near = nearest_spelling(word, known);
    return near.empty() ? std::string() : ", did you mean " + in_quotes(near) + "?";
}

/// Applies one <feed> to its description.
class FeedChecker {
public:
    FeedChecker(const RunConfig& config, const FeedSettings& feed, Diagnostics& diagnostics)
        : config_(config), feed_(feed), diagnostics_(diagnostics) {}

    [[nodiscard]] CheckedFeed check() {
        CheckedFeed checked;
        const std::optional<std::uint16_t> port = default_port();
        std::optional<FeedDescription> description = load();
        if (!description) return checked;
        checked.description = std::move(*description);
        apply_window(checked.description.window);
        apply_interest(checked.description);
        for (const framing::Channel& channel : checked.description.channels)
            checked.line_ports.emplace_back(channel.lines.size(), port.value_or(0));
        for (const FeedLine& line : feed_.lines)
            apply_line(line, port, checked);
        checked.templates = find_templates(checked.description);
        return checked;
    }

private:
    void error(FileLine line, std::string text) {
        diagnostics_.error(config_.file.string(), line, std::move(text));
    }

    std::optional<std::uint16_t> default_port() {
        if (!feed_.port.empty()) return find_port(config_, feed_.port, feed_.line, diagnostics_);
        if (config_.ports.size() == 1) return std::uint16_t{0};
        if (config_.ports.empty()) return std::nullopt;  // the loader has said so
        error(feed_.line, "<feed> needs the attribute port: there are " +
                              std::to_string(config_.ports.size()) + " ports to choose from");
        return std::nullopt;
    }

    std::optional<FeedDescription> load() {
        if (feed_.preset.empty() && feed_.description.empty()) return std::nullopt;  // the loader has said so
        if (feed_.preset.empty()) return framing::load_description(feed_.description.string(), diagnostics_);
        if (const auto text = framing::preset_text(feed_.preset))
            return framing::parse_description(*text, feed_.preset, diagnostics_);
        std::string known;
        for (const std::string_view name : framing::preset_names())
            known += (known.empty() ? "" : ", ") + std::string(name);
        error(feed_.line, "there is no preset " + in_quotes(feed_.preset) + " (there are: " + known + ")");
        return std::nullopt;
    }

    void apply_window(framing::Window& window) const {
        window.packets = feed_.window_packets.value_or(window.packets);
        window.time_us = feed_.window_us.value_or(window.time_us);
        window.line_silence_ms = feed_.line_silence_ms.value_or(window.line_silence_ms);
    }

    void apply_interest(FeedDescription& description) {
        if (!feed_.interest) return;
        if (description.codec != framing::Codec::nse)
            error(feed_.line, "interest has a meaning in feeds of codec NSE only");
        description.nse.interest = *feed_.interest;
    }

    void apply_line(const FeedLine& line, std::optional<std::uint16_t> feed_port, CheckedFeed& checked) {
        if (line.channel.empty()) return;  // the loader has said so
        std::vector<framing::Channel>& channels = checked.description.channels;
        const auto channel = std::ranges::find(channels, line.channel, &framing::Channel::name);
        if (channel == channels.end()) return unknown_channel(line, checked.description);
        std::optional<std::uint16_t> port = feed_port;
        if (!line.port.empty()) port = find_port(config_, line.port, line.line, diagnostics_);

        std::vector<std::uint16_t>& ports =
            checked.line_ports[static_cast<std::size_t>(channel - channels.begin())];
        auto described = std::ranges::find_if(channel->lines, [&](const framing::Line& l) {
            return l.role == line.role && l.copy == line.copy;
        });
        if (described == channel->lines.end()) {
            if (line.group.empty())
                return error(line.line, "channel " + in_quotes(line.channel) +
                                            " has no such line in its description: a new line needs a group");
            described = channel->lines.insert(described, {.role = line.role, .copy = line.copy, .group = {}});
            ports.push_back(port.value_or(0));
        }
        ports[static_cast<std::size_t>(described - channel->lines.begin())] = port.value_or(0);
        std::string why_not;  // the loader has judged the form
        if (!line.group.empty())
            described->group = net::parse_group(line.group, why_not).value_or(described->group);
    }

    void unknown_channel(const FeedLine& line, const FeedDescription& description) {
        std::vector<std::string_view> names;
        for (const framing::Channel& channel : description.channels)
            names.emplace_back(channel.name);
        error(line.line, "feed " + in_quotes(description.name) + " has no channel " +
                             in_quotes(line.channel) + did_you_mean(line.channel, names));
    }

    std::filesystem::path find_templates(const FeedDescription& description) {
        if (description.codec == framing::Codec::nse) {
            if (!feed_.templates.empty())
                error(feed_.line,
                      "feed " + in_quotes(description.name) + " carries no FAST: it takes no templates");
            return {};
        }
        std::filesystem::path templates = feed_.templates;
        if (templates.empty() && !description.templates_file.empty())
            templates = feed_.description.parent_path() / description.templates_file;
        if (templates.empty()) {
            error(feed_.line, "<feed> needs the attribute templates: the description " +
                                  in_quotes(description.name) + " names none");
        } else if (!check_readable(config_, templates, feed_.line, diagnostics_)) {
            templates.clear();
        }
        return templates;
    }

    const RunConfig& config_;
    const FeedSettings& feed_;
    Diagnostics& diagnostics_;
};

// Tick::channel and every report name a channel without its feed, and the router finds one by group and port.
void check_collisions(const RunConfig& config, const std::vector<CheckedFeed>& feeds,
                      Diagnostics& diagnostics) {
    std::map<std::string, FileLine> channel_lines;
    std::map<std::pair<std::uint16_t, net::MulticastGroup>, std::string> group_owners;
    for (std::size_t f = 0; f < feeds.size(); ++f) {
        const FileLine line = config.feeds[f].line;
        const auto& channels = feeds[f].description.channels;
        for (std::size_t c = 0; c < channels.size(); ++c) {
            const auto [first, is_new] = channel_lines.emplace(channels[c].name, line);
            if (!is_new)
                diagnostics.error(config.file.string(), line,
                                  "channel " + in_quotes(channels[c].name) + " is also in the feed of line " +
                                      std::to_string(first->second) + ": names must differ over all feeds");
            for (std::size_t l = 0; l < channels[c].lines.size(); ++l) {
                const net::MulticastGroup group = channels[c].lines[l].group;
                const auto [owner, is_free] =
                    group_owners.emplace(std::pair(feeds[f].line_ports[c][l], group), channels[c].name);
                if (!is_free)
                    diagnostics.error(config.file.string(), line,
                                      "group " + net::to_text(group) + " is given to two lines, of channel " +
                                          in_quotes(owner->second) + " and of channel " +
                                          in_quotes(channels[c].name));
            }
        }
    }
}

}  // namespace

std::optional<std::uint16_t> find_port(const RunConfig& config, std::string_view name, FileLine line,
                                       Diagnostics& diagnostics) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < config.ports.size(); ++i) {
        if (config.ports[i].name.empty()) return std::nullopt;  // the loader has said so; it may be meant
        if (config.ports[i].name == name) return static_cast<std::uint16_t>(i);
        names.emplace_back(config.ports[i].name);
    }
    diagnostics.error(config.file.string(), line,
                      "there is no port " + in_quotes(name) + did_you_mean(name, names));
    return std::nullopt;
}

bool check_readable(const RunConfig& config, const std::filesystem::path& file, FileLine line,
                    Diagnostics& diagnostics) {
    std::error_code failure;
    const bool is_file = std::filesystem::is_regular_file(file, failure);
    if (is_file && std::ifstream(file)) return true;
    const char* what = is_file ? " cannot be opened for reading" : " is not a file";
    if (std::filesystem::is_directory(file, failure)) what = ": is a directory";
    diagnostics.error(config.file.string(), line, file.string() + what, Errc::io);
    return false;
}

std::vector<CheckedFeed> check_feeds(const RunConfig& config, Diagnostics& diagnostics) {
    std::vector<CheckedFeed> feeds;
    for (const FeedSettings& feed : config.feeds)
        feeds.push_back(FeedChecker(config, feed, diagnostics).check());
    check_collisions(config, feeds, diagnostics);
    return feeds;
}

}  // namespace tickpath::config
