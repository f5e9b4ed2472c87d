#include "control/latency/trigger_finder.h"

#include <functional>
#include <string_view>
#include <utility>

#include "dataplane/feed/compiled_feed.h"
#include "decoders/framing/datagram.h"
#include "decoders/net/headers.h"

namespace tickpath::latency {
namespace {

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint16_t channel) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::hash<std::string_view>{}(text) ^ (std::uint64_t{channel} << 48);
}

}  // namespace

TriggerFinder::TriggerFinder(std::span<const feed::ChannelPlan> channels,
                             std::unordered_set<std::uint64_t> wanted)
    : wanted_(std::move(wanted)) {
    for (const feed::ChannelPlan& channel : channels) {
        if (channel.feed == nullptr) continue;
        const framing::FeedDescription& description = channel.feed->description();
        Line line{.channel = channel.index,
                  .line = 0,
                  .preamble = description.preamble,
                  .peek = nullptr,
                  .assembler = nullptr};
        if (description.number_source == framing::NumberSource::field)
            line.peek = std::make_shared<fast::SequencePeek>(
                channel.feed->templates(), description.number_field, channel.feed->decoder_options());
        for (const feed::LinePlan& plan : channel.lines) {
            line.line = plan.line.index();
            if (description.preamble.form == framing::PreambleForm::chunked)
                line.assembler =
                    std::make_shared<framing::ChunkAssembler>(framing::ChunkLimits{.restart_backward = 1});
            lines_.emplace(plan.line.group, line);
        }
    }
}

void TriggerFinder::on_frame(const StampedFrame& frame) {
    const net::UdpParse parsed = net::parse_udp(frame.bytes);
    if (parsed.outcome != net::UdpOutcome::ok) return;
    const auto found = lines_.find(parsed.udp.group);
    if (found == lines_.end()) return;
    const Line& line = found->second;
    ++counts_.datagrams;
    const framing::Datagram datagram = framing::split(parsed.udp.payload, line.preamble);
    std::optional<std::uint64_t> number;
    if (datagram.error == Errc::ok)
        number = line.peek ? line.peek->read(datagram.body, 0) : std::optional(datagram.sequence);
    if (!number) {
        ++counts_.without_number;
        return;
    }
    // The datagram that completes a message is what set off an order.
    if (line.assembler && line.assembler->add(datagram).outcome != framing::ChunkOutcome::complete) return;
    const std::uint64_t key = token_key(line.line, static_cast<std::uint32_t>(*number));
    if (!wanted_.contains(key)) return;
    triggers_.push_back({.place = frame.place,
                         .key = key,
                         .identity = hash_of(parsed.udp.payload, line.channel),
                         .wire_bytes = frame.wire_bytes()});
}

}  // namespace tickpath::latency
