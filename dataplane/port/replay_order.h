// Captures of the same time, replayed by several ports: they begin together, and their frames come in the
// order of their times, as on the wires they were taken from. Otherwise a burst of one port would run ahead
// of the other's, and a hole in line A would be given up before line B was asked. Hot: once per poll of a
// replaying port.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dataplane/core/cache_line.h"

namespace tickpath::port {

/// The captures that belong together. A member is one of them, by its place; each is written by the thread
/// that polls its port.
class ReplayOrder {
public:
    static constexpr std::int64_t no_more = INT64_MAX;

    /// One member for each time; nothing of it will come before that. `no_more`: the capture is empty.
    explicit ReplayOrder(std::span<const std::int64_t> first_times_ns);

    /// When the first of them was polled first, in cycles; this poll, if it is that.
    [[nodiscard]] std::uint64_t begin(std::uint64_t now_cycles) noexcept;
    /// Where capture time begins for all of them.
    [[nodiscard]] std::int64_t first_time_ns() const noexcept { return first_time_ns_; }

    /// The next frame of this member has this time, or a later one; `no_more` after its last.
    void announce(std::size_t member, std::int64_t time_ns) noexcept {
        // pairs with the acquire in turn_until
        members_[member].next_time_ns.store(time_ns, std::memory_order_release);
    }

    /// Frames of this member up to this time are not after what the others have still to give. Of frames with
    /// one time the lower member's come first, so that some member always has the turn.
    [[nodiscard]] std::int64_t turn_until(std::size_t member) const noexcept {
        std::int64_t until = no_more;
        for (std::size_t other = 0; other < members_.size(); ++other) {
            if (other == member) continue;
            const std::int64_t next = members_[other].next_time_ns.load(std::memory_order_acquire);
            const std::int64_t own = next == no_more || member < other ? next : next - 1;
            until = own < until ? own : until;
        }
        return until;
    }

private:
    struct alignas(core::cache_line_bytes) Member {
        std::atomic<std::int64_t> next_time_ns;
    };

    std::vector<Member> members_;
    std::int64_t first_time_ns_;
    std::atomic<std::uint64_t> began_cycles_{0};  // 0: not yet; written once
};

/// A port's place in the order it is replayed in.
struct ReplaySeat {
    std::shared_ptr<ReplayOrder> order;
    std::size_t member = 0;
};

/// A capture that is to be replayed.
struct ReplaySpan {
    double speed = 1.0;  ///< see Pace
    std::uint64_t frame_count = 0;
    std::uint64_t first_ns = 0;  ///< time of its first frame
    std::uint64_t latest_ns = 0;
};

/// A seat for each. Those share an order that have one speed and whose times overlap, if only by way of
/// others: captures of different days start at once, each by itself. Cold.
[[nodiscard]] std::vector<ReplaySeat> seat_replays(std::span<const ReplaySpan> spans);

}  // namespace tickpath::port
