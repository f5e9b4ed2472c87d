#include "control/runtime/run_report.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "dataplane/feed/feed_report.h"
#include "dataplane/trade/trade_report.h"

namespace tickpath::runtime {
namespace {

using model::TimeDomain;

constexpr std::array<std::string_view, 4> line_names = {"A", "B", "snapshot A", "snapshot B"};

std::string line_name(std::uint8_t line) {
    return std::string(line_names[line % line_names.size()]);
}

std::string_view link_name(config::OrderLinkKind kind) {
    switch (kind) {
        case config::OrderLinkKind::kernel:
            return "kernel";
        case config::OrderLinkKind::shadow:
            return "shadow";
        case config::OrderLinkKind::none:
            return "none";
    }
    return "none";
}

std::string port_name(const Parts& parts, const feed::LineReport& about) {
    for (const feed::LinePlan& line : parts.channels[about.channel].lines)
        if (line.line.index() == about.line) return parts.ports[line.port]->facts().name;
    return {};
}

void add_feed(const feed::FeedReport& report, const Parts& parts, stats::Snapshot& snapshot) {
    for (const feed::LineReport& line : report.lines)
        snapshot.lines.push_back({.channel = parts.channels[line.channel].name,
                                  .line = line_name(line.line),
                                  .port = port_name(parts, line),
                                  .packets = line.packets,
                                  .wins = line.wins,
                                  .twins = line.twins,
                                  .late = line.late,
                                  .losses = line.losses,
                                  .is_silent = line.is_silent,
                                  .lead_ns = stats::summarise(line.lead_ns)});
    for (const feed::Hole& hole : report.holes)
        snapshot.holes.push_back({.channel = parts.channels[hole.channel].name,
                                  .is_snapshot = hole.is_snapshot,
                                  .first_missing = hole.first,
                                  .count = hole.count,
                                  .at_ns = hole.at.value,
                                  .domain = hole.at.domain});
    snapshot.holes_total += report.hole_count;
    for (const feed::ChannelReport& channel : report.channels)
        if (channel.books.valid + channel.books.invalid != 0)
            snapshot.books.push_back({.channel = parts.channels[channel.channel].name,
                                      .valid = channel.books.valid,
                                      .invalid = channel.books.invalid});
    const feed::DecodeFailure& failure = report.last_failure;
    if (failure.error == Errc::ok) return;
    snapshot.decode_failures.push_back({.channel = parts.channels[failure.channel].name,
                                        .line = line_name(failure.line),
                                        .packet_number = failure.packet_number,
                                        .frame_number = failure.frame_number,
                                        .error = failure.error,
                                        .template_id = failure.template_id,
                                        .offset = failure.offset});
}

feed::BookCounts books_of(const feed::FeedReport& report, std::uint16_t channel) {
    for (const feed::ChannelReport& candidate : report.channels)
        if (candidate.channel == channel) return candidate.books;
    return {};
}

void add_broadcasts(const feed::FeedReport& report, const Parts& parts, stats::Snapshot& snapshot) {
    for (const feed::NseReport& nse : report.nse) {
        const feed::BookCounts books = books_of(report, nse.channel);
        stats::BroadcastReport broadcast{.channel = parts.channels[nse.channel].name,
                                         .books_valid = books.valid,
                                         .books_invalid = books.invalid,
                                         .book_age_ns_p50 = nse.median_book_age_ns,
                                         .book_age_ns_max = nse.oldest_book_age_ns,
                                         .datagram_age_ns = {},
                                         .heartbeat_age_ns = {},
                                         .suggests_other_variant = nse.suggests_other_variant,
                                         .without_layout = {}};
        if (nse.datagram_at_ns != 0) broadcast.datagram_age_ns = nse.datagram_age_ns;
        if (nse.heartbeat_at_ns != 0) broadcast.heartbeat_age_ns = nse.datagram_at_ns - nse.heartbeat_at_ns;
        for (const feed::UnknownMessages& kind : nse.unknown)
            broadcast.without_layout.push_back(std::to_string(kind.transcode) + " of length " +
                                               std::to_string(kind.length) + ": " +
                                               std::to_string(kind.count) + " messages");
        snapshot.broadcasts.push_back(std::move(broadcast));
    }
}

void add_span(std::string name, const core::Histogram& histogram, stats::Snapshot& snapshot) {
    if (histogram.count() == 0) return;
    snapshot.latencies.push_back({.span = std::move(name),
                                  .from = TimeDomain::cycles,
                                  .until = TimeDomain::cycles,
                                  .ns = stats::summarise(histogram)});
}

void add_trade(const trade::TradeReport& report, const Parts& parts, stats::Snapshot& snapshot) {
    if (report.has_session) snapshot.session = session::name(report.session_state);
    if (report.kill_reason != trade::KillReason::none) snapshot.kill_reason = trade::name(report.kill_reason);
    snapshot.totals.events = report.events;
    snapshot.totals.orders = report.is_shadow ? report.shadow_orders : report.orders;
    snapshot.totals.fills = report.fills;
    add_span("receive to decoded", report.receive_to_decoded_ns, snapshot);
    add_span("decoded to order wanted", report.decoded_to_wanted_ns, snapshot);
    add_span("order wanted to ready", report.wanted_to_ready_ns, snapshot);
    add_span("tick to order", report.tick_to_order_ns, snapshot);
    add_span("order ready to sent", report.send_ns, snapshot);
    for (const trade::SlowOrder& slow : report.slowest.orders())
        snapshot.slowest.push_back({.tick_to_order_ns = slow.tick_to_order_ns,
                                    .channel = parts.channels[slow.channel].name,
                                    .line = line_name(slow.line),
                                    .packet_sequence = slow.packet_sequence,
                                    .message_index = slow.message_index,
                                    .frame_number = slow.frame_number,
                                    .instrument = std::string(parts.instruments[slow.instrument].key()),
                                    .cl_ord_id = std::string(slow.cl_ord_id.data(), slow.cl_ord_id.size()),
                                    .at_ns = slow.rx_time,
                                    .domain = slow.rx_domain});
}

void add_worker(const std::string& name, int cpu, const Parts& parts, stats::Snapshot& snapshot) {
    const auto value = [&](std::string_view counter) {
        return parts.counters->value(name + '.' + std::string(counter));
    };
    snapshot.workers.push_back({.name = name,
                                .cpu = cpu,
                                .loops = value("loops"),
                                .longest_loop_ns = value("longest_loop_ns"),
                                .loops_over_10us = value("loops_over_10us"),
                                .minor_faults = value("minor_faults"),
                                .involuntary_switches = parts.idle == core::IdlePolicy::yield
                                                            ? std::nullopt
                                                            : std::optional(value("involuntary_switches")),
                                .ring_full_waits = value("ring_full_waits")});
}

void add_port(const port::DpdkPort& port, const port::FilterChoice& filter, stats::Snapshot& snapshot) {
    const port::PortFacts& facts = port.facts();
    const port::DeviceStats device = port.device_stats();
    std::vector<stats::DeviceStat> statistics;
    for (port::ExtendedStat& statistic : port.extended_stats())
        statistics.push_back({std::move(statistic.name), statistic.value});
    snapshot.ports.push_back({.name = facts.name,
                              .device = facts.device,
                              .driver = facts.driver,
                              .is_link_up = facts.is_link_up,
                              .link_speed_mbps = facts.link_speed_mbps,
                              .has_frame_times = facts.has_frame_times,
                              .capabilities = facts.capabilities,
                              .frames = device.frames,
                              .missed = device.missed,
                              .errors = device.errors,
                              .no_buffer = device.no_buffer,
                              .descriptors = facts.descriptors,
                              .filter = filter,
                              .statistics = std::move(statistics)});
}

void add_totals(const Parts& parts, stats::Snapshot& snapshot) {
    const core::CounterPage& page = *parts.counters;
    for (const pipeline::ReceiverPlan& receiver : parts.plan.receivers) {
        snapshot.totals.ticks += page.value(receiver.name + ".ticks");
        snapshot.totals.messages += page.value(receiver.name + ".decode.messages");
    }
    snapshot.totals.frames = page.sum("rx_frames");
}

}  // namespace

stats::Snapshot take_snapshot(const config::RunConfig& config, const Parts& parts,
                              std::span<const port::FilterChoice> filters, pipeline::Pipeline& pipeline,
                              double run_seconds) {
    stats::Snapshot snapshot;
    snapshot.run_seconds = run_seconds;
    snapshot.strategy = config.trade.strategy.name;
    snapshot.order_link = link_name(config.trade.order_link);
    for (const feed::FeedReport& report : pipeline.feed_reports()) {
        add_feed(report, parts, snapshot);
        add_broadcasts(report, parts, snapshot);
    }
    for (std::size_t p = 0; p < parts.ports.size(); ++p)
        add_port(*parts.ports[p], filters[p], snapshot);
    // The stage disarms itself when it stops: the report is about the run, not about its end.
    snapshot.is_armed = config.trade.settings.may_trade.armed;
    if (config.trade.order_link != config::OrderLinkKind::none)
        add_trade(pipeline.trade_report(), parts, snapshot);
    for (const pipeline::ReceiverPlan& receiver : parts.plan.receivers)
        add_worker(receiver.name, receiver.cpu, parts, snapshot);
    if (parts.plan.split) add_worker("trade", parts.plan.trade_cpu, parts, snapshot);
    add_totals(parts, snapshot);
    snapshot.counters = stats::read_counters(*parts.counters);
    return snapshot;
}

}  // namespace tickpath::runtime
