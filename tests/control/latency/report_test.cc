#include "control/latency/report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "control/latency/html_report.h"

namespace tickpath::latency {
namespace {

Study some_study() {
    Study study;
    study.window_ns = 1'500'000;
    study.link_gbps = 10;
    study.captures.resize(2);
    study.captures[0].file = "<a & \"b\">.pcap";
    study.captures[0].source = {model::TimeDomain::trailer_ns, "metamako"};
    study.captures[0].triggers.datagrams = 12;
    study.captures[1].file = "orders.pcap";
    study.captures[1].orders = 4;
    study.captures[1].flows.retransmitted = 2;
    study.orders = 9;
    study.matching.pairs.resize(4);
    study.matching.ambiguous = 1;
    study.matching.without_trigger = 3;
    study.matching.before_trigger = 1;
    study.matching.before_ns_max = 77;
    study.som_sof = Latencies({100, 200, 300, 40'000});
    study.eot_sof = Latencies({-5, 100, 200, 39'900});
    return study;
}

StallBaseline some_stalls() {
    StallBaseline stalls;
    stalls.duration_ns = 1'000'000;
    for (const std::uint64_t gap : {20u, 20u, 5'000u}) {
        stalls.gaps_ns.record(gap);
        ++stalls.gaps_by_range[range_of(gap)];
    }
    stalls.stalled_ns = 5'000;
    return stalls;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(LatencyReport, TextHasTheTableAndWhatDidNotMatch) {
    const Study study = some_study();
    const StallBaseline stalls = some_stalls();
    const std::string text = to_text(study, &stalls);
    EXPECT_TRUE(has(
        text, "SOM-SOF          4         100         200       40000       40000       40000       40000"))
        << text;
    EXPECT_TRUE(has(text, "EOT-SOF          4          -5")) << text;
    EXPECT_TRUE(has(text, "orders 9  matched 4  without trigger 3  ambiguous 1  before trigger 1")) << text;
    EXPECT_TRUE(
        has(text, "3 orders without trigger: what they refer to was not seen in the 1.5 ms before them"))
        << text;
    EXPECT_TRUE(has(text, "by up to 77 ns: the clocks of the captures disagree")) << text;
    EXPECT_TRUE(has(text, "stamps of different clocks")) << text;
    EXPECT_TRUE(has(text, "orders.pcap: 2 TCP segments were sent again")) << text;
    EXPECT_TRUE(has(text, "longest 5000 ns")) << text;
    EXPECT_FALSE(has(to_text(study, nullptr), "stalls"));
}

TEST(LatencyReport, JsonSaysTheSame) {
    const StallBaseline stalls = some_stalls();
    const auto json = nlohmann::json::parse(to_json(some_study(), &stalls));
    EXPECT_EQ(json["match"], "token");
    EXPECT_EQ(json["som_sof_ns"]["count"], 4);
    EXPECT_EQ(json["som_sof_ns"]["p50"], 200);
    EXPECT_EQ(json["eot_sof_ns"]["min"], -5);
    EXPECT_EQ(json["orders_ambiguous"], 1);
    EXPECT_EQ(json["orders_before_trigger_ns_max"], 77);
    EXPECT_EQ(json["captures"][0]["clock"]["device"], "metamako");
    EXPECT_EQ(json["captures"][1]["segments_retransmitted"], 2);
    EXPECT_EQ(json["captures"][1]["stream_holes"], 0) << "zeros are listed";
    EXPECT_EQ(json["baseline"]["gap_ns"]["max"], 5'000);
    EXPECT_EQ(json["baseline"]["gaps"]["1-10 µs"], 1);
    EXPECT_FALSE(nlohmann::json::parse(to_json(some_study(), nullptr)).contains("baseline"));
}

TEST(LatencyReport, HtmlNeedsNothingElseAndEscapesNames) {
    const StallBaseline stalls = some_stalls();
    const std::string html = to_html(some_study(), &stalls);
    EXPECT_TRUE(has(html, "&lt;a &amp; &quot;b&quot;&gt;.pcap"));
    EXPECT_FALSE(has(html, "<a &"));
    for (const std::string_view reference : {"http", "src=", "href", "@import", "url("})
        EXPECT_FALSE(has(html, reference)) << reference;
    EXPECT_TRUE(has(html, "<polyline class=\"line som\""));
    EXPECT_TRUE(has(html, "<polyline class=\"line eot\""));
    EXPECT_TRUE(has(html, "class=\"bar\""));
    EXPECT_FALSE(has(html, "nan")) << "every number of the plot is one";
    EXPECT_FALSE(has(to_html(some_study(), nullptr), "class=\"bar\""));
}

TEST(LatencyReport, OfNothingIsStillAReport) {
    const Study study;
    EXPECT_TRUE(has(to_text(study, nullptr), "SOM-SOF          0"));
    EXPECT_EQ(nlohmann::json::parse(to_json(study, nullptr))["som_sof_ns"]["max"], 0);
    const std::string html = to_html(study, nullptr);
    EXPECT_FALSE(has(html, "nan"));
    EXPECT_FALSE(has(html, "inf"));
    EXPECT_TRUE(remarks(study).empty());
}

TEST(StallBaseline, SortsGapsByDecade) {
    EXPECT_EQ(range_of(0), 0u);
    EXPECT_EQ(range_of(999), 0u);
    EXPECT_EQ(range_of(1'000), 1u);
    EXPECT_EQ(range_of(99'999), 2u);
    EXPECT_EQ(range_of(100'000), 3u);
    EXPECT_EQ(range_of(9'999'999), 4u);
    EXPECT_EQ(range_of(10'000'000), 5u);
    EXPECT_EQ(range_of(~std::uint64_t{0}), 5u);
}

TEST(StallBaseline, SpinsAsLongAsItSays) {
    const StallBaseline stalls = measure_stalls(5);
    EXPECT_GE(stalls.duration_ns, 4'900'000u);
    EXPECT_GT(stalls.gaps_ns.count(), 1'000u);
    EXPECT_GE(stalls.duration_ns, stalls.stalled_ns);
    std::uint64_t in_ranges = 0;
    for (const std::uint64_t count : stalls.gaps_by_range)
        in_ranges += count;
    EXPECT_EQ(in_ranges, stalls.gaps_ns.count());
}

}  // namespace
}  // namespace tickpath::latency
