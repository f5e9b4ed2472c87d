// How much of one core an NSE feed at its peak takes, and how much memory: 100,000 tokens, each with a full
// book once a second, two a message, so 50,000 datagrams a second; every token of interest, all books kept, a
// strategy asked after each message. Frames come from memory at the times of the plan; a receive ring of
// 4,096 frames is imagined, and what would not have fitted is lost.
//
//     build/bench/nse-peak [--json] [SECONDS]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/path/bench_feed.h"
#include "bench/path/nse_market.h"
#include "dataplane/core/cpu.h"
#include "dataplane/feed/feed_path.h"
#include "dataplane/trade/null_link.h"
#include "dataplane/trade/null_strategy.h"
#include "dataplane/trade/trade_stage.h"

namespace tickpath::bench {
namespace {

constexpr std::uint32_t tokens = 100'000;
constexpr double datagrams_per_second = 50'000;
constexpr std::size_t ring_frames = 4'096;
constexpr std::size_t burst_max = 32;

struct Outcome {
    double seconds = 0;
    std::uint64_t datagrams = 0;
    std::uint64_t ticks = 0;
    std::uint64_t books_valid = 0;
    std::uint64_t lost = 0;
    std::uint64_t backlog_max = 0;
    double busy_percent = 0;
    double resident_mib = 0;  ///< of the process, less the frames that a NIC would have brought
    double frames_made_up_mib = 0;
};

[[noreturn]] void fail(const std::string& text) {
    std::fprintf(stderr, "nse-peak: %s\n", text.c_str());
    std::exit(1);
}

double resident_mib() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t total_pages = 0;
    std::uint64_t resident_pages = 0;
    in >> total_pages >> resident_pages;
    return static_cast<double>(resident_pages) * 4096.0 / (1024.0 * 1024.0);
}

/// Feed path and trade stage on this thread.
class PeakPath {
public:
    using Stage = trade::TradeStage<trade::NullStrategy, trade::NullLink>;

    PeakPath() : clock_(core::CycleClock::calibrate(50)) {
        BenchFeed feed = nse_feed_of_all(tokens);
        if (!feed.error_text.empty()) fail(feed.error_text);
        instruments_ = feed.known;
        const std::size_t known_count = feed.known.size();
        instruments_.resize(known_count + tokens);
        make_stage(feed.known);
        feed::FeedPlan plan;
        plan.channels.push_back(std::move(feed.channel));
        plan.instruments = {.all = instruments_,
                            .known_count = static_cast<std::uint32_t>(known_count),
                            .learned_first = static_cast<std::uint32_t>(known_count),
                            .learned_max = tokens};
        path_ = std::make_unique<feed::FeedPath<Stage>>(plan, page_, "r0", clock_, *stage_);
    }

    void receive(std::span<model::Frame> frames) noexcept {
        const std::uint64_t now = core::cycles_now();
        for (model::Frame& frame : frames) {
            frame.rx_cycles = now;
            frame.rx_time = {now, model::TimeDomain::cycles};
        }
        path_->on_burst(frames);
    }
    [[nodiscard]] const core::CycleClock& clock() const { return clock_; }
    [[nodiscard]] std::uint64_t ticks() const { return page_.value("r0.out.ticks"); }
    [[nodiscard]] std::uint64_t books_valid() const { return path_->report().channels[0].books.valid; }
    [[nodiscard]] std::uint64_t datagrams() const { return page_.value("r0.NSE-FO.datagrams"); }

private:
    void make_stage(std::span<const model::Instrument> known) {
        Diagnostics diagnostics;
        constexpr std::array<std::uint8_t, 1> depths = {5};
        trade::TradeParts parts;
        parts.instruments = known;
        parts.instruments_max = instruments_.size();
        parts.channel_depths = depths;
        parts.file = "nse-peak";
        trade::TradeSettings settings;
        settings.order_mode = trade::OrderMode::shadow;
        settings.books.levels_max = 5;
        stage_ = std::make_unique<Stage>(settings, parts, trade::NullStrategy({}, known, diagnostics), link_,
                                         kill_, page_, clock_, diagnostics);
        if (diagnostics.has_errors()) fail(diagnostics.format());
    }

