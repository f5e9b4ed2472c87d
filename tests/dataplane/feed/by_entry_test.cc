// Ticks that leave before the rest of their message is decoded (decide="entry").
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/feed/feed_path.h"
#include "decoders/fast/template_loader.h"
#include "tests/dataplane/feed/lab_feed.h"
#include "tests/dataplane/feed/same_tick.h"

namespace tickpath::feed {
namespace {

namespace flag = model::tick_flag;
using model::Tick;
using model::TickAction;
using model::TickKind;
using test::lab_a;
using test::lab_snapshot;
using test::LabDatagram;
using test::LabEntry;

std::shared_ptr<const CompiledFeed> lab_feed(const std::string& templates_xml) {
    Diagnostics diagnostics;
    const auto parsed = framing::parse_description(test::lab_description, "lab.xml", diagnostics);
    const auto templates = fast::load_templates(templates_xml, "lab.xml", diagnostics);
    auto feed = parsed && templates ? compile_feed(*parsed, templates, diagnostics) : nullptr;
    EXPECT_NE(feed, nullptr) << diagnostics.format();
    return feed;
}

struct Recorder {
    std::vector<Tick> ticks;
    void on_tick(const Tick& tick) noexcept { ticks.push_back(tick); }
};

class Lab {
public:
    explicit Lab(bool by_entry, const std::string& templates_xml = std::string(test::lab_templates)) {
        const auto feed = lab_feed(templates_xml);
        const framing::Channel& channel = feed->description().channels[0];
        FeedPlan plan;
        plan.channels.push_back({.index = 0, .name = "LAB", .feed = feed, .book = channel.book, .lines = {}});
        for (const framing::Line& line : channel.lines)
            plan.channels[0].lines.push_back({.line = line, .port = 0});
        plan.instruments = {.all = instruments_, .known_count = 0, .learned_first = 0, .learned_max = 8};
        plan.by_entry = by_entry;
        path_ = std::make_unique<FeedPath<Recorder>>(plan, page_, "r0", core::CycleClock(1.0, 0, 0), out_);
    }

