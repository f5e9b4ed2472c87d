// Finds the orders of one capture in all its TCP connections. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "control/latency/observation.h"
#include "control/latency/order_flow.h"
#include "control/latency/stamped_frames.h"

namespace tickpath::latency {

class OrderFinder {
public:
    /// Directions of connections that are followed; the others are counted.
    static constexpr std::size_t flows_max = 4096;

    void on_frame(const StampedFrame& frame);
    /// After the last frame; then orders() is complete.
    void finish();

    [[nodiscard]] std::vector<Order>& orders() noexcept { return orders_; }
    [[nodiscard]] const FlowCounts& counts() const noexcept { return counts_; }
    /// Segments of directions beyond flows_max.
    [[nodiscard]] std::uint64_t segments_passed_over() const noexcept { return segments_passed_over_; }

private:
    using FlowKey = std::tuple<std::uint32_t, std::uint16_t, std::uint32_t, std::uint16_t>;

    std::map<FlowKey, OrderFlow> flows_;
    std::vector<Order> orders_;
    FlowCounts counts_;
    std::uint64_t segments_passed_over_ = 0;
};

}  // namespace tickpath::latency
