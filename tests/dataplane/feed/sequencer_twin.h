// The plain twin of feed::Sequencer: keeps every number it ever saw in sets and looks at all of them each
// time. No restarts, no counters: only which numbers are delivered, which are given up, and when.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tickpath::test {

/// A number delivered (count 0), or `count` numbers from `number` on given up.
struct Delivery {
    std::uint64_t number = 0;
    std::uint64_t count = 0;

    friend bool operator==(const Delivery&, const Delivery&) = default;
};

class SequencerTwin {
public:
    SequencerTwin(std::uint64_t window_packets, std::uint64_t window_ns)
        : window_packets_(window_packets), window_ns_(window_ns) {}

    void on_packet(std::uint64_t number, std::uint64_t now_ns) {
        if (!due_) due_ = number;
        if (number >= *due_ && !waiting_.contains(number)) {
            while (number - *due_ >= window_packets_)
                give_up(number);
            const bool opens_hole = waiting_.empty();
            waiting_.emplace(number, now_ns);
            if (opens_hole) since_ns_ = now_ns;
            deliver();
        }
        while (!waiting_.empty() && now_ns > since_ns_ + window_ns_)
            give_up(waiting_.begin()->first);
    }

    void finish() {
        while (!waiting_.empty())
            give_up(waiting_.begin()->first);
    }

    std::vector<Delivery> log;

private:
    /// Everything before the first number that waits, or before `arriving` when that is nearer.
    void give_up(std::uint64_t arriving) {
        std::uint64_t there = arriving;
        if (!waiting_.empty() && waiting_.begin()->first < there) there = waiting_.begin()->first;
        log.push_back({*due_, there - *due_});
        due_ = there;
        deliver();
    }

    void deliver() {
        while (waiting_.erase(*due_) != 0) {
            log.push_back({(*due_)++, 0});
            if (!waiting_.empty()) since_ns_ = waiting_.begin()->second;
        }
    }

    std::uint64_t window_packets_;
    std::uint64_t window_ns_;
    std::optional<std::uint64_t> due_;
    std::map<std::uint64_t, std::uint64_t> waiting_;  // number → when it came
    std::uint64_t since_ns_ = 0;
};

}  // namespace tickpath::test
