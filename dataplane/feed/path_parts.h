// What the channels of one feed path share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/cycle_clock.h"
#include "dataplane/feed/decode_stage.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/feed/feed_report.h"
#include "dataplane/feed/instrument_directory.h"

namespace tickpath::feed {

/// Holes of all channels of a path, in the order they were declared. The first ones are kept, all are
/// counted.
class HoleLog {
public:
    explicit HoleLog(std::size_t kept_max) { kept_.reserve(kept_max); }

    void add(const Hole& hole) noexcept {
        ++count_;
        if (kept_.size() < kept_.capacity()) kept_.push_back(hole);
    }
    [[nodiscard]] const std::vector<Hole>& kept() const noexcept { return kept_; }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

private:
    std::vector<Hole> kept_;
    std::uint64_t count_ = 0;
};

struct PathParts {
    const FeedPlan& plan;
    core::CounterPage& page;
    std::string_view owner;
    core::CycleClock clock;
    InstrumentDirectory& directory;
    DecodeCounters& decode_counters;
    HoleLog& holes;
    core::Counter ticks;
};

}  // namespace tickpath::feed
