#include "control/latency/report.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tickpath::latency {
namespace {

using Json = nlohmann::ordered_json;

std::string table_row(std::string_view name, const Latencies& ns) {
    return fmt::format("{:8} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n", name, ns.count(), ns.min(),
                       ns.percentile(50), ns.percentile(90), ns.percentile(99), ns.percentile(99.9),
                       ns.max());
}

std::string baseline_text(const StallBaseline& baseline) {
    const core::Histogram& gaps = baseline.gaps_ns;
    std::string text = fmt::format(
        "\nthis machine's own stalls, {} ms of doing nothing: p99.9 {} ns, longest {} ns, {:.4f} % of the "
        "time\n",
        baseline.duration_ns / 1'000'000, gaps.percentile(99.9), gaps.max(),
        100.0 * static_cast<double>(baseline.stalled_ns) /
            static_cast<double>(std::max<std::uint64_t>(1, baseline.duration_ns)));
    for (std::size_t i = 1; i < StallBaseline::range_count; ++i)
        text += fmt::format("  {:16} {:>9}\n", StallBaseline::range_names[i], baseline.gaps_by_range[i]);
    return text;
}

Json json_of(const Latencies& ns) {
    return {{"count", ns.count()},      {"min", ns.min()},          {"p50", ns.percentile(50)},
            {"p90", ns.percentile(90)}, {"p99", ns.percentile(99)}, {"p99.9", ns.percentile(99.9)},
            {"max", ns.max()},          {"mean", ns.mean()}};
}

Json json_of(const CaptureFacts& facts) {
    return {{"file", facts.file},
            {"clock", {{"domain", name(facts.source.domain)}, {"device", facts.source.device}}},
            {"frames", facts.frames.frames},
            {"frames_not_ipv4", facts.frames.not_ipv4},
            {"frames_cut", facts.frames.cut},
            {"frames_without_stamp", facts.frames.without_stamp},
            {"feed_datagrams", facts.triggers.datagrams},
            {"feed_datagrams_without_number", facts.triggers.without_number},
            {"orders", facts.orders},
            {"orders_resent", facts.flows.resent},
            {"segments_retransmitted", facts.flows.retransmitted},
            {"segments_reordered", facts.flows.reordered},
            {"segments_passed_over", facts.segments_passed_over},
            {"stream_holes", facts.flows.holes},
            {"messages_garbled", facts.flows.garbled},
            {"error", facts.error}};
}

Json json_of(const StallBaseline& baseline) {
    Json ranges;
    for (std::size_t i = 0; i < StallBaseline::range_count; ++i)
        ranges[std::string(StallBaseline::range_names[i])] = baseline.gaps_by_range[i];
    const core::Histogram& gaps = baseline.gaps_ns;
    return {{"duration_ns", baseline.duration_ns},
            {"stalled_ns", baseline.stalled_ns},
            {"gap_ns",
             {{"count", gaps.count()},
              {"p50", gaps.percentile(50)},
              {"p99", gaps.percentile(99)},
              {"p99.9", gaps.percentile(99.9)},
              {"max", gaps.max()}}},
            {"gaps", ranges}};
}

/// Where in the report a number is of interest only when it is not zero.
void remark(std::vector<std::string>& all, std::uint64_t count, std::string_view text) {
    if (count != 0) all.push_back(fmt::format("{} {}", count, text));
}

void remarks_on(const CaptureFacts& facts, std::vector<std::string>& all) {
    std::vector<std::string> own;
    remark(own, facts.frames.cut, "frames are cut: the capture kept only their beginning");
    remark(own, facts.frames.without_stamp, "frames have no trailer, so no time in this clock: left out");
    remark(own, facts.triggers.without_number, "datagrams of the feed have no packet number");
    remark(own, facts.flows.retransmitted, "TCP segments were sent again: the first time counts");
    remark(own, facts.flows.reordered, "TCP segments came before those that they follow");
    remark(own, facts.flows.holes, "holes in TCP streams: orders in them are missing");
    remark(own, facts.flows.garbled, "FIX messages with a wrong length or checksum");
    remark(own, facts.flows.resent, "orders marked as sent before (43, 97)");
    remark(own, facts.segments_passed_over, "TCP segments of more connections than are followed");
    for (const std::string& text : own)
        all.push_back(facts.file + ": " + text);
}

bool has_different_clocks(const Study& study) {
    std::set<std::string> clocks;
    for (const CaptureFacts& facts : study.captures)
        if (facts.orders != 0 || facts.triggers.datagrams != 0) clocks.insert(clock_name(facts));
    return clocks.size() > 1;
}

}  // namespace

