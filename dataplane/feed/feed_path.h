// The way of a frame through this room: router, sequencer, decoder, normaliser, recovery, sink. Hot.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/channel_path.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/feed/group_router.h"
#include "dataplane/model/frame.h"
#include "dataplane/model/tick.h"

namespace tickpath::feed {

/// The trade stage when both share a core, or a ring.
template <class S>
concept TickSink = requires(S sink, const model::Tick& tick) {
    { sink.on_tick(tick) }
    noexcept;
};

/// Everything between rx_burst and the ticks, for the channels of one core. Allocates in the constructor
/// only.
template <TickSink Sink>
class FeedPath {
public:
    /// `owner` names this path in the counter page: "r0" makes "r0.router.not_udp", "r0.FUT-BOOK-5.A.wins".
    FeedPath(const FeedPlan& plan, core::CounterPage& page, std::string_view owner, core::CycleClock clock,
             Sink& sink)
        : clock_(clock),
          router_(groups_of(plan), plan.port_macs, page, owner),
          directory_(plan.instruments, page, std::string(owner) + ".directory"),
          decode_counters_(page, std::string(owner) + ".decode"),
          holes_(plan.limits.holes_kept) {
        const core::Counter ticks = page.add(std::string(owner) + ".out", "ticks");
        for (const ChannelPlan& channel : plan.channels) {
            channels_.push_back(std::make_unique<Channel>(
                channel, PathParts{plan, page, owner, clock, directory_, decode_counters_, holes_, ticks},
                sink));
            for (const LinePlan& line : channel.lines)
                lines_.push_back(
                    {line.line, &channels_.back()->stream(line.line.role), channels_.size() - 1});
        }
    }

    /// Runs every frame to the end before the next. Ticks are with the sink when it returns, except those of
    /// packets held back behind a hole.
    void on_burst(std::span<const model::Frame> frames) noexcept {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (i + 2 < frames.size()) __builtin_prefetch(frames[i + 2].data);
            on_frame(frames[i]);
        }
    }

    /// Gives up holes whose window has passed. Call when a poll found nothing.
    void on_idle(std::uint64_t now_cycles) noexcept {
        for (const auto& channel : channels_)
            channel->on_idle(now_cycles, clock_);
    }

    /// No more frames will come: every held packet is delivered, every open hole declared.
    void finish() noexcept {
        for (const auto& channel : channels_)
            channel->finish();
    }

    /// Not while another thread is in one of the above.
    [[nodiscard]] FeedReport report() const {
        FeedReport report;
        for (const FeedLine& line : lines_)
            report.lines.push_back(report_of(line));
        for (const auto& channel : channels_)
            report.channels.push_back({channel->index(), channel->book_counts()});
        report.holes = holes_.kept();
        report.hole_count = holes_.count();
        report.last_failure = decode_counters_.last_failure;
        return report;
    }

private:
    using Channel = ChannelPath<Sink>;

    struct FeedLine {
        framing::Line line;
        typename Channel::Stream* stream;
        std::size_t channel_index;
    };

    static std::vector<RoutedGroup> groups_of(const FeedPlan& plan) {
        std::vector<RoutedGroup> groups;
        for (const ChannelPlan& channel : plan.channels)
            for (const LinePlan& line : channel.lines)
                groups.push_back({.port = line.port,
                                  .group = line.line.group,
                                  .line_index = static_cast<std::uint32_t>(groups.size()),
                                  .check_checksum = line.check_checksum});
        return groups;
    }

    void on_frame(const model::Frame& frame) noexcept {
        const RoutedDatagram datagram = router_.route(frame);
        if (datagram.line_index == RoutedDatagram::no_line) [[unlikely]]
            return;
        const FeedLine& line = lines_[datagram.line_index];
        Packet packet;
        packet.tailroom_bytes = datagram.tailroom_bytes;
        packet.copy = static_cast<std::uint8_t>(line.line.copy);
        packet.line = line.line.index();
        packet.rx_time = frame.rx_time;
        packet.rx_cycles = frame.rx_cycles;
        packet.frame_number = frame.frame_number;
        packet.arrival_ns = arrival_ns(frame);
        line.stream->on_payload(datagram.payload, packet);
    }

    [[nodiscard]] std::uint64_t arrival_ns(const model::Frame& frame) const noexcept {
        switch (frame.rx_time.domain) {
            case model::TimeDomain::nic_realtime_ns:
            case model::TimeDomain::kernel_ns:
            case model::TimeDomain::capture_ns:
            case model::TimeDomain::trailer_ns:
                return frame.rx_time.value;
            case model::TimeDomain::none:
            case model::TimeDomain::nic_ticks:
            case model::TimeDomain::cycles:
                break;
        }
        return clock_.to_ns(frame.rx_cycles);
    }

    [[nodiscard]] LineReport report_of(const FeedLine& line) const {
        const LineState& state = line.stream->sequencer().line(static_cast<std::size_t>(line.line.copy));
        return {.channel = channels_[line.channel_index]->index(),
                .line = line.line.index(),
                .packets = state.packets.value(),
                .wins = state.wins.value(),
                .twins = state.twins.value(),
                .late = state.late.value(),
                .losses = state.losses.value(),
                .last_number = state.end == 0 ? 0 : state.end - 1,
                .is_silent = state.is_silent,
                .lead_ns = state.lead_ns};
    }

    core::CycleClock clock_;
    GroupRouter router_;
    InstrumentDirectory directory_;
    DecodeCounters decode_counters_;
    HoleLog holes_;
    std::vector<std::unique_ptr<Channel>> channels_;
    std::vector<FeedLine> lines_;  ///< in the order of groups_of
};

}  // namespace tickpath::feed
