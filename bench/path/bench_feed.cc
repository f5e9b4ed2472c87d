#include "bench/path/bench_feed.h"

#include <utility>

#include "bench/path/market.h"
#include "bench/path/nse_market.h"
#include "dataplane/feed/compiled_feed.h"
#include "dataplane/feed/compiled_nse.h"
#include "decoders/fast/template_loader.h"
#include "decoders/framing/description.h"
#include "decoders/framing/nse_layout.h"

namespace tickpath::bench {
namespace {

void fill_channel(const framing::Channel& channel, feed::ChannelPlan& plan) {
    plan.name = channel.name;
    plan.book = channel.book;
    for (const framing::Line& line : channel.lines)
        plan.lines.push_back({.line = line, .port = 0});
}

BenchFeed nse_feed(framing::Interest interest, std::uint32_t other_count) {
    BenchFeed feed;
    Diagnostics diagnostics;
    auto description = framing::load_description("nse-fo", diagnostics);
    auto layouts = framing::nse::load_layouts("", diagnostics);
    if (description && layouts) {
        description->nse.interest = interest;
        feed.channel.nse = feed::compile_nse(*description, std::move(*layouts), diagnostics);
        fill_channel(description->channels[0], feed.channel);
    }
    feed.known = NseMarket::instruments();
    feed.other_count = other_count;
    feed.error_text = diagnostics.format();
    return feed;
}

}  // namespace

BenchFeed fast_feed() {
    BenchFeed feed;
    Diagnostics diagnostics;
    const std::string folder = TICKPATH_SOURCE_ROOT "/templates";
    const auto description = framing::load_description(folder + "/feeds/bench.xml", diagnostics);
    const auto templates = fast::load_template_file(folder + "/fast/bench/ten_entries.xml", diagnostics);
    if (description && templates != nullptr) {
        feed.channel.feed = feed::compile_feed(*description, templates, diagnostics);
        fill_channel(description->channels[0], feed.channel);
    }
    feed.known = Market::instruments();
    feed.other_count = Market::other_count;
    feed.error_text = diagnostics.format();
    return feed;
}

BenchFeed nse_feed() {
    return nse_feed(framing::Interest::known, 0);
}

BenchFeed nse_feed_of_all(std::uint32_t other_count) {
    return nse_feed(framing::Interest::all, other_count);
}

}  // namespace tickpath::bench
