#include "control/latency/latencies.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace tickpath::latency {
namespace {

/// Index of the nearest-rank percentile. 99.9 percent of 1,000 is number 999, also where the product of the
/// two is a hair above it.
std::size_t rank_of(double percent, std::size_t count) {
    const double rank = std::ceil(static_cast<double>(count) * percent / 100.0 - 1e-6);
    return std::clamp(static_cast<std::size_t>(std::max(rank, 1.0)), std::size_t{1}, count) - 1;
}

}  // namespace

Latencies::Latencies(std::vector<std::int64_t> ns) : ns_(std::move(ns)) {
    std::ranges::sort(ns_);
}

double Latencies::mean() const noexcept {
    if (ns_.empty()) return 0;
    double sum = 0;
    for (const std::int64_t value : ns_)
        sum += static_cast<double>(value);
    return sum / static_cast<double>(ns_.size());
}

std::int64_t Latencies::percentile(double percent) const noexcept {
    return ns_.empty() ? 0 : ns_[rank_of(percent, ns_.size())];
}

std::vector<Latencies::Step> Latencies::distribution() const {
    constexpr double steps_per_half = 5;
    std::vector<Step> steps;
    if (ns_.empty()) return steps;
    for (double percent = 0;;) {
        const std::int64_t value = percentile(percent);
        const auto not_longer = std::ranges::upper_bound(ns_, value) - ns_.begin();
        if (not_longer == std::ssize(ns_)) break;
        steps.push_back({percent, value, static_cast<std::uint64_t>(not_longer)});
        const double halves = std::floor(std::log2(100.0 / (100.0 - percent))) + 1;
        percent += 100.0 / (steps_per_half * std::exp2(halves));
    }
    steps.push_back({100, max(), count()});
    return steps;
}

std::string Latencies::to_hgrm() const {
    std::string text = fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile", "TotalCount",
                                   "1/(1-Percentile)");
    for (const Step& step : distribution()) {
        text += fmt::format("{:12.3f} {:14.12f} {:10d}", static_cast<double>(step.ns),
                            step.percentile / 100.0, step.count);
        text += step.percentile < 100 ? fmt::format(" {:14.2f}\n", 100.0 / (100.0 - step.percentile)) : "\n";
    }
    double squares = 0;
    const double middle = mean();
    for (const std::int64_t value : ns_)
        squares += (static_cast<double>(value) - middle) * (static_cast<double>(value) - middle);
    const double deviation = ns_.empty() ? 0 : std::sqrt(squares / static_cast<double>(ns_.size()));
    text += fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n", middle, deviation);
    text +=
        fmt::format("#[Max     = {:12.3f}, Total count    = {:12d}]\n", static_cast<double>(max()), count());
    return text;
}

}  // namespace tickpath::latency
