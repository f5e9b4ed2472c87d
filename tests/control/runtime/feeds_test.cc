#include "control/runtime/feeds.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "decoders/framing/description.h"

namespace tickpath::runtime {
namespace {

const std::filesystem::path root = TICKPATH_SOURCE_ROOT;
const std::filesystem::path demo_templates = root / "templates/fast/demo/demo.xml";

/// The demo feed with its lines at ports 0, 1 and 0.
config::CheckedFeed demo_feed() {
    Diagnostics found;
    auto description = framing::load_description((root / "templates/feeds/demo.xml").string(), found);
    EXPECT_TRUE(description) << found.format();
    return {.description = description.value_or(framing::FeedDescription{}),
            .templates = demo_templates,
            .line_ports = {{0, 1, 0}}};
}

config::CheckedRun run_of(std::vector<config::CheckedFeed> feeds) {
    config::CheckedRun run;
    run.feeds = std::move(feeds);
    return run;
}

TEST(LoadChannels, GivesEachLineItsPortAndEachChannelItsBook) {
    Diagnostics found;
    const auto channels = load_channels(run_of({demo_feed()}), found);
    ASSERT_EQ(channels.size(), 1u) << found.format();
    EXPECT_EQ(channels[0].name, "DEMO");
    EXPECT_EQ(channels[0].book.depth, 5u);
    ASSERT_EQ(channels[0].lines.size(), 3u);
    EXPECT_EQ(channels[0].lines[0].port, 0u);
    EXPECT_EQ(channels[0].lines[1].port, 1u);
    EXPECT_EQ(channels[0].lines[2].line.role, framing::Role::snapshot);
    EXPECT_FALSE(found.has_errors());
}

TEST(LoadChannels, NumbersChannelsThroughAllFeeds) {
    Diagnostics found;
    const auto channels = load_channels(run_of({demo_feed(), demo_feed()}), found);
    ASSERT_EQ(channels.size(), 2u) << found.format();
    EXPECT_EQ(channels[0].index, 0u);
    EXPECT_EQ(channels[1].index, 1u);
}

TEST(LoadChannels, NamesABrokenTemplateFileOnceHoweverManyFeedsUseIt) {
    const auto broken = std::filesystem::temp_directory_path() /
                        ("tickpath-feeds-test-" + std::to_string(::getpid()) + ".xml");
    std::ofstream(broken)
        << "<templates>\n<template name=\"T\" id=\"1\"><number name=\"x\"/></template>\n</templates>";
    config::CheckedFeed feed = demo_feed();
    feed.templates = broken;
    Diagnostics found;
    EXPECT_TRUE(load_channels(run_of({feed, feed}), found).empty());
    EXPECT_TRUE(found.has_errors());
    ASSERT_FALSE(found.all().empty());
    EXPECT_EQ(found.all()[0].line, 2u) << found.format();
    EXPECT_EQ(found.all().size(), 1u) << found.format();
    std::filesystem::remove(broken);
}

TEST(LoadChannels, ReportsAMappedFieldThatTheTemplatesDoNotHave) {
    config::CheckedFeed feed = demo_feed();
    feed.description.messages_mapped[0].price = "NoSuchPrice";
    Diagnostics found;
    EXPECT_TRUE(load_channels(run_of({feed}), found).empty());
    EXPECT_NE(found.format().find("NoSuchPrice"), std::string::npos) << found.format();
}

}  // namespace
}  // namespace tickpath::runtime