    core::CycleClock clock_;
    core::CounterPage page_ = core::CounterPage::anonymous(4'096);
    std::vector<model::Instrument> instruments_;
    trade::NullLink link_;
    trade::KillSwitch kill_;
    std::unique_ptr<Stage> stage_;
    std::unique_ptr<feed::FeedPath<Stage>> path_;
};

Outcome run(double seconds) {
    const double before_mib = resident_mib();
    NseMarket market(tokens);
    market.make_books();  // every token once: a second's traffic, repeated
    const std::span<model::Frame> frames = market.frames();
    const double frames_mib = resident_mib() - before_mib;
    PeakPath path;
    path.receive(frames);  // learns the tokens
    const std::uint64_t ticks_before = path.ticks();
    const std::uint64_t read_before = path.datagrams();

    Outcome outcome;
    const core::CycleClock& clock = path.clock();
    const auto planned = static_cast<std::uint64_t>(seconds * datagrams_per_second);
    const std::uint64_t start = core::cycles_now();
    std::uint64_t busy_cycles = 0;
    std::uint64_t taken = 0;
    while (taken < planned) {
        const std::uint64_t polled = core::cycles_now();
        const auto elapsed_ns = static_cast<double>(clock.to_ns(polled - start));
        const auto due =
            std::min(planned, static_cast<std::uint64_t>(elapsed_ns * datagrams_per_second / 1e9));
        if (due == taken) {
            core::pause();
            continue;
        }
        outcome.backlog_max = std::max(outcome.backlog_max, due - taken);
        if (due - taken > ring_frames) {  // the ring was full: the oldest that fits is what is left
            outcome.lost += due - taken - ring_frames;
            taken = due - ring_frames;
        }
        const std::size_t at = taken % frames.size();
        const std::size_t count =
            std::min({static_cast<std::size_t>(due - taken), burst_max, frames.size() - at});
        path.receive(frames.subspan(at, count));
        taken += count;
        busy_cycles += core::cycles_now() - polled;
    }
    const std::uint64_t cycles = core::cycles_now() - start;
    outcome.seconds = static_cast<double>(clock.to_ns(cycles)) / 1e9;
    outcome.datagrams = path.datagrams() - read_before;
    outcome.ticks = path.ticks() - ticks_before;
    outcome.books_valid = path.books_valid();
    outcome.busy_percent = 100.0 * static_cast<double>(busy_cycles) / static_cast<double>(cycles);
    outcome.resident_mib = resident_mib() - frames_mib;
    outcome.frames_made_up_mib = frames_mib;
    if (outcome.datagrams + outcome.lost != planned || outcome.books_valid != tokens)
        fail("datagrams or books are missing");
    return outcome;
}

void print(const Outcome& o, bool is_json) {
    if (is_json) {
        std::printf(
            "{\"tokens\":%u,\"datagrams_per_second\":%.0f,\"seconds\":%.2f,\"datagrams\":%llu,"
            "\"ticks\":%llu,\"books_valid\":%llu,\"lost\":%llu,\"backlog_max\":%llu,"
            "\"core_percent\":%.2f,\"resident_mib\":%.1f,\"frames_made_up_mib\":%.1f}\n",
            tokens, datagrams_per_second, o.seconds, static_cast<unsigned long long>(o.datagrams),
            static_cast<unsigned long long>(o.ticks), static_cast<unsigned long long>(o.books_valid),
            static_cast<unsigned long long>(o.lost), static_cast<unsigned long long>(o.backlog_max),
            o.busy_percent, o.resident_mib, o.frames_made_up_mib);
        return;
    }
    std::printf("NSE at a made-up peak: %u tokens, each a full book a second, %.0f datagrams/s of two\n",
                tokens, datagrams_per_second);
    std::printf("%llu datagrams in %.1f s, %llu ticks, %llu valid books\n",
                static_cast<unsigned long long>(o.datagrams), o.seconds,
                static_cast<unsigned long long>(o.ticks), static_cast<unsigned long long>(o.books_valid));
    std::printf(
        "%.1f %% of one core, %.0f MiB resident (and %.0f MiB of made-up frames), %llu lost, "
        "at most %llu frames waiting\n",
        o.busy_percent, o.resident_mib, o.frames_made_up_mib, static_cast<unsigned long long>(o.lost),
        static_cast<unsigned long long>(o.backlog_max));
}

}  // namespace
}  // namespace tickpath::bench

int main(int argc, char** argv) {
    bool is_json = false;
    double seconds = 10;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json") {
            is_json = true;
        } else if (seconds = std::strtod(argv[i], nullptr); seconds <= 0) {
            std::fputs("usage: nse-peak [--json] [SECONDS]\n", stderr);
            return 2;
        }
    }
    if (tickpath::core::pin_to(tickpath::core::allowed_cpus()[0]) != tickpath::Errc::ok)
        std::fputs("nse-peak: not pinned to one CPU\n", stderr);
    const tickpath::bench::Outcome outcome = tickpath::bench::run(seconds);
    tickpath::bench::print(outcome, is_json);
    return outcome.lost == 0 ? 0 : 1;
}
