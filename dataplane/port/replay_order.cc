#include "dataplane/port/replay_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tickpath::port {

ReplayOrder::ReplayOrder(std::span<const std::int64_t> first_times_ns)
    : members_(first_times_ns.size()), first_time_ns_(no_more) {
    for (std::size_t member = 0; member < members_.size(); ++member) {
        members_[member].next_time_ns.store(first_times_ns[member], std::memory_order_relaxed);
        first_time_ns_ = std::min(first_time_ns_, first_times_ns[member]);
    }
}

std::uint64_t ReplayOrder::begin(std::uint64_t now_cycles) noexcept {
    std::uint64_t began = 0;
    return began_cycles_.compare_exchange_strong(began, now_cycles, std::memory_order_relaxed) ? now_cycles
                                                                                               : began;
}

namespace {

std::int64_t first_time_of(const ReplaySpan& span) {
    return span.frame_count == 0 ? ReplayOrder::no_more : static_cast<std::int64_t>(span.first_ns);
}

// By speed, then by time: captures that overlap, if only by way of others, are neighbours.
std::vector<std::size_t> sorted(std::span<const ReplaySpan> spans) {
    std::vector<std::size_t> by_time(spans.size());
    std::iota(by_time.begin(), by_time.end(), std::size_t{0});
    std::ranges::stable_sort(by_time, [&](std::size_t a, std::size_t b) {
        return std::pair(spans[a].speed, first_time_of(spans[a])) <
               std::pair(spans[b].speed, first_time_of(spans[b]));
    });
    return by_time;
}

void seat_together(std::vector<std::size_t> together, std::span<const ReplaySpan> spans,
                   std::vector<ReplaySeat>& seats) {
    std::ranges::sort(together);  // frames of one time come in the order of the ports
    std::vector<std::int64_t> first_times_ns;
    for (const std::size_t index : together)
        first_times_ns.push_back(first_time_of(spans[index]));
    const auto order = std::make_shared<ReplayOrder>(first_times_ns);
    for (std::size_t member = 0; member < together.size(); ++member)
        seats[together[member]] = {.order = order, .member = member};
}

}  // namespace

std::vector<ReplaySeat> seat_replays(std::span<const ReplaySpan> spans) {
    std::vector<ReplaySeat> seats(spans.size());
    std::vector<std::size_t> together;
    std::uint64_t latest_ns = 0;
    for (const std::size_t index : sorted(spans)) {
        const ReplaySpan& span = spans[index];
        const bool overlaps = !together.empty() && spans[together.back()].speed == span.speed &&
                              span.frame_count != 0 && span.first_ns <= latest_ns;
        if (!overlaps && !together.empty()) seat_together(std::exchange(together, {}), spans, seats);
        if (!overlaps) latest_ns = 0;
        latest_ns = std::max(latest_ns, span.latest_ns);
        together.push_back(index);
    }
    if (!together.empty()) seat_together(std::move(together), spans, seats);
    return seats;
}

}  // namespace tickpath::port
