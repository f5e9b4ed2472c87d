#include "control/runtime/feeds.h"

#include <filesystem>
#include <map>
#include <memory>

#include "control/fast_decoders/own_decoders.h"
#include "dataplane/feed/compiled_feed.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::runtime {
namespace {

using TemplateFiles = std::map<std::filesystem::path, std::shared_ptr<const fast::Templates>>;

std::shared_ptr<const feed::CompiledFeed> compile(const config::CheckedFeed& checked, TemplateFiles& files,
                                                  Diagnostics& diagnostics) {
    const auto [file, is_new] = files.try_emplace(checked.templates);
    if (is_new)
        file->second =
            fast_decoders::with_own_decoders(fast::load_template_file(checked.templates, diagnostics));
    if (file->second == nullptr) return nullptr;
    return feed::compile_feed(checked.description, file->second, diagnostics);
}

void add_channels(const config::CheckedFeed& checked,
                  const std::shared_ptr<const feed::CompiledFeed>& compiled,
                  std::vector<feed::ChannelPlan>& channels) {
    for (std::size_t c = 0; c < checked.description.channels.size(); ++c) {
        const framing::Channel& channel = checked.description.channels[c];
        feed::ChannelPlan plan{.index = static_cast<std::uint16_t>(channels.size()),
                               .name = channel.name,
                               .feed = compiled,
                               .book = channel.book,
                               .lines = {}};
        for (std::size_t l = 0; l < channel.lines.size(); ++l)
            plan.lines.push_back({.line = channel.lines[l], .port = checked.line_ports[c][l]});
        channels.push_back(std::move(plan));
    }
}

}  // namespace

std::vector<feed::ChannelPlan> load_channels(const config::CheckedRun& run, Diagnostics& diagnostics) {
    TemplateFiles files;
    std::vector<feed::ChannelPlan> channels;
    for (const config::CheckedFeed& checked : run.feeds) {
        if (checked.templates.empty()) continue;  // its check has said why
        if (const auto compiled = compile(checked, files, diagnostics))
            add_channels(checked, compiled, channels);
    }
    return channels;
}

}  // namespace tickpath::runtime
