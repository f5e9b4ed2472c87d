// Finds the quotes and trades that orders of foreign systems answer: by instrument and price. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "control/latency/observation.h"
#include "control/latency/stamped_frames.h"
#include "control/latency/trigger_finder.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/model/instrument.h"

namespace tickpath::latency {

/// Instrument (as orders name it) and price, as keys of orders and triggers.
class ValueKeys {
public:
    /// A key for an order's instrument and price; the same for the same two.
    [[nodiscard]] std::uint64_t key_of(const std::string& instrument, Decimal price);

    /// (price, key) of all orders on instruments that go by one of these names.
    [[nodiscard]] std::vector<std::pair<Decimal, std::uint64_t>> of(std::span<const std::string> names) const;

private:
    std::map<std::string, std::vector<std::pair<Decimal, std::uint64_t>>> by_instrument_;
    std::uint64_t next_ = 0;
};

/// One capture's. Decodes the feed as a run does, so that of two lines the first copy counts.
class QuoteFinder {
public:
    /// All lines are taken to arrive at one port: a capture does not say. `known` as in a run; others are
    /// learned and go by their key in the feed, up to its '|' too.
    QuoteFinder(std::vector<feed::ChannelPlan> channels, std::span<const model::Instrument> known,
                const ValueKeys& keys, model::TimeDomain domain);
    ~QuoteFinder();
    QuoteFinder(const QuoteFinder&) = delete;
    QuoteFinder& operator=(const QuoteFinder&) = delete;

    void on_frame(const StampedFrame& frame);
    /// After the last frame; then triggers() is complete.
    void finish();

    [[nodiscard]] std::vector<Trigger>& triggers() noexcept;
    [[nodiscard]] TriggerCounts counts() const;

private:
    struct Path;
    std::unique_ptr<Path> path_;
};

}  // namespace tickpath::latency
