#include "control/latency/study.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "control/latency/order_finder.h"
#include "control/latency/quote_finder.h"
#include "dataplane/feed/compiled_nse.h"
#include "dataplane/feed/token_table.h"
#include "dataplane/trade/order_id.h"

namespace tickpath::latency {
namespace {

/// The first pass over one capture.
std::vector<Order> find_orders(const StudySettings& settings, std::uint32_t capture, CaptureFacts& facts) {
    facts.file = settings.captures[capture];
    StampedFrames frames(facts.file, capture, settings.trailers);
    OrderFinder finder;
    while (const std::optional<StampedFrame> frame = frames.next())
        finder.on_frame(*frame);
    finder.finish();
    facts.source = frames.source();
    facts.frames = frames.counts();
    facts.error = frames.error();
    facts.flows = finder.counts();
    facts.segments_passed_over = finder.segments_passed_over();
    facts.orders = finder.orders().size();
    return std::move(finder.orders());
}

/// By time, and of what was seen several times the first.
std::vector<Order> sorted_once(std::vector<Order> orders) {
    std::ranges::stable_sort(orders, {}, [](const Order& order) { return order.place.time_ns; });
    std::unordered_set<std::string> seen;
    std::erase_if(orders, [&](const Order& order) {
        return !seen.insert(order.sender + fix::soh + order.cl_ord_id).second;
    });
    return orders;
}

/// The second pass over one capture; `finder` is one of the two kinds.
template <class Finder>
void find_triggers(const StudySettings& settings, std::uint32_t capture, Finder& finder, CaptureFacts& facts,
                   std::vector<Trigger>& triggers) {
    StampedFrames frames(settings.captures[capture], capture, settings.trailers);
    while (const std::optional<StampedFrame> frame = frames.next())
        finder.on_frame(*frame);
    if constexpr (requires { finder.finish(); }) finder.finish();
    facts.triggers = finder.counts();
    triggers.insert(triggers.end(), finder.triggers().begin(), finder.triggers().end());
}

/// A rehearsed order names no cause (OrderGateway::rehearse): everything but its counter is zero.
bool is_warm_up(const Order& order) {
    const std::optional<trade::OrderId> id = trade::decode_order_id(order.cl_ord_id);
    return id && *id == trade::OrderId{.counter = id->counter};
}

/// Symbols of instruments that NSE broadcasts bring: a ClOrdID counts their datagrams, and the count may be
/// the packet number of another channel by chance.
std::unordered_set<std::string> unnumbered_symbols(const StudySettings& settings) {
    std::unordered_set<std::string> symbols;
    for (const feed::ChannelPlan& channel : settings.channels) {
        if (channel.nse == nullptr) continue;
        const std::string_view prefix = feed::nse_key_prefix(channel.nse->description().nse.segment);
        for (const model::Instrument& instrument : settings.known)
            if (instrument.key().starts_with(prefix)) symbols.emplace(instrument.symbol());
    }
    return symbols;
}

std::vector<Trigger> triggers_by_token(const StudySettings& settings, std::vector<Order>& orders,
                                       std::vector<CaptureFacts>& facts) {
    const std::unordered_set<std::string> unnumbered = unnumbered_symbols(settings);
    std::unordered_set<std::uint64_t> wanted;
    for (Order& order : orders) {
        const std::optional<trade::OrderId> id = trade::decode_order_id(order.cl_ord_id);
        if (!id || unnumbered.contains(order.symbol)) continue;
        order.key = token_key(id->line, id->packet_sequence);
        wanted.insert(*order.key);
    }
    std::vector<Trigger> triggers;
    for (std::uint32_t i = 0; i < settings.captures.size(); ++i) {
        TriggerFinder finder(settings.channels, wanted);
        find_triggers(settings, i, finder, facts[i], triggers);
    }
    return triggers;
}

std::vector<Trigger> triggers_by_value(const StudySettings& settings, std::vector<Order>& orders,
                                       std::vector<CaptureFacts>& facts) {
    ValueKeys keys;
    for (Order& order : orders) {
        const std::string& instrument = order.symbol.empty() ? order.security_id : order.symbol;
        if (order.price && !instrument.empty()) order.key = keys.key_of(instrument, *order.price);
    }
    std::vector<Trigger> triggers;
    for (std::uint32_t i = 0; i < settings.captures.size(); ++i) {
        QuoteFinder finder(settings.channels, settings.known, keys, facts[i].source.domain);
        find_triggers(settings, i, finder, facts[i], triggers);
    }
    return triggers;
}

void measure(const std::vector<Order>& orders, const std::vector<Trigger>& triggers, Study& study) {
    std::vector<std::int64_t> som_sof, eot_sof;
    for (const Pair pair : study.matching.pairs) {
        const Trigger& trigger = triggers[pair.trigger];
        const auto ns = static_cast<std::int64_t>(orders[pair.order].place.time_ns - trigger.place.time_ns);
        som_sof.push_back(ns);
        if (!study.link_gbps) continue;
        const double wire_ns = static_cast<double>(trigger.wire_bytes) * 8.0 / *study.link_gbps;
        eot_sof.push_back(ns - std::llround(wire_ns));
    }
    study.som_sof = Latencies(std::move(som_sof));
    if (study.link_gbps) study.eot_sof = Latencies(std::move(eot_sof));
}

}  // namespace

std::uint64_t Study::datagrams() const noexcept {
    return std::accumulate(
        captures.begin(), captures.end(), std::uint64_t{0},
        [](std::uint64_t sum, const CaptureFacts& facts) { return sum + facts.triggers.datagrams; });
}

bool Study::is_cut() const noexcept {
    return std::ranges::any_of(captures, [](const CaptureFacts& facts) { return !facts.error.empty(); });
}

Study make_study(const StudySettings& settings) {
    Study study;
    study.by = settings.by;
    study.window_ns = settings.window_ns;
    study.link_gbps = settings.link_gbps;
    study.captures.resize(settings.captures.size());
    std::vector<Order> orders;
    for (std::uint32_t i = 0; i < settings.captures.size(); ++i) {
        std::vector<Order> of_capture = find_orders(settings, i, study.captures[i]);
        std::ranges::move(of_capture, std::back_inserter(orders));
    }
    study.orders_warm_up = std::erase_if(orders, is_warm_up);
    const std::size_t seen = orders.size();
    orders = sorted_once(std::move(orders));
    study.orders = orders.size();
    study.orders_repeated = seen - orders.size();
    const std::vector<Trigger> triggers = settings.by == MatchBy::token
                                              ? triggers_by_token(settings, orders, study.captures)
                                              : triggers_by_value(settings, orders, study.captures);
    study.matching = match(orders, triggers, settings.window_ns);
    measure(orders, triggers, study);
    return study;
}

}  // namespace tickpath::latency
