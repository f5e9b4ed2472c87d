// How long it takes from a frame in memory to the bytes of an order: router, sequencer, FAST decoder, books,
// strategy, checks, patch; the real stages in the layouts of the pipeline. Method and cases:
// bench/path/README.md.
//
//     build/bench/tick-to-order [--json | --nse | --instructions COUNT | --nse-instructions COUNT]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/path/market.h"
#include "bench/path/nse_market.h"
#include "bench/path/trading_path.h"
#include "decoders/framing/nse.h"
#include "decoders/lzo1z/decompress.h"

namespace tickpath::bench {
namespace {

constexpr std::size_t packets_per_settle = 16;  // orders that wait for their fill while time is taken

/// One number of a case: median over the repetitions.
struct Spread {
    double p50_ns = 0;
    double p99_ns = 0;
    double max_ns = 0;
    double drain_ns = 0;  ///< bursts: from receipt until the last order is ready
};

struct CaseResult {
    Spread inline_;
    Spread split;
    bool has_split = false;
};

double percentile(std::vector<std::uint64_t>& sorted, double percent) {
    if (sorted.empty()) return 0;
    const auto index = static_cast<std::size_t>(static_cast<double>(sorted.size() - 1) * percent / 100.0);
    return static_cast<double>(sorted[index]);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

class Bench {
public:
    Bench() : cpus_(core::allowed_cpus()), clock_(core::CycleClock::calibrate(50)) {}

    [[nodiscard]] bool has_two_cpus() const { return cpus_.size() >= 2; }
    [[nodiscard]] const std::vector<unsigned>& cpus() const { return cpus_; }

    /// A path whose books are filled and whose results were just checked.
    [[nodiscard]] std::unique_ptr<TradingPath> make_path(
        Layout layout, Market& market, std::uint64_t warm_interval_us = 0,
        trade::DecideAt decide = trade::DecideAt::message) const {
        const PathSettings settings{.layout = layout,
                                    .warm_interval_us = warm_interval_us,
                                    .decide = decide,
                                    .cpus = {cpus_[0], cpus_[has_two_cpus() ? 1 : 0]}};
        auto path = std::make_unique<TradingPath>(settings, clock_);
        if (!path->error_text().empty()) fail(path->error_text());
        market.make_books();
        path->receive(market.frames());
        path->settle();
        if (decide != trade::DecideAt::entry) {  // there, a packet of one instrument asks for ten orders
            market.make_subscribed(512);
            check(*path, market, Market::instruments());
        }
        market.make_noisy(512);
        check(*path, market, Market::instruments());
        path->samples().clear();
        return path;
    }
    [[nodiscard]] std::unique_ptr<TradingPath> make_path(Layout layout, NseMarket& market) const {
        const PathSettings settings{
            .layout = layout, .feed = nse_feed, .cpus = {cpus_[0], cpus_[has_two_cpus() ? 1 : 0]}};
        auto path = std::make_unique<TradingPath>(settings, clock_);
        if (!path->error_text().empty()) fail(path->error_text());
        market.make_books();
        path->receive(market.frames());
        path->settle();
        market.make_subscribed(512);
        check(*path, market, NseMarket::instruments());
        path->samples().clear();
        return path;
    }

    /// One frame at a time, each followed by its order and then by `between(frame)`.
    template <class AnyMarket, class Between>
    void one_by_one(TradingPath& path, AnyMarket& market, const Between& between) const {
        const std::span<model::Frame> frames = market.frames();
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const std::uint64_t orders = path.orders();
            path.receive(frames.subspan(i, 1));
            path.wait_for_orders(orders + 1);
            if (i % packets_per_settle == packets_per_settle - 1) path.settle();
            between(i);
        }
        path.settle();
    }
    template <class AnyMarket>
    void one_by_one(TradingPath& path, AnyMarket& market) const {
        one_by_one(path, market, [](std::size_t) {});
    }

    [[nodiscard]] Spread spread_of(std::vector<std::uint64_t>& cycles) const {
        std::sort(cycles.begin(), cycles.end());
        const Spread spread{.p50_ns = ns(percentile(cycles, 50)),
                            .p99_ns = ns(percentile(cycles, 99)),
                            .max_ns = ns(percentile(cycles, 100))};
        cycles.clear();
        return spread;
    }
    [[nodiscard]] const core::CycleClock& clock() const { return clock_; }
    [[nodiscard]] double ns(double cycles) const {
        constexpr double thousand = 1000.0;  // to_ns counts whole nanoseconds
        return static_cast<double>(clock_.to_ns(static_cast<std::uint64_t>(cycles * thousand))) / thousand;
    }

    [[noreturn]] static void fail(const std::string& text) {
        std::fprintf(stderr, "tick-to-order: %s\n", text.c_str());
        std::exit(1);
    }

private:
    /// Every order that the frames must cause, in order, and no other.
    template <class AnyMarket>
    void check(TradingPath& path, AnyMarket& market,
               const std::vector<model::Instrument>& instruments) const {
        FillingExchange& exchange = path.exchange();
        path.settle();
        exchange.orders.clear();
        exchange.keeps_orders = true;
        one_by_one(path, market);
        exchange.keeps_orders = false;
        const std::span<const ExpectedOrder> expected = market.expected();
        if (exchange.orders.size() != expected.size())
            fail(std::to_string(expected.size()) + " frames led to " +
                 std::to_string(exchange.orders.size()) + " orders");
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (!is_as_expected(exchange.orders[i], expected[i], instruments))
                fail("the order to packet " + std::to_string(expected[i].packet_sequence) +
                     " is not what it must be");
    }

    static bool is_as_expected(const ReceivedOrder& order, const ExpectedOrder& expected,
                               const std::vector<model::Instrument>& instruments) {
        return order.id.packet_sequence == expected.packet_sequence && order.id.line == 0 &&
               order.id.entry_index == expected.entry_index &&
               order.symbol == instruments[expected.instrument].symbol() && order.side == '2' &&
               order.price == expected.price && order.quantity == expected.quantity;
    }

    std::vector<unsigned> cpus_;
    core::CycleClock clock_;
};

Spread median_of(const std::vector<Spread>& spreads) {
    const auto pick = [&](double Spread::*member) {
        std::vector<double> values;
        for (const Spread& spread : spreads)
            values.push_back(spread.*member);
        return median(std::move(values));
    };
    return {pick(&Spread::p50_ns), pick(&Spread::p99_ns), pick(&Spread::max_ns), pick(&Spread::drain_ns)};
}

/// Frame after frame, each a change of the best bid that leads to an order.
Spread hot(const Bench& bench, Layout layout) {
    Market market;
    const auto path = bench.make_path(layout, market);
    std::vector<Spread> spreads;
    for (int repetition = 0; repetition < 15; ++repetition) {
        market.make_subscribed(Market::batch_max);
        bench.one_by_one(*path, market);
        spreads.push_back(bench.spread_of(path->samples()));
    }
    return median_of(spreads);
}

/// As hot, but nine of ten entries are of instruments that nobody asked for.
Spread noise(const Bench& bench, Layout layout) {
    Market market;
    const auto path = bench.make_path(layout, market);
    std::vector<Spread> spreads;
    for (int repetition = 0; repetition < 15; ++repetition) {
        market.make_noisy(Market::batch_max);
        bench.one_by_one(*path, market);
        spreads.push_back(bench.spread_of(path->samples()));
    }
    return median_of(spreads);
}

/// As noise, the entry that leads to the order first: what acting on an entry before the others are decoded
/// saves.
Spread leading(const Bench& bench, Layout layout, trade::DecideAt decide) {
    Market market;
    const auto path = bench.make_path(layout, market, 0, decide);
    std::vector<Spread> spreads;
    for (int repetition = 0; repetition < 15; ++repetition) {
        market.make_leading(Market::batch_max);
        bench.one_by_one(*path, market);
        spreads.push_back(bench.spread_of(path->samples()));
    }
    return median_of(spreads);
}

/// A thousand frames that are all there at once: the later ones wait for the earlier ones.
Spread burst(const Bench& bench, Layout layout) {
    constexpr std::size_t burst_packets = 1'000;
    Market market;
    const auto path = bench.make_path(layout, market);
    std::vector<Spread> spreads;
    for (int repetition = 0; repetition < 51; ++repetition) {
        market.make_subscribed(burst_packets);
        const std::uint64_t orders = path->orders();
        path->receive(market.frames());
        path->wait_for_orders(orders + burst_packets);
        path->settle();
        Spread spread = bench.spread_of(path->samples());
        spread.drain_ns = spread.max_ns;
        spreads.push_back(spread);
    }
    return median_of(spreads);
}

/// What five seconds without a tick leave of the caches: other work has had them. Written, so that no page is
/// shared.
class CacheEvictor {
public:
    void evict() noexcept {
        for (std::size_t i = 0; i < memory_.size(); i += core::cache_line_bytes)
            memory_[i] = static_cast<std::uint8_t>(memory_[i] + 1);
    }

private:
    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(std::size_t{96} << 20);
};

/// One tick after a long silence. The pause is emulated: caches are evicted, the thread sleeps, then the idle
/// loop runs for three milliseconds as it does before every tick.
Spread idle(const Bench& bench, Layout layout, std::uint64_t warm_interval_us) {
    constexpr std::size_t ticks = 150;
    Market market;
    const auto path = bench.make_path(layout, market, warm_interval_us);
    CacheEvictor evictor;
    market.make_subscribed(ticks);
    for (std::size_t i = 0; i < ticks; ++i) {
        evictor.evict();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        path->idle_for(3'000'000);
        const std::uint64_t orders = path->orders();
        path->receive(market.frames().subspan(i, 1));
        path->wait_for_orders(orders + 1);
        path->settle();
    }
    return bench.spread_of(path->samples());
}

template <class Measure>
CaseResult both_layouts(const Bench& bench, Measure&& measure) {
    CaseResult result;
    result.inline_ = measure(Layout::inline_);
    result.has_split = bench.has_two_cpus();
    if (result.has_split) result.split = measure(Layout::split);
    return result;
}

struct NseHot {
    Spread order;
    Spread decompress;
};

/// Each frame one 7208 message of two tokens, one of which is traded; between any two of them the block of a
/// frame like it is decompressed and nothing else done, so that what one is measured against has met the same
/// caches and the same neighbours on the machine.
NseHot nse_hot(const Bench& bench, Layout layout) {
    NseMarket market;
    NseMarket alone(NseMarket::default_token_count, 2);
    const auto path = bench.make_path(layout, market);
    std::vector<std::byte> out(framing::nse::message_bytes_max + lzo1z::output_slack_bytes);
    std::vector<std::uint64_t> samples;
    std::vector<Spread> orders;
    std::vector<Spread> blocks;
    for (int repetition = 0; repetition < 15; ++repetition) {
        market.make_subscribed(NseMarket::batch_max);
        alone.make_subscribed(NseMarket::batch_max);
        bench.one_by_one(*path, market, [&](std::size_t i) {
            const std::uint64_t start = core::cycles_now();
            const lzo1z::DecompressResult done = lzo1z::decompress(alone.blocks()[i], out);
            samples.push_back(core::cycles_now() - start);
            if (done.error != Errc::ok || done.written != 478) Bench::fail("a block did not decompress");
        });
        orders.push_back(bench.spread_of(path->samples()));
        blocks.push_back(bench.spread_of(samples));
    }
    return {median_of(orders), median_of(blocks)};
}

struct NullTicks {
    std::uint64_t count = 0;
    void on_tick(const model::Tick&) noexcept { ++count; }
};

/// What a message costs in which nobody has an interest: given up as soon as its tokens are there, or read to
/// its end, as without a filter. From frame to the end of the feed path, without a trade side.
Spread nse_of_no_interest(const Bench& bench, bool is_filtered) {
    NseMarket market;
    BenchFeed feed = is_filtered ? nse_feed() : nse_feed_of_all(Market::other_count);
    std::vector<model::Instrument> instruments = feed.known;
    instruments.resize(feed.known.size() + feed.other_count);
    const auto known_count = static_cast<std::uint32_t>(feed.known.size());
    feed::FeedPlan plan;
    plan.channels.push_back(feed.channel);
    plan.instruments = {.all = instruments,
                        .known_count = known_count,
                        .learned_first = known_count,
                        .learned_max = feed.other_count};
    core::CounterPage page = core::CounterPage::anonymous();
    NullTicks sink;
    feed::FeedPath<NullTicks> path(plan, page, "r0", bench.clock(), sink);
    std::vector<std::uint64_t> samples;
    std::vector<Spread> spreads;
    for (int repetition = 0; repetition < 16; ++repetition) {
        market.make_others(NseMarket::batch_max);
        for (model::Frame& frame : market.frames()) {
            const std::uint64_t start = core::cycles_now();
            frame.rx_cycles = start;
            frame.rx_time = {start, model::TimeDomain::cycles};
            path.on_burst({&frame, 1});
            samples.push_back(core::cycles_now() - start);
        }
        if (repetition != 0) spreads.push_back(bench.spread_of(samples));  // the first one learns
        samples.clear();
    }
    if ((sink.count == 0) != is_filtered) Bench::fail("the interest filter does not do what it is asked to");
    return median_of(spreads);
}

struct NseResults {
    CaseResult hot;
    Spread decompress, no_interest, all_read;
    [[nodiscard]] double ratio() const { return hot.inline_.p50_ns / decompress.p50_ns; }
};

NseResults measure_nse(const Bench& bench) {
    NseResults results;
    results.hot = both_layouts(bench, [&](Layout layout) {
        const NseHot hot = nse_hot(bench, layout);
        if (layout == Layout::inline_) results.decompress = hot.decompress;
        return hot.order;
    });
    results.no_interest = nse_of_no_interest(bench, true);
    results.all_read = nse_of_no_interest(bench, false);
    return results;
}

struct Results {
    CaseResult hot, idle_warm, idle_cold, burst, noise;
    CaseResult by_message, by_entry;  ///< the same frames
    NseResults nse;
};

constexpr std::uint64_t warm_interval_us = 500;

Results measure_all(const Bench& bench) {
    Results results;
    results.hot = both_layouts(bench, [&](Layout layout) { return hot(bench, layout); });
    results.noise = both_layouts(bench, [&](Layout layout) { return noise(bench, layout); });
    results.by_message =
        both_layouts(bench, [&](Layout layout) { return leading(bench, layout, trade::DecideAt::message); });
    results.by_entry =
        both_layouts(bench, [&](Layout layout) { return leading(bench, layout, trade::DecideAt::entry); });
    results.burst = both_layouts(bench, [&](Layout layout) { return burst(bench, layout); });
    results.idle_warm =
        both_layouts(bench, [&](Layout layout) { return idle(bench, layout, warm_interval_us); });
    results.idle_cold = both_layouts(bench, [&](Layout layout) { return idle(bench, layout, 0); });
    results.nse = measure_nse(bench);
    return results;
}

std::string json_of(const Spread& spread, bool is_burst) {
    char text[160];
    if (is_burst)
        std::snprintf(text, sizeof text,
                      "{\"p50_ns\":%.1f,\"p99_ns\":%.1f,\"max_ns\":%.1f,\"drain_ns\":%.1f}", spread.p50_ns,
                      spread.p99_ns, spread.max_ns, spread.drain_ns);
    else
        std::snprintf(text, sizeof text, "{\"p50_ns\":%.1f,\"p99_ns\":%.1f}", spread.p50_ns, spread.p99_ns);
    return text;
}

std::string json_of(const CaseResult& result, bool is_burst = false) {
    std::string text = "\"inline\":" + json_of(result.inline_, is_burst);
    if (result.has_split) text += ",\"split\":" + json_of(result.split, is_burst);
    return text;
}

/// Of the median, in one thread.
double gain_ns(const Results& results) {
    return results.by_message.inline_.p50_ns - results.by_entry.inline_.p50_ns;
}

std::string json_of(const NseResults& nse) {
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.3f", nse.ratio());
    return "{\"hot\":{" + json_of(nse.hot) + "},\"decompress\":" + json_of(nse.decompress, false) +
           ",\"hot_to_decompress_p50\":" + ratio +
           ",\"no_interest\":{\"given_up\":" + json_of(nse.no_interest, false) +
           ",\"read\":" + json_of(nse.all_read, false) + "}}";
}

/// `idle` is with warming, as it is by default; without it under "warm_off".
void print_json(const Results& results) {
    std::printf(
        "{\"hot\":{%s},\"idle\":{%s,\"warm_off\":{%s}},\"burst\":{%s},\"noise\":{%s},"
        "\"entry\":{%s,\"by_message\":{%s},\"gain_ns\":%.1f},\"nse\":%s}\n",
        json_of(results.hot).c_str(), json_of(results.idle_warm).c_str(), json_of(results.idle_cold).c_str(),
        json_of(results.burst, true).c_str(), json_of(results.noise).c_str(),
        json_of(results.by_entry).c_str(), json_of(results.by_message).c_str(), gain_ns(results),
        json_of(results.nse).c_str());
}

void print_row(const char* name, const CaseResult& result) {
    std::printf("%-16s inline p50 %8.0f ns  p99 %8.0f ns", name, result.inline_.p50_ns,
                result.inline_.p99_ns);
    if (result.has_split)
        std::printf("   split p50 %8.0f ns  p99 %8.0f ns", result.split.p50_ns, result.split.p99_ns);
    std::printf("\n");
}

void print_nse(const NseResults& nse) {
    std::printf("NSE 7208, two tokens, one traded\n");
    print_row("hot", nse.hot);
    std::printf("block alone      p50 %8.0f ns  p99 %8.0f ns   hot inline p50 is %.2f of it\n",
                nse.decompress.p50_ns, nse.decompress.p99_ns, nse.ratio());
    std::printf("of no interest   given up p50 %.0f ns   read to the end p50 %.0f ns\n",
                nse.no_interest.p50_ns, nse.all_read.p50_ns);
}

void print_text(const Bench& bench, const Results& results) {
    std::printf("frame in memory to order bytes ready, ten-entry packets");
    if (bench.has_two_cpus())
        std::printf(", CPU %u (split: and CPU %u)\n", bench.cpus()[0], bench.cpus()[1]);
    else
        std::printf(", CPU %u (split needs a second one)\n", bench.cpus()[0]);
    print_row("hot", results.hot);
    print_row("noise", results.noise);
    print_row("first entry", results.by_message);
    print_row("same, by entry", results.by_entry);
    print_row("idle, warmed", results.idle_warm);
    print_row("idle, not warmed", results.idle_cold);
    print_row("burst of 1000", results.burst);
    std::printf("burst drained    inline %.0f ns", results.burst.inline_.drain_ns);
    if (results.burst.has_split) std::printf("   split %.0f ns", results.burst.split.drain_ns);
    std::printf("\n");
    print_nse(results.nse);
}

/// For callgrind's --toggle-collect: everything between the frame and the order, and nothing else.
[[gnu::noinline]] void tick_to_order_toggle(TradingPath& path, std::span<model::Frame> frame) {
    path.receive(frame);
}

template <class AnyMarket>
int count_instructions(std::uint64_t count) {
    const Bench bench;
    AnyMarket market;
    const auto path = bench.make_path(Layout::inline_, market);
    path->take_samples(false);
    for (std::uint64_t done = 0; done < count;) {
        const std::size_t batch = std::min<std::uint64_t>(count - done, AnyMarket::batch_max);
        market.make_subscribed(batch);
        for (std::size_t i = 0; i < batch; ++i) {
            tick_to_order_toggle(*path, market.frames().subspan(i, 1));
            if (i % packets_per_settle == packets_per_settle - 1) path->settle();
        }
        path->settle();
        done += batch;
    }
    std::printf("%llu orders\n", static_cast<unsigned long long>(count));
    return 0;
}

int run(bool is_json) {
    const Bench bench;
    const Results results = measure_all(bench);
    if (is_json)
        print_json(results);
    else
        print_text(bench, results);
    return 0;
}

int run_nse() {
    const Bench bench;
    print_nse(measure_nse(bench));
    return 0;
}

int usage() {
    std::fputs("usage: tick-to-order [--json | --nse | --instructions COUNT | --nse-instructions COUNT]\n",
               stderr);
    return 2;
}

}  // namespace
}  // namespace tickpath::bench

int main(int argc, char** argv) {
    const std::string_view option = argc > 1 ? argv[1] : "";
    if (argc == 1) return tickpath::bench::run(false);
    if (argc == 2 && option == "--json") return tickpath::bench::run(true);
    if (argc == 2 && option == "--nse") return tickpath::bench::run_nse();
    const long count = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
    if (count > 0 && option == "--instructions")
        return tickpath::bench::count_instructions<tickpath::bench::Market>(
            static_cast<std::uint64_t>(count));
    if (count > 0 && option == "--nse-instructions")
        return tickpath::bench::count_instructions<tickpath::bench::NseMarket>(
            static_cast<std::uint64_t>(count));
    return tickpath::bench::usage();
}