std::string clock_name(const CaptureFacts& facts) {
    return fmt::format("{} of {}", name(facts.source.domain), facts.source.device);
}

std::vector<std::string> remarks(const Study& study) {
    std::vector<std::string> all;
    const Matching& matching = study.matching;
    const std::string window = fmt::format("{} ms", static_cast<double>(study.window_ns) / 1e6);
    remark(all, matching.without_key,
           study.by == MatchBy::token ? "orders name no datagram: not tickpath's, or of an NSE broadcast "
                                        "(--match value goes by instrument and price)"
                                      : "orders have no instrument or no price");
    remark(all, matching.without_trigger,
           "orders without trigger: what they refer to was not seen in the " + window + " before them");
    remark(
        all, matching.ambiguous,
        "orders are ambiguous: several datagrams in the " + window + " before them may be meant (--window)");
    remark(
        all, matching.before_trigger,
        fmt::format("orders came before their trigger, by up to {} ns: the clocks of the captures disagree",
                    matching.before_ns_max));
    remark(all, study.orders_warm_up,
           "orders name no cause: those of a warm path, on its loopback, are left out");
    remark(all, study.orders_repeated, "orders were seen more than once: the first time counts");
    if (has_different_clocks(study))
        all.emplace_back("the captures have stamps of different clocks: their offset is in every latency");
    for (const CaptureFacts& facts : study.captures)
        remarks_on(facts, all);
    return all;
}

std::string to_text(const Study& study, const StallBaseline* baseline) {
    std::string text = fmt::format("{:8} {:>9} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "ns", "count",
                                   "min", "p50", "p90", "p99", "p99.9", "max");
    text += table_row("SOM-SOF", study.som_sof);
    if (study.eot_sof) text += table_row("EOT-SOF", *study.eot_sof);
    text += "\nSOM-SOF: start of the trigger's frame to start of the order's frame, by their stamps\n";
    if (study.eot_sof)
        text += fmt::format("EOT-SOF: end of the trigger's frame, {} Gbit/s after its start, to the same\n",
                            *study.link_gbps);
    text += fmt::format(
        "orders {}  matched {}  without trigger {}  ambiguous {}  before trigger {}  unreadable {}\n",
        study.orders, study.matching.pairs.size(), study.matching.without_trigger, study.matching.ambiguous,
        study.matching.before_trigger, study.matching.without_key);
    text += fmt::format("datagrams of the feed {}  with an order {}\n\n", study.datagrams(),
                        study.matching.triggers_matched);
    for (const CaptureFacts& facts : study.captures)
        text += fmt::format("{}: frames {}  of the feed {}  orders {}  clock {}\n", facts.file,
                            facts.frames.frames, facts.triggers.datagrams, facts.orders, clock_name(facts));
    for (const std::string& line : remarks(study))
        text += "- " + line + '\n';
    if (baseline != nullptr) text += baseline_text(*baseline);
    return text;
}

std::string to_json(const Study& study, const StallBaseline* baseline) {
    Json json = {
        {"match", name(study.by)}, {"window_ns", study.window_ns}, {"som_sof_ns", json_of(study.som_sof)}};
    if (study.eot_sof) {
        json["link_gbps"] = *study.link_gbps;
        json["eot_sof_ns"] = json_of(*study.eot_sof);
    }
    const Matching& matching = study.matching;
    json["orders"] = study.orders;
    json["orders_matched"] = matching.pairs.size();
    json["orders_without_trigger"] = matching.without_trigger;
    json["orders_ambiguous"] = matching.ambiguous;
    json["orders_before_trigger"] = matching.before_trigger;
    json["orders_before_trigger_ns_max"] = matching.before_ns_max;
    json["orders_unreadable"] = matching.without_key;
    json["orders_warm_up"] = study.orders_warm_up;
    json["orders_repeated"] = study.orders_repeated;
    json["feed_datagrams"] = study.datagrams();
    json["feed_datagrams_with_order"] = matching.triggers_matched;
    json["captures"] = Json::array();
    for (const CaptureFacts& facts : study.captures)
        json["captures"].push_back(json_of(facts));
    json["remarks"] = remarks(study);
    if (baseline != nullptr) json["baseline"] = json_of(*baseline);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tickpath::latency
