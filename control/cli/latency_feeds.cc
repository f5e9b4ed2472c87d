#include "control/cli/latency_feeds.h"

#include <filesystem>
#include <utility>

#include "control/config/check_feeds.h"
#include "control/config/instruments.h"
#include "control/config/loader.h"
#include "control/runtime/feeds.h"
#include "decoders/framing/description.h"

namespace tickpath::cli {
namespace {

std::vector<config::CheckedFeed> feeds_of_config(LatencyFeedOptions& options, Diagnostics& diagnostics) {
    const std::optional<config::RunConfig> config = config::load_run(options.config, diagnostics);
    if (!config) return {};
    if (options.instruments.empty()) options.instruments = config->instruments.file.string();
    return config::check_feeds(*config, diagnostics);
}

std::vector<config::CheckedFeed> feed_of_description(const LatencyFeedOptions& options,
                                                     Diagnostics& diagnostics) {
    std::optional<framing::FeedDescription> description =
        framing::load_description(options.feed, diagnostics);
    if (!description) return {};
    config::CheckedFeed feed;
    feed.templates = options.templates;
    if (options.templates.empty() && !description->templates_file.empty())
        feed.templates = std::filesystem::path(description->file).parent_path() / description->templates_file;
    if (description->codec == framing::Codec::fast && feed.templates.empty())
        diagnostics.error(options.feed, 0, "which templates? --templates XML: the description names none");
    for (const framing::Channel& channel : description->channels)
        feed.line_ports.emplace_back(channel.lines.size(), std::uint16_t{0});
    feed.description = std::move(*description);
    return {std::move(feed)};
}

}  // namespace

std::optional<LatencyFeeds> load_latency_feeds(const LatencyFeedOptions& options, Diagnostics& diagnostics) {
    LatencyFeedOptions resolved = options;
    config::CheckedRun run;
    run.feeds = options.config.empty() ? feed_of_description(resolved, diagnostics)
                                       : feeds_of_config(resolved, diagnostics);
    LatencyFeeds feeds;
    feeds.channels = runtime::load_channels(run, diagnostics);
    if (!resolved.instruments.empty())
        feeds.instruments = config::load_instruments(resolved.instruments, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    return feeds;
}

}  // namespace tickpath::cli
