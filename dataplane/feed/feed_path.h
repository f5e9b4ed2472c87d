// The way of a frame through this room: router, then sequencer, decoder, normaliser and recovery of a FAST
// channel, or the one path of an NSE channel, then the sink. Hot.
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
#include "dataplane/feed/nse_channel_path.h"
#include "dataplane/feed/path_parts.h"
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
        const PathParts parts{plan, page, owner, clock, directory_, decode_counters_, holes_, ticks};
        for (const ChannelPlan& channel : plan.channels) {
            if (channel.nse != nullptr)
                add_nse_channel(channel, parts, sink);
            else
                add_channel(channel, parts, sink);
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
        for (const auto& channel : nse_channels_)
            channel->on_idle(now_cycles, clock_);
    }

    /// The port with this index receives nothing any more, and all that it had received was handed in: books
    /// of channels that no other port feeds become invalid as by a hole, until the feed makes them good
    /// again.
    void on_link_lost(std::uint16_t port) noexcept {
        for (LineLink& link : links_)
            link.is_lost |= link.port == port;
        const auto disconnect = [&](auto& channels) {
            for (const auto& channel : channels)
                if (is_cut_off_by(port, channel.get())) channel->on_disconnect();
        };
        disconnect(channels_);
        disconnect(nse_channels_);
    }
    /// The port may receive again; that alone makes no book good.
    void on_link_back(std::uint16_t port) noexcept {
        for (LineLink& link : links_)
            if (link.port == port) link.is_lost = false;
    }

    /// No more frames will come: every held packet is delivered, every open hole declared.
    void finish() noexcept {
        for (const auto& channel : channels_)
            channel->finish();
    }

    /// Not while another thread is in one of the above.
    [[nodiscard]] FeedReport report(std::uint64_t now_cycles = core::cycles_now()) const {
        FeedReport report;
        for (const FeedLine& line : lines_)
            report.lines.push_back(line.nse != nullptr ? line.nse->line_report(line.line)
                                                       : line.channel->line_report(line.line));
        for (const auto& channel : channels_)
            report.channels.push_back({channel->index(), channel->book_counts()});
        for (const auto& channel : nse_channels_) {
            report.channels.push_back({channel->index(), channel->book_counts()});
            report.nse.push_back(channel->report(now_cycles, clock_));
        }
        report.holes = holes_.kept();
        report.hole_count = holes_.count();
        report.last_failure = decode_counters_.last_failure;
        return report;
    }

private:
    using Channel = ChannelPath<Sink>;
    using NseChannel = NseChannelPath<Sink>;

    struct FeedLine {
        framing::Line line;
        Channel* channel = nullptr;
        typename Channel::Stream* stream = nullptr;
        NseChannel* nse = nullptr;  ///< instead of the two
    };
    struct LineLink {
        std::uint16_t port = 0;
        bool is_lost = false;
    };

    void add_channel(const ChannelPlan& plan, const PathParts& parts, Sink& sink) {
        channels_.push_back(std::make_unique<Channel>(plan, parts, sink));
        Channel* const channel = channels_.back().get();
        for (const LinePlan& line : plan.lines)
            add_line(line, {line.line, channel, &channel->stream(line.line.role), nullptr});
    }
    void add_nse_channel(const ChannelPlan& plan, const PathParts& parts, Sink& sink) {
        nse_channels_.push_back(std::make_unique<NseChannel>(plan, parts, sink));
        for (const LinePlan& line : plan.lines)
            add_line(line, {line.line, nullptr, nullptr, nse_channels_.back().get()});
    }
    void add_line(const LinePlan& plan, const FeedLine& line) {
        lines_.push_back(line);
        links_.push_back({.port = plan.port});
    }

    /// Whether all lines whose loss hurts the channel's books have lost their link, one of them on `port`.
    /// Without a snapshot line books cannot heal, but those that are valid stay true.
    [[nodiscard]] bool is_cut_off_by(std::uint16_t port, const void* channel) const noexcept {
        bool is_on_port = false;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const bool is_of_channel = lines_[i].channel == channel || lines_[i].nse == channel;
            if (!is_of_channel || lines_[i].line.role == framing::Role::snapshot) continue;
            if (!links_[i].is_lost) return false;
            is_on_port |= links_[i].port == port;
        }
        return is_on_port;
    }

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
        if (line.nse != nullptr)
            line.nse->on_payload(datagram.payload, packet);
        else
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

    core::CycleClock clock_;
    GroupRouter router_;
    InstrumentDirectory directory_;
    DecodeCounters decode_counters_;
    HoleLog holes_;
    std::vector<std::unique_ptr<Channel>> channels_;
    std::vector<std::unique_ptr<NseChannel>> nse_channels_;
    std::vector<FeedLine> lines_;  ///< in the order of groups_of
    std::vector<LineLink> links_;  ///< of lines_, apart from them: nothing per frame
};

}  // namespace tickpath::feed
