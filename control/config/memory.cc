#include "control/config/memory.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "dataplane/feed/tick_queue.h"
#include "dataplane/port/eal_arguments.h"
#include "dataplane/trade/book.h"
#include "dataplane/trade/order_map.h"
#include "dataplane/trade/order_table.h"

namespace tickpath::config {
namespace {

constexpr double bytes_per_gb = 1e9;
constexpr std::uint64_t directory_bytes = 2 * sizeof(model::InstrumentId);  // slots of its hash table
constexpr std::uint64_t order_slots_bytes = 2 * 8;                          // of the order map's
constexpr std::uint64_t channel_state_bytes =
    40;  // of an instrument, in each channel that has books: an NSE channel's, the most
constexpr std::uint64_t window_slot_bytes = 2048;  // a packet that the sequencer holds

std::uint64_t receiver_count(const RunConfig& config) {
    return std::max<std::size_t>(1, config.workers.receivers.size());
}

std::uint64_t instrument_count(const RunConfig& config, const CheckedRun& run) {
    return run.instruments.size() + receiver_count(config) * config.instruments.learned_max;
}

// Those of the description that arrive at one of our ports.
std::vector<const framing::Channel*> channels_of(const CheckedFeed& feed) {
    std::vector<const framing::Channel*> channels;
    for (std::size_t c = 0; c < feed.description.channels.size(); ++c)
        if (!feed.line_ports[c].empty()) channels.push_back(&feed.description.channels[c]);
    return channels;
}

bool has_books(const framing::Channel& channel) {
    return channel.book.model != framing::BookModel::none;
}

MemoryShare instruments(const RunConfig& config, const CheckedRun& run) {
    std::string what = fmt::format("learned_max={}", config.instruments.learned_max);
    std::uint64_t bytes = sizeof(model::Instrument) + directory_bytes;
    for (const CheckedFeed& feed : run.feeds)
        bytes += channel_state_bytes *
                 static_cast<std::uint64_t>(std::ranges::count_if(
                     channels_of(feed), [](const framing::Channel* channel) { return has_books(*channel); }));
    if (config.trade.order_link != OrderLinkKind::none) {
        const std::uint64_t levels_max = config.trade.settings.books.levels_max;
        what += fmt::format(" with book_levels_max={}", levels_max);
        bytes += sizeof(trade::Book) + 2 * levels_max * sizeof(trade::Level);
    }
    return {std::move(what), config.instruments.line != 0 ? config.instruments.line : config.trade.line,
            instrument_count(config, run) * bytes};
}

MemoryShare orders(const RunConfig& config) {
    const trade::TradeSettings& settings = config.trade.settings;
    MemoryShare share = {fmt::format("book_orders_max={}, open_orders_max={}", settings.books.orders_max,
                                     settings.open_orders_max),
                         config.trade.line, 0};
    if (config.trade.order_link != OrderLinkKind::none)
        share.bytes = settings.books.orders_max * (sizeof(trade::RestingOrder) + order_slots_bytes) +
                      std::bit_ceil(std::uint64_t{settings.open_orders_max}) * sizeof(trade::Order);
    return share;
}

MemoryShare tick_rings(const RunConfig& config) {
    MemoryShare share = {fmt::format("tick_ring_slots={}", config.workers.tick_ring_slots),
                         config.workers.line, 0};
    if (config.workers.layout == Layout::split)
        share.bytes = receiver_count(config) * config.workers.tick_ring_slots * sizeof(model::Tick);
    return share;
}

bool has_line(const framing::Channel& channel, framing::Role role) {
    return std::ranges::any_of(channel.lines, [&](const framing::Line& line) { return line.role == role; });
}

// Queues are there where there are books and a snapshot line to complete them.
MemoryShare recovery(const RunConfig& config, const CheckedRun& run) {
    const feed::FeedLimits& limits = config.feed_limits;
    MemoryShare share = {fmt::format("queued_ticks_max={}, snapshot_ticks_max={}", limits.queued_ticks_max,
                                     limits.snapshot_ticks_max),
                         config.workers.line, 0};
    for (const CheckedFeed& feed : run.feeds)
        for (const framing::Channel* const channel : channels_of(feed))
            if (has_books(*channel) && has_line(*channel, framing::Role::snapshot))
                share.bytes += limits.queued_ticks_max * sizeof(feed::TickQueue::Node) +
                               limits.snapshot_ticks_max * sizeof(model::Tick);
    return share;
}

// NSE's packets have no number to wait for.
MemoryShare windows(const RunConfig& config, const CheckedRun& run, std::size_t feed_index) {
    const CheckedFeed& feed = run.feeds[feed_index];
    const std::uint64_t packets = feed.description.window.packets;
    const std::uint64_t channels =
        feed.description.codec == framing::Codec::nse ? 0 : channels_of(feed).size();
    return {fmt::format("window_packets={} in {} channels", packets, channels), config.feeds[feed_index].line,
            channels * packets * window_slot_bytes};
}

MemoryShare frames(const port::PortSettings& port) {
    return {fmt::format("frames_max={} in {} queues", port.frames_max, port.queue_count), port.config_line,
            std::uint64_t{port.queue_count} * (std::uint64_t{port.frames_max} + 1) *
                port::frame_bytes(port::parse_mode(port.mode).value_or(port::Mode::laptop))};
}

std::string in_gb(std::uint64_t bytes) {
    return fmt::format("{:.1f} GB", static_cast<double>(bytes) / bytes_per_gb);
}

}  // namespace

std::vector<MemoryShare> memory_shares(const RunConfig& config, const CheckedRun& run) {
    std::vector<MemoryShare> shares = {instruments(config, run), orders(config), tick_rings(config),
                                       recovery(config, run)};
    for (std::size_t f = 0; f < run.feeds.size(); ++f)
        shares.push_back(windows(config, run, f));
    for (const port::PortSettings& port : config.ports)
        shares.push_back(frames(port));
    return shares;
}

void check_memory(const RunConfig& config, const CheckedRun& run, const Machine& machine,
                  Diagnostics& diagnostics) {
    const std::vector<MemoryShare> shares = memory_shares(config, run);
    std::uint64_t all_bytes = 0;
    for (const MemoryShare& share : shares)
        all_bytes += share.bytes;
    if (all_bytes <= machine.memory_bytes) return;
    const MemoryShare& largest = *std::ranges::max_element(shares, {}, &MemoryShare::bytes);
    diagnostics.error(config.file.string(), largest.line,
                      largest.what + " needs " + in_gb(largest.bytes) + " of " + in_gb(all_bytes) +
                          " in all, this machine has " + in_gb(machine.memory_bytes) + ": make it smaller");
}

}  // namespace tickpath::config
