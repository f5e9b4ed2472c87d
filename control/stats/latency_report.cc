#include "control/stats/latency_report.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "control/stats/causes.h"

namespace tickpath::stats {
namespace {

// ordered: a person reads the JSON too, and totals come first.
using Json = nlohmann::ordered_json;

/// One cause summed over the threads that met it.
struct CauseSum {
    Cause cause;
    std::uint64_t value = 0;
    std::string owners;  ///< "r0.router 10, r1.router 2", only those above zero
};

std::string_view owner_of(std::string_view full_name, std::string_view counter) {
    return full_name.substr(0, full_name.size() - std::min(full_name.size(), counter.size() + 1));
}

/// The causes of one kind in order of making.
std::vector<CauseSum> causes_of_kind(const Snapshot& snapshot, CauseKind kind) {
    std::vector<CauseSum> sums;
    for (const CounterValue& counter : snapshot.counters) {
        const Cause cause = cause_of(counter.name);
        if (cause.kind != kind) continue;
        auto sum =
            std::ranges::find_if(sums, [&](const CauseSum& s) { return s.cause.counter == cause.counter; });
        if (sum == sums.end()) sum = sums.insert(sums.end(), {.cause = cause, .value = 0, .owners = {}});
        sum->value += counter.value;
        if (counter.value == 0) continue;
        if (!sum->owners.empty()) sum->owners += ", ";
        const std::string_view owner = owner_of(counter.name, cause.counter);
        sum->owners += fmt::format("{}{}{}", owner, owner.empty() ? "" : " ", counter.value);
    }
    return sums;
}

template <class... Args>
void line(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
    out += '\n';
}

void append_head(std::string& out, const Snapshot& snapshot) {
    line(out, "run {:.3f} s, strategy {}, {}, order link {}{}{}", snapshot.run_seconds, snapshot.strategy,
         snapshot.is_armed ? "armed" : "not armed", snapshot.order_link,
         snapshot.session.empty() ? "" : ", session ", snapshot.session);
    if (!snapshot.kill_reason.empty()) line(out, "kill switch on: {}", snapshot.kill_reason);
    const Totals& t = snapshot.totals;
    line(out, "frames {}  messages {}  ticks {}  events {}  orders {}  fills {}", t.frames, t.messages,
         t.ticks, t.events, t.orders, t.fills);
}

void append_causes(std::string& out, const Snapshot& snapshot, CauseKind kind, std::string_view title) {
    std::vector<CauseSum> sums = causes_of_kind(snapshot, kind);
    std::erase_if(sums, [](const CauseSum& sum) { return sum.value == 0; });
    if (sums.empty()) return;
    line(out, "\n{}", title);
    for (const CauseSum& sum : sums)
        line(out, "  {:>12}  {}  ({})", sum.value, sum.cause.phrase, sum.owners);
}

// Of flows a sum over owners would count the same tick at every stage it passes.
void append_flows(std::string& out, const Snapshot& snapshot) {
    std::string flows;
    for (const CounterValue& counter : snapshot.counters) {
        if (counter.value == 0) continue;
        const Cause cause = cause_of(counter.name);
        if (cause.kind != CauseKind::flow) continue;
        line(flows, "  {:>12}  {}{}{}", counter.value, counter.name, cause.is_known ? ": " : "",
             cause.is_known ? cause.phrase : "");
    }
    if (!flows.empty()) out += "\ncounters\n" + flows;
}

void append_lines(std::string& out, const Snapshot& snapshot) {
    if (snapshot.lines.empty()) return;
    line(out, "\n{:<20} {:<10} {:>10} {:>10} {:>10} {:>6} {:>7}  {}", "lines", "", "packets", "wins", "twins",
         "late", "losses", "lead ns p50 / p99 / max");
    for (const LineReport& l : snapshot.lines) {
        const Summary& lead = l.lead_ns;
        const std::string text =
            lead.count == 0 ? std::string("-") : fmt::format("{} / {} / {}", lead.p50, lead.p99, lead.max);
        line(out, "{:<20} {:<10} {:>10} {:>10} {:>10} {:>6} {:>7}  {}{}{}", l.channel, l.line, l.packets,
             l.wins, l.twins, l.late, l.losses, text,
             snapshot.ports.size() > 1 ? "  on " + l.port : std::string(), l.is_silent ? "  silent" : "");
    }
}

void append_latencies(std::string& out, const Snapshot& snapshot) {
    if (snapshot.latencies.empty()) return;
    line(out, "\n{:<26} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9} {:>10}  clocks", "latency ns", "count", "min",
         "p50", "p90", "p99", "p99.9", "max");
    for (const LatencyReport& l : snapshot.latencies) {
        const std::string clocks = l.from == l.until
                                       ? std::string(model::name(l.from))
                                       : fmt::format("{} to {}", model::name(l.from), model::name(l.until));
        line(out, "{:<26} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9} {:>10}  {}", l.span, l.ns.count, l.ns.min,
             l.ns.p50, l.ns.p90, l.ns.p99, l.ns.p999, l.ns.max, clocks);
    }
}

void append_slowest(std::string& out, const Snapshot& snapshot) {
    if (snapshot.slowest.empty()) return;
    line(out, "\nslowest events, tick to order");
    for (const SlowEvent& e : snapshot.slowest)
        line(out, "  {:>12} ns  {} {} packet {} message {} frame {}  {}  {}  at {} {}", e.tick_to_order_ns,
             e.channel, e.line, e.packet_sequence, e.message_index, e.frame_number, e.instrument,
             e.cl_ord_id.empty() ? "no order" : e.cl_ord_id, e.at_ns, model::name(e.domain));
}

void append_holes(std::string& out, const Snapshot& snapshot) {
    if (snapshot.holes_total == 0) return;
    line(out, "\nholes {}", snapshot.holes_total);
    for (const Hole& h : snapshot.holes)
        line(out, "  {}{}: {} packets from {}, declared at {} {}", h.channel,
             h.is_snapshot ? " snapshot" : "", h.count, h.first_missing, h.at_ns, model::name(h.domain));
    if (snapshot.holes_total > snapshot.holes.size())
        line(out, "  {} later ones are not kept", snapshot.holes_total - snapshot.holes.size());
    // A frame that was lost in a ring is lost here and counted there.
    for (const PortReport& p : snapshot.ports)
        for (const DeviceStat& statistic : p.statistics)
            if (statistic.is_loss())
                line(out, "  the device of {} counts {} {}", p.name, statistic.name, statistic.value);
}

void append_books(std::string& out, const Snapshot& snapshot) {
    if (snapshot.books.empty()) return;
    line(out, "\n{:<20} {:>10} {:>10}", "books", "valid", "invalid");
    for (const BookReport& b : snapshot.books)
        line(out, "{:<20} {:>10} {:>10}", b.channel, b.valid, b.invalid);
}

void append_decode_failures(std::string& out, const Snapshot& snapshot) {
    if (snapshot.decode_failures.empty()) return;
    line(out, "\nlast message that could not be decoded");
    for (const DecodeFailure& f : snapshot.decode_failures)
        line(out, "  {} {} packet {} frame {}: {} ({}), template {}, at byte {} of the payload", f.channel,
             f.line, f.packet_number, f.frame_number, code(f.error), describe(f.error), f.template_id,
             f.offset);
}

std::string link_text(const PortReport& port) {
    if (!port.is_link_up) return "down";
    return port.link_speed_mbps == 0 ? "up" : fmt::format("{} Mb/s", port.link_speed_mbps);
}

void append_statistics(std::string& out, const PortReport& port) {
    if (port.statistics.empty()) return;
    std::string text;
    for (const DeviceStat& statistic : port.statistics)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", statistic.name, statistic.value);
    line(out, "  {} counts: {}", port.name, text);
}

void append_ports(std::string& out, const Snapshot& snapshot) {
    if (snapshot.ports.empty()) return;
    line(out, "\n{:<12} {:<24} {:<20} {:<12} {:>11}  {}", "ports", "device", "driver", "link", "frame times",
         "device counts frames / missed / errors / no buffer");
    for (const PortReport& p : snapshot.ports)
        line(out, "{:<12} {:<24} {:<20} {:<12} {:>11}  {} / {} / {} / {}", p.name, p.device, p.driver,
             link_text(p), p.has_frame_times ? "yes" : "no", p.frames, p.missed, p.errors, p.no_buffer);
    for (const PortReport& p : snapshot.ports)
        line(out, "  {} can: {}", p.name, to_text(p.capabilities));
    for (const PortReport& p : snapshot.ports)
        line(out, "  {} has: {}, receive rings of {}", p.name, to_text(p.filter), p.descriptors);
    for (const PortReport& p : snapshot.ports)
        append_statistics(out, p);
}

void append_broadcasts(std::string& out, const Snapshot& snapshot) {
    if (snapshot.broadcasts.empty()) return;
    const auto age = [](const std::optional<std::uint64_t>& ns) {
        return ns ? std::to_string(*ns) : std::string("-");
    };
    line(out, "\n{:<16} {:>12} {:>12} {:>16} {:>16} {:>18} {:>18}", "broadcasts", "books valid", "not valid",
         "age p50 ns", "age max ns", "circuit check ns", "last datagram ns");
    for (const BroadcastReport& b : snapshot.broadcasts) {
        line(out, "{:<16} {:>12} {:>12} {:>16} {:>16} {:>18} {:>18}", b.channel, b.books_valid,
             b.books_invalid, b.book_age_ns_p50, b.book_age_ns_max, age(b.heartbeat_age_ns),
             age(b.datagram_age_ns));
        if (b.suggests_other_variant)
            line(out, "  most blocks look back before their beginning: another LZO variant (1X, 1Y)?");
        for (const std::string& kind : b.without_layout)
            line(out, "  no layout for transcode {}", kind);
    }
}

void append_workers(std::string& out, const Snapshot& snapshot) {
    if (snapshot.workers.empty()) return;
    line(out, "\n{:<12} {:>4} {:>14} {:>16} {:>12} {:>13} {:>16} {:>10}", "workers", "cpu", "loops",
         "longest loop ns", "over 10 us", "minor faults", "switched away", "ring full");
    for (const WorkerReport& w : snapshot.workers)
        line(out, "{:<12} {:>4} {:>14} {:>16} {:>12} {:>13} {:>16} {:>10}", w.name,
             w.cpu < 0 ? std::string("-") : std::to_string(w.cpu), w.loops, w.longest_loop_ns,
             w.loops_over_10us, w.minor_faults,
             w.involuntary_switches ? std::to_string(*w.involuntary_switches) : std::string("yields"),
             w.ring_full_waits);
}

Json json_of(const Summary& s) {
    return {{"count", s.count}, {"min", s.min},    {"p50", s.p50}, {"p90", s.p90},
            {"p99", s.p99},     {"p99.9", s.p999}, {"max", s.max}};
}

Json json_of(const Totals& t) {
    return {{"frames", t.frames}, {"messages", t.messages}, {"ticks", t.ticks},
            {"events", t.events}, {"orders", t.orders},     {"fills", t.fills}};
}

Json json_of(const LineReport& l) {
    return {{"channel", l.channel},  {"line", l.line},
            {"port", l.port},        {"packets", l.packets},
            {"wins", l.wins},        {"twins", l.twins},
            {"late", l.late},        {"losses", l.losses},
            {"silent", l.is_silent}, {"lead_ns", json_of(l.lead_ns)}};
}

Json json_of(const LatencyReport& l) {
    return {{"span", l.span},
            {"from", model::name(l.from)},
            {"until", model::name(l.until)},
            {"ns", json_of(l.ns)}};
}

Json json_of(const SlowEvent& e) {
    return {{"tick_to_order_ns", e.tick_to_order_ns},
            {"channel", e.channel},
            {"line", e.line},
            {"packet_sequence", e.packet_sequence},
            {"message_index", e.message_index},
            {"frame", e.frame_number},
            {"instrument", e.instrument},
            {"cl_ord_id", e.cl_ord_id},
            {"at_ns", e.at_ns},
            {"domain", model::name(e.domain)}};
}

Json json_of(const Hole& h) {
    return {{"channel", h.channel}, {"snapshot", h.is_snapshot}, {"first_missing", h.first_missing},
            {"count", h.count},     {"at_ns", h.at_ns},          {"domain", model::name(h.domain)}};
}

Json json_of(const BookReport& b) {
    return {{"channel", b.channel}, {"valid", b.valid}, {"invalid", b.invalid}};
}

Json json_of(const DecodeFailure& f) {
    return {{"channel", f.channel},      {"line", f.line},         {"packet", f.packet_number},
            {"frame", f.frame_number},   {"error", code(f.error)}, {"text", describe(f.error)},
            {"template", f.template_id}, {"offset", f.offset}};
}

Json json_of(const port::DescriptorLimits& l) {
    return {{"least", l.least}, {"most", l.most}, {"multiple_of", l.multiple_of}};
}

Json json_of(const port::PortCapabilities& c) {
    return {{"steering", name(c.steering)},
            {"shared_with_kernel", c.is_shared_with_kernel},
            {"membership", name(c.membership)},
            {"receive_stamp", name(c.receive_stamp)},
            {"transmit_stamp", name(c.transmit_stamp)},
            {"checksum_flag", c.has_checksum_flag},
            {"receive_queues_max", c.receive_queues_max},
            {"receive_descriptors", json_of(c.receive_descriptors)},
            {"transmit_descriptors", json_of(c.transmit_descriptors)},
            {"numa_node", c.numa_node >= 0 ? Json(c.numa_node) : Json()}};
}

Json json_statistics(const PortReport& port) {
    Json statistics = Json::object();
    for (const DeviceStat& statistic : port.statistics)
        statistics[statistic.name] = statistic.value;
    return statistics;
}

Json json_of(const PortReport& p) {
    return {{"name", p.name},
            {"device", p.device},
            {"driver", p.driver},
            {"link_up", p.is_link_up},
            {"link_speed_mbps", p.link_speed_mbps},
            {"frame_times", p.has_frame_times},
            {"device_frames", p.frames},
            {"device_missed", p.missed},
            {"device_errors", p.errors},
            {"device_no_buffer", p.no_buffer},
            {"descriptors", p.descriptors},
            {"multicast_filter", name(p.filter.filter)},
            {"multicast_macs", p.filter.mac_count},
            {"multicast_why", p.filter.why},
            {"statistics", json_statistics(p)},
            {"capabilities", json_of(p.capabilities)}};
}

Json json_of(const BroadcastReport& b) {
    return {{"channel", b.channel},
            {"books_valid", b.books_valid},
            {"books_invalid", b.books_invalid},
            {"book_age_ns_p50", b.book_age_ns_p50},
            {"book_age_ns_max", b.book_age_ns_max},
            {"datagram_age_ns", b.datagram_age_ns ? Json(*b.datagram_age_ns) : Json()},
            {"heartbeat_age_ns", b.heartbeat_age_ns ? Json(*b.heartbeat_age_ns) : Json()},
            {"suggests_other_variant", b.suggests_other_variant},
            {"without_layout", b.without_layout}};
}

Json json_of(const WorkerReport& w) {
    return {{"name", w.name},
            {"cpu", w.cpu},
            {"loops", w.loops},
            {"longest_loop_ns", w.longest_loop_ns},
            {"loops_over_10us", w.loops_over_10us},
            {"minor_faults", w.minor_faults},
            {"involuntary_switches", w.involuntary_switches ? Json(*w.involuntary_switches) : Json()},
            {"ring_full_waits", w.ring_full_waits}};
}

template <class Item>
Json json_list(const std::vector<Item>& items) {
    Json list = Json::array();
    for (const Item& item : items)
        list.push_back(json_of(item));
    return list;
}

Json json_causes(const Snapshot& snapshot, CauseKind kind) {
    Json causes = Json::object();
    for (const CauseSum& sum : causes_of_kind(snapshot, kind))
        causes[sum.cause.counter] = sum.value;
    return causes;
}

Json json_counters(const Snapshot& snapshot) {
    Json counters = Json::object();
    for (const CounterValue& counter : snapshot.counters)
        counters[counter.name] = counter.value;
    return counters;
}

}  // namespace

std::string to_text(const Snapshot& snapshot) {
    std::string out;
    append_head(out, snapshot);
    append_causes(out, snapshot, CauseKind::drop, "drops");
    append_causes(out, snapshot, CauseKind::refusal, "refusals");
    append_causes(out, snapshot, CauseKind::fault, "faults");
    append_lines(out, snapshot);
    append_holes(out, snapshot);
    append_books(out, snapshot);
    append_decode_failures(out, snapshot);
    append_ports(out, snapshot);
    append_broadcasts(out, snapshot);
    append_latencies(out, snapshot);
    append_slowest(out, snapshot);
    append_workers(out, snapshot);
    append_flows(out, snapshot);
    return out;
}

std::string to_json(const port::PortCapabilities& capabilities) {
    return json_of(capabilities).dump(2);
}

std::string to_json(const Snapshot& snapshot) {
    const Json json = {{"run_seconds", snapshot.run_seconds},
                       {"strategy", snapshot.strategy},
                       {"armed", snapshot.is_armed},
                       {"order_link", snapshot.order_link},
                       {"session", snapshot.session},
                       {"kill_reason", snapshot.kill_reason},
                       {"totals", json_of(snapshot.totals)},
                       {"drops", json_causes(snapshot, CauseKind::drop)},
                       {"refusals", json_causes(snapshot, CauseKind::refusal)},
                       {"faults", json_causes(snapshot, CauseKind::fault)},
                       {"lines", json_list(snapshot.lines)},
                       {"holes_total", snapshot.holes_total},
                       {"holes", json_list(snapshot.holes)},
                       {"books", json_list(snapshot.books)},
                       {"decode_failures", json_list(snapshot.decode_failures)},
                       {"ports", json_list(snapshot.ports)},
                       {"broadcasts", json_list(snapshot.broadcasts)},
                       {"latencies", json_list(snapshot.latencies)},
                       {"slowest", json_list(snapshot.slowest)},
                       {"workers", json_list(snapshot.workers)},
                       {"counters", json_counters(snapshot)}};
    // Names from outside (a feed key) may not be UTF-8: replaced rather than thrown over.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tickpath::stats
