// The plain twin of feed::Sequencer: keeps every number it ever saw in sets and looks at all of them each
// time. No restarts, no counters: only which numbers are delivered, which are given up, and when.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
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
    struct Settings {
        std::uint64_t window_packets;
        std::uint64_t window_ns;
        std::uint64_t line_silence_ns;
        std::size_t line_count;
        std::uint64_t reorder_packets;
    };

    explicit SequencerTwin(const Settings& settings) : settings_(settings) {}

    void on_packet(std::size_t copy, std::uint64_t number, std::uint64_t now_ns) {
        if (!due_) {
            due_ = number;
            last_ns_ = {now_ns, now_ns};
        }
        hear(copy, number, now_ns);
        if (number >= *due_ && !waiting_.contains(number)) {
            while (number - *due_ >= settings_.window_packets)
                give_up(number);
            const bool opens_hole = waiting_.empty();
            waiting_.emplace(number, now_ns);
            if (opens_hole) since_ns_ = now_ns;
            deliver();
        }
        while (!waiting_.empty() && (now_ns > since_ns_ + settings_.window_ns || all_lines_passed()))
            give_up(waiting_.begin()->first);
    }

    void finish() {
        while (!waiting_.empty())
            give_up(waiting_.begin()->first);
    }

    std::vector<Delivery> log;

private:
    void hear(std::size_t copy, std::uint64_t number, std::uint64_t now_ns) {
        heard_[copy].insert(number);
        last_ns_[copy] = now_ns;
        is_silent_[copy] = false;
        const std::size_t other = 1 - copy;
        if (settings_.line_count == 2 && now_ns > last_ns_[other] + settings_.line_silence_ns)
            is_silent_[other] = true;
    }

    /// Each line is silent, or brought more than reorder_packets numbers behind the hole.
    [[nodiscard]] bool all_lines_passed() const {
        const std::uint64_t behind = waiting_.begin()->first;
        for (std::size_t copy = 0; copy < settings_.line_count; ++copy) {
            const std::set<std::uint64_t>& heard = heard_[copy];
            const auto passed = std::distance(heard.lower_bound(behind), heard.end());
            if (!is_silent_[copy] && static_cast<std::uint64_t>(passed) <= settings_.reorder_packets)
                return false;
        }
        return true;
    }

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

    Settings settings_;
    std::array<std::set<std::uint64_t>, 2> heard_;
    std::array<std::uint64_t, 2> last_ns_{};
    std::array<bool, 2> is_silent_{};
    std::optional<std::uint64_t> due_;
    std::map<std::uint64_t, std::uint64_t> waiting_;  // number → when it came
    std::uint64_t since_ns_ = 0;
};

}  // namespace tickpath::test
