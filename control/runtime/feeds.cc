#include "control/runtime/feeds.h"

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "control/fast_decoders/own_decoders.h"
#include "dataplane/feed/compiled_feed.h"
#include "dataplane/feed/compiled_nse.h"
#include "decoders/fast/template_loader.h"
#include "decoders/framing/nse_layout.h"

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

std::shared_ptr<const feed::CompiledNse> compile_nse(const framing::FeedDescription& description,
                                                     Diagnostics& diagnostics) {
    auto layouts = framing::nse::load_layouts(framing::layouts_path(description), diagnostics);
    if (!layouts) return nullptr;
    return feed::compile_nse(description, std::move(*layouts), diagnostics);
}

/// `codec` has one of the two compiled forms, and is copied into every channel.
void add_channels(const config::CheckedFeed& checked, const feed::ChannelPlan& codec,
                  std::vector<feed::ChannelPlan>& channels) {
    for (std::size_t c = 0; c < checked.description.channels.size(); ++c) {
        const framing::Channel& channel = checked.description.channels[c];
        feed::ChannelPlan plan = codec;
        plan.index = static_cast<std::uint16_t>(channels.size());
        plan.name = channel.name;
        plan.book = channel.book;
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
        feed::ChannelPlan codec;
        if (checked.description.codec == framing::Codec::nse)
            codec.nse = compile_nse(checked.description, diagnostics);
        else if (!checked.templates.empty())  // else its check has said why
            codec.feed = compile(checked, files, diagnostics);
        if (codec.feed != nullptr || codec.nse != nullptr) add_channels(checked, codec, channels);
    }
    return channels;
}

}  // namespace tickpath::runtime
