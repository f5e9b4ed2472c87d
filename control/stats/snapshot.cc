#include "control/stats/snapshot.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tickpath::stats {

bool DeviceStat::is_loss() const noexcept {
    // Drivers agree on no names; these words stand in those of what was lost (rte_ethdev.h names the common
    // ones).
    constexpr std::array<std::string_view, 8> words = {"miss",    "drop",  "discard",    "err",
                                                       "no_buff", "nobuf", "mbuf_alloc", "overflow"};
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

std::vector<CounterValue> read_counters(const core::CounterPage& page) {
    std::vector<CounterValue> counters;
    counters.reserve(page.size());
    for (std::size_t i = 0; i < page.size(); ++i)
        counters.push_back({std::string(page.name(i)), page.value(i)});
    return counters;
}

Summary summarise(const core::Histogram& histogram) noexcept {
    return {.count = histogram.count(),
            .min = histogram.min(),
            .p50 = histogram.percentile(50.0),
            .p90 = histogram.percentile(90.0),
            .p99 = histogram.percentile(99.0),
            .p999 = histogram.percentile(99.9),
            .max = histogram.max()};
}

}  // namespace tickpath::stats
