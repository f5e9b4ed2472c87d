#include "control/latency/match.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace tickpath::latency {
namespace {

/// Triggers of one key, by time.
class TriggerTable {
public:
    explicit TriggerTable(std::span<const Trigger> triggers) : triggers_(triggers), by_key_(triggers.size()) {
        std::iota(by_key_.begin(), by_key_.end(), std::size_t{0});
        std::ranges::stable_sort(by_key_, {}, [&](std::size_t i) { return sort_key(triggers[i]); });
    }

    /// Indices of the triggers of `key` from `first_ns` to `last_ns`, both included.
    [[nodiscard]] std::span<const std::size_t> between(std::uint64_t key, std::uint64_t first_ns,
                                                       std::uint64_t last_ns) const {
        const auto by = [&](std::size_t i) { return sort_key(triggers_[i]); };
        const auto first = std::ranges::lower_bound(by_key_, std::pair(key, first_ns), {}, by);
        const auto last = std::ranges::upper_bound(by_key_, std::pair(key, last_ns), {}, by);
        return {first, last};
    }

private:
    static std::pair<std::uint64_t, std::uint64_t> sort_key(const Trigger& trigger) {
        return {trigger.key, trigger.place.time_ns};
    }

    std::span<const Trigger> triggers_;
    std::vector<std::size_t> by_key_;
};

}  // namespace

Matching match(std::span<const Order> orders, std::span<const Trigger> triggers, std::uint64_t window_ns) {
    const TriggerTable table(triggers);
    Matching found;
    std::set<std::pair<std::uint64_t, std::uint64_t>> matched;  // key and identity
    for (std::size_t i = 0; i < orders.size(); ++i) {
        const Order& order = orders[i];
        if (!order.key) {
            ++found.without_key;
            continue;
        }
        const std::uint64_t at_ns = order.place.time_ns;
        const auto before = table.between(*order.key, at_ns - std::min(window_ns, at_ns), at_ns);
        if (before.empty()) {
            const auto behind = table.between(*order.key, at_ns, at_ns + window_ns);
            if (behind.empty()) {
                ++found.without_trigger;
                continue;
            }
            ++found.before_trigger;
            found.before_ns_max =
                std::max(found.before_ns_max, triggers[behind.front()].place.time_ns - at_ns);
            continue;
        }
        const Trigger& first = triggers[before.front()];
        const bool is_one = std::ranges::all_of(
            before, [&](std::size_t t) { return triggers[t].identity == first.identity; });
        if (!is_one) {
            ++found.ambiguous;
            continue;
        }
        found.pairs.push_back({i, before.front()});
        matched.emplace(first.key, first.identity);
    }
    found.triggers_matched = matched.size();
    return found;
}

}  // namespace tickpath::latency
