#include "control/latency/quote_finder.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/feed_path.h"
#include "dataplane/model/frame.h"
#include "dataplane/model/tick.h"
#include "decoders/base/decimal.h"

namespace tickpath::latency {
namespace {

constexpr std::uint32_t learned_max = 65'536;
constexpr std::size_t counters_max = 16'384;

/// A group on two ports cannot be told apart in a capture: the first line has it.
std::vector<feed::ChannelPlan> on_one_port(std::vector<feed::ChannelPlan> channels) {
    std::set<net::MulticastGroup> taken;
    for (feed::ChannelPlan& channel : channels) {
        std::erase_if(channel.lines,
                      [&](const feed::LinePlan& line) { return !taken.insert(line.line.group).second; });
        for (feed::LinePlan& line : channel.lines) {
            line.port = 0;
            line.check_checksum = false;
        }
    }
    std::erase_if(channels, [](const feed::ChannelPlan& channel) { return channel.lines.empty(); });
    return channels;
}

std::vector<std::string> names_of(const model::Instrument& instrument) {
    std::vector<std::string> names = {std::string(instrument.key())};
    const std::string first_part = names.front().substr(0, names.front().find('|'));
    if (first_part != names.front()) names.push_back(first_part);
    if (!instrument.symbol().empty()) names.emplace_back(instrument.symbol());
    return names;
}

/// Whether an order may answer this tick: it came from the incremental stream, for the first time, with a
/// price.
bool may_trigger(const model::Tick& tick) {
    using namespace model::tick_flag;
    if (tick.kind != model::TickKind::quote && tick.kind != model::TickKind::trade) return false;
    return !tick.has(snapshot | unused | replayed | no_price | inexact);
}

}  // namespace

std::uint64_t ValueKeys::key_of(const std::string& instrument, Decimal price) {
    auto& prices = by_instrument_[instrument];
    const auto same =
        std::ranges::find_if(prices, [&](const auto& known) { return same_value(known.first, price); });
    if (same != prices.end()) return same->second;
    prices.emplace_back(price, next_);
    return next_++;
}

std::vector<std::pair<Decimal, std::uint64_t>> ValueKeys::of(std::span<const std::string> names) const {
    std::vector<std::pair<Decimal, std::uint64_t>> found;
    for (const std::string& name : names)
        if (const auto prices = by_instrument_.find(name); prices != by_instrument_.end())
            found.insert(found.end(), prices->second.begin(), prices->second.end());
    return found;
}

struct QuoteFinder::Path {
    struct Sink {
        Path& path;
        void on_tick(const model::Tick& tick) noexcept { path.on_tick(tick); }
    };
    /// Keys by the price of a tick of one instrument; several where orders use several of its names.
    using PriceKeys = std::unordered_multimap<std::int64_t, std::uint64_t>;

    Path(std::vector<feed::ChannelPlan> channels, std::span<const model::Instrument> known,
         const ValueKeys& value_keys, model::TimeDomain time_domain)
        : keys(value_keys), domain(time_domain), instruments(known.begin(), known.end()) {
        instruments.resize(known.size() + learned_max);
        feed::FeedPlan plan;
        plan.channels = on_one_port(std::move(channels));
        plan.port_macs = {net::MacAddress{}};
        plan.instruments = {.all = instruments,
                            .known_count = static_cast<std::uint32_t>(known.size()),
                            .learned_first = static_cast<std::uint32_t>(known.size()),
                            .learned_max = learned_max};
        // The capture's own time decides about holes; the cycle counter is not asked.
        feed_path.emplace(plan, page, "capture", core::CycleClock(1.0, 0, 0), sink);
        wanted.resize(instruments.size());
    }

    void on_tick(const model::Tick& tick) {
        if (!may_trigger(tick) || tick.instrument >= wanted.size()) return;
        std::optional<PriceKeys>& prices = wanted[tick.instrument];
        if (!prices) prices = prices_of(instruments[tick.instrument]);
        const auto [first, last] = prices->equal_range(tick.price);
        for (auto at = first; at != last; ++at)
            add(tick, at->second);
    }

    [[nodiscard]] PriceKeys prices_of(const model::Instrument& instrument) const {
        PriceKeys prices;
        const std::vector<std::string> names = names_of(instrument);
        for (const auto& [price, key] : keys.of(names))
            if (const auto scaled = at_places(price, instrument.price_places)) prices.emplace(*scaled, key);
        return prices;
    }

    void add(const model::Tick& tick, std::uint64_t key) {
        const std::uint64_t identity = (std::uint64_t{tick.channel} << 32) | tick.packet_sequence;
        Trigger trigger{.place = {capture, tick.frame_number, tick.rx_time},
                        .key = key,
                        .identity = identity,
                        .wire_bytes = wire_bytes.at(tick.frame_number)};
        // Several entries of one datagram may say the same price.
        const auto is_known = [&](const Trigger& other) { return other.key == key; };
        const auto of_frame = std::find_if(triggers.rbegin(), triggers.rend(), [&](const Trigger& other) {
            return other.place.frame != tick.frame_number;
        });
        if (std::none_of(triggers.rbegin(), of_frame, is_known)) triggers.push_back(trigger);
    }

    const ValueKeys& keys;
    model::TimeDomain domain;
    std::vector<model::Instrument> instruments;
    core::CounterPage page = core::CounterPage::anonymous(counters_max);
    Sink sink{*this};
    std::optional<feed::FeedPath<Sink>> feed_path;
    std::vector<std::optional<PriceKeys>> wanted;  ///< by instrument, once it was met
    std::vector<std::uint32_t>
        wire_bytes;  ///< by frame: packets behind a hole come later than they were seen
    std::vector<Trigger> triggers;
    std::uint32_t capture = 0;
};

QuoteFinder::QuoteFinder(std::vector<feed::ChannelPlan> channels, std::span<const model::Instrument> known,
                         const ValueKeys& keys, model::TimeDomain domain)
    : path_(std::make_unique<Path>(std::move(channels), known, keys, domain)) {}

QuoteFinder::~QuoteFinder() = default;

void QuoteFinder::on_frame(const StampedFrame& frame) {
    path_->capture = frame.place.capture;
    path_->wire_bytes.resize(frame.place.frame + 1);
    path_->wire_bytes.back() = frame.wire_bytes();
    const model::Frame received{.data = frame.bytes.data(),
                                .size_bytes = static_cast<std::uint32_t>(frame.bytes.size()),
                                .frame_number = frame.place.frame,
                                .rx_time = {frame.place.time_ns, path_->domain}};
    path_->feed_path->on_burst({&received, 1});
}

void QuoteFinder::finish() {
    path_->feed_path->finish();
}

std::vector<Trigger>& QuoteFinder::triggers() noexcept {
    return path_->triggers;
}

TriggerCounts QuoteFinder::counts() const {
    return {.datagrams = path_->page.value("capture.router.routed"),
            .without_number = path_->page.sum("preamble_truncated") + path_->page.sum("unnumbered")};
}

}  // namespace tickpath::latency