    std::vector<Tick> put(const LabDatagram& datagram, std::uint32_t group = lab_a,
                          std::size_t cut_bytes = 0) {
        out_.ticks.clear();
        const test::Bytes bytes = datagram.on(group, cut_bytes);
        model::Frame frame;
        frame.data = bytes.data();
        frame.size_bytes = static_cast<std::uint32_t>(bytes.size());
        path_->on_burst(std::span(&frame, 1));
        return out_.ticks;
    }
    /// Makes S, T and U valid at their number 1 in packet 1.
    void synchronise() {
        put(LabDatagram(1).incremental({{.symbol = "S", .sequence = 1},
                                        {.symbol = "T", .sequence = 1},
                                        {.symbol = "U", .sequence = 1}}));
        std::uint32_t number = 1;
        for (const char* const symbol : {"S", "T", "U"})
            put(LabDatagram(number++).snapshot(
                    {.symbol = symbol, .sequence = 1, .last_processed = 1, .entries = {{}}}),
                lab_snapshot);
        ASSERT_EQ(path_->report().channels[0].books.valid, 3u);
    }
    [[nodiscard]] std::uint64_t count(std::string_view name) const {
        return page_.value("r0." + std::string(name));
    }
    [[nodiscard]] BookCounts books() const { return path_->report().channels[0].books; }

private:
    core::CounterPage page_ = core::CounterPage::anonymous();
    std::vector<model::Instrument> instruments_{8};
    Recorder out_;
    std::unique_ptr<FeedPath<Recorder>> path_;
};

TEST(FeedByEntry, AllButTheLastTickOfAMessageLeaveEarly) {
    Lab lab(true);
    lab.synchronise();
    const std::vector<Tick> ticks = lab.put(LabDatagram(2)
                                                .incremental({{.action = 1, .sequence = 2, .price = 101},
                                                              {.action = 1, .sequence = 3, .price = 102},
                                                              {.action = 1, .sequence = 4, .price = 103}})
                                                .incremental({{.action = 1, .sequence = 5, .price = 104}}));
    ASSERT_EQ(ticks.size(), 4u);
    EXPECT_EQ(ticks[0].flags, flag::early);
    EXPECT_EQ(ticks[1].flags, flag::early);
    EXPECT_EQ(ticks[2].flags, flag::last_of_event);
    EXPECT_EQ(ticks[3].flags, flag::last_of_event | flag::last_of_packet);
    EXPECT_EQ(ticks[0].price, 101);
    EXPECT_EQ(ticks[1].entry_index, 1);
    EXPECT_EQ(ticks[3].message_index, 1);
    EXPECT_LE(ticks[0].decoded_cycles, ticks[1].decoded_cycles);
    EXPECT_EQ(lab.count("LAB.early_ticks"), 2u + 2u) << "and two of synchronise()";
    EXPECT_EQ(lab.count("LAB.early_ticks_failed"), 0u);
}

TEST(FeedByEntry, TellsTheSameTicksAsByMessage) {
    Lab by_entry(true);
    Lab by_message(false);
    const auto expect_same = [&](const LabDatagram& datagram, std::uint32_t group) {
        const std::vector<Tick> early = by_entry.put(datagram, group);
        const std::vector<Tick> late = by_message.put(datagram, group);
        ASSERT_EQ(early.size(), late.size());
        for (std::size_t i = 0; i < early.size(); ++i)
            EXPECT_EQ(test::said_by(early[i]), test::said_by(late[i])) << i;
    };
    by_entry.synchronise();
    by_message.synchronise();
    expect_same(LabDatagram(2).incremental(
                    {{.action = 1, .sequence = 2}, {.action = 1, .symbol = "T", .sequence = 2}}),
                lab_a);
    expect_same(LabDatagram(3).heartbeat().incremental(
                    {{.type = "2", .sequence = 3}, {.symbol = "New", .sequence = 1}}),
                lab_a);
    expect_same(LabDatagram(4).incremental({{.sequence = 7}, {.symbol = "T", .sequence = 3}}),
                lab_a);  // a gap
    expect_same(LabDatagram(5).incremental({}), lab_a);
    expect_same(LabDatagram(9).snapshot({.sequence = 8, .last_processed = 5, .entries = {{}, {.level = 2}}}),
                lab_snapshot);
    expect_same(LabDatagram(6).incremental(
                    {{.action = 9, .symbol = "T", .sequence = 4}, {.symbol = "U", .sequence = 2}}),
                lab_a);
    expect_same(LabDatagram(7).restart(1), lab_a);
    EXPECT_EQ(by_entry.count("LAB.books_invalidated"), by_message.count("LAB.books_invalidated"));
    EXPECT_EQ(by_entry.books().valid, by_message.books().valid);
    EXPECT_GT(by_entry.count("LAB.early_ticks"), 0u);
    EXPECT_EQ(by_message.count("LAB.early_ticks"), 0u);
}

// Entries of no interest make no tick, so the one before them must not be taken for theirs.
TEST(FeedByEntry, EntriesWithoutATickLeaveTheTickBeforeThemAlone) {
    Lab lab(true);
    lab.synchronise();
    const std::vector<Tick> ticks = lab.put(
        LabDatagram(2)
            .incremental({{.action = 1, .sequence = 2}})
            .incremental(
                {{.type = "Z", .sequence = 3}, {.action = 1, .sequence = 4}, {.type = "Z", .sequence = 5}}));
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[0].flags, flag::last_of_event) << "the first message was complete";
    EXPECT_EQ(ticks[1].flags, flag::early);
    EXPECT_EQ(ticks[1].instrument_sequence, 4u);
}

// ---- a message that fails behind its first entries

TEST(FeedByEntry, CountsTheTicksOfAMessageThatFails) {
    Lab lab(true);
    lab.synchronise();
    const LabDatagram datagram = LabDatagram(2)
                                     .incremental({{.action = 1, .symbol = "U", .sequence = 2}})
                                     .incremental({{.action = 1, .sequence = 2, .price = 101},
                                                   {.action = 1, .symbol = "T", .sequence = 2},
                                                   {.action = 1, .sequence = 3, .price = 102}});
    const std::vector<Tick> ticks = lab.put(datagram, lab_a, 1);
    ASSERT_EQ(ticks.size(), 4u);
    EXPECT_EQ(ticks[0].flags, flag::last_of_event);
    EXPECT_EQ(ticks[1].flags, flag::early);
    EXPECT_EQ(ticks[2].flags, flag::early);
    EXPECT_EQ(ticks[3].kind, TickKind::status);
    EXPECT_EQ(ticks[3].action, TickAction::set_invalid);
    EXPECT_EQ(ticks[3].instrument, model::no_instrument) << "every book of the channel";
    EXPECT_EQ(lab.count("LAB.early_ticks"), 2u + 2u) << "and two of synchronise()";
    EXPECT_EQ(lab.count("LAB.early_ticks_failed"), 2u);
    EXPECT_EQ(lab.count("decode.failed_truncated"), 1u);
    EXPECT_EQ(lab.books().valid, 0u);
}

// The numbers of S and T have moved on with entries whose message was never whole; U's have not.
TEST(FeedByEntry, BooksOfAMessageThatFailedWaitForASnapshot) {
    Lab lab(true);
    lab.synchronise();
    lab.put(LabDatagram(2).incremental({{.action = 1, .sequence = 2},
                                        {.action = 1, .symbol = "T", .sequence = 2},
                                        {.action = 1, .sequence = 3}}),
            lab_a, 1);
    std::vector<Tick> ticks = lab.put(LabDatagram(3).incremental({{.action = 1, .sequence = 3}}));
    ASSERT_EQ(ticks.size(), 1u);
    EXPECT_TRUE(ticks[0].has(flag::stale)) << "the next number proves nothing here";
    ticks = lab.put(LabDatagram(4).incremental({{.action = 1, .symbol = "T", .sequence = 3}}));
    ASSERT_EQ(ticks.size(), 1u);
    EXPECT_TRUE(ticks[0].has(flag::stale));
    ticks = lab.put(LabDatagram(5).incremental({{.action = 1, .symbol = "U", .sequence = 2}}));
    ASSERT_EQ(ticks.size(), 2u);
    EXPECT_EQ(ticks[0].action, TickAction::set_valid) << "U missed nothing";
    EXPECT_EQ(lab.books().valid, 1u);
    ticks =
        lab.put(LabDatagram(8).snapshot({.sequence = 3, .last_processed = 5, .entries = {{}}}), lab_snapshot);
    EXPECT_EQ(ticks.back().action, TickAction::set_valid);
    EXPECT_EQ(lab.books().valid, 2u);
}

TEST(FeedByEntry, ATickThatHasNotLeftIsDroppedWithItsMessage) {
    const std::string trailing = [] {
        std::string xml(test::lab_templates);
        const std::string end = "</sequence>\n</template>\n<template name=\"W\"";
        return xml.replace(xml.find(end), 12, "</sequence>\n<uInt32 name=\"Behind\"/>");
    }();
    Lab lab(true, trailing);
    // Without the field behind the entries the message is truncated.
    const std::vector<Tick> ticks = lab.put(LabDatagram(1).incremental({{.sequence = 1}}));
    EXPECT_EQ(lab.count("LAB.early_ticks_failed"), 0u);
    EXPECT_EQ(lab.count("decode.failed_truncated"), 1u);
    ASSERT_EQ(ticks.size(), 1u);
    EXPECT_EQ(ticks[0].action, TickAction::set_invalid);
}

// ---- templates that cannot

TEST(FeedByEntry, AFieldBehindTheEntriesMakesTheMessageWait) {
    std::string xml(test::lab_templates);
    const std::string early = R"(<uInt32 name="Action"/> <string name="Type"/> <string name="Symbol"/>)";
    xml.replace(xml.find(early), early.size(), R"(<uInt32 name="Action"/> <string name="Type"/>)");
    const std::string end = "</sequence>\n</template>\n<template name=\"W\"";
    xml.replace(xml.find(end), 12, "</sequence>\n<string name=\"Symbol\"/>");
    const auto feed = lab_feed(xml);
    ASSERT_NE(feed, nullptr);
    EXPECT_FALSE(feed->message(0)->has_early_entries);
    EXPECT_FALSE(feed->message(1)->has_early_entries) << "a snapshot";
    EXPECT_TRUE(lab_feed(std::string(test::lab_templates))->message(0)->has_early_entries);
}

}  // namespace
}  // namespace tickpath::feed
