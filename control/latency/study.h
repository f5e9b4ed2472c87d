// Reads captures and measures from triggers to orders: from files to numbers, in two passes. Cold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/latency/latencies.h"
#include "control/latency/match.h"
#include "control/latency/order_flow.h"
#include "control/latency/stamped_frames.h"
#include "control/latency/trigger_finder.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/model/instrument.h"

namespace tickpath::latency {

/// By what orders are joined with triggers.
enum class MatchBy : std::uint8_t {
    token,  ///< the ClOrdID names line and packet number
    value,  ///< the datagram before the order with its instrument and price
};

[[nodiscard]] constexpr std::string_view name(MatchBy by) noexcept {
    return by == MatchBy::token ? "token" : "value";
}

struct StudySettings {
    std::vector<std::string> captures;
    TrailerChoice trailers = TrailerChoice::automatic;
    MatchBy by = MatchBy::token;
    std::uint64_t window_ns = 1'000'000'000;  ///< see match()
    std::optional<double> link_gbps;          ///< speed of the feed's link, for EOT-SOF
    std::vector<feed::ChannelPlan> channels;
    std::vector<model::Instrument> known;
};

struct CaptureFacts {
    std::string file;
    StampSource source;
    FrameCounts frames;
    TriggerCounts triggers;
    std::uint64_t orders = 0;
    FlowCounts flows;
    std::uint64_t segments_passed_over = 0;
    std::string error;  ///< why it could not be read to its end; empty when it was
};

struct Study {
    MatchBy by = MatchBy::token;
    std::uint64_t window_ns = 0;
    std::optional<double> link_gbps;
    std::vector<CaptureFacts> captures;
    std::uint64_t orders = 0;  ///< each ClOrdID of a sender once
    std::uint64_t orders_warm_up =
        0;  ///< of a warm path, on the sender's loopback: caused by nothing, left out
    std::uint64_t orders_repeated = 0;  ///< further sights of the same: another capture, another segment
    Matching matching;
    // Reference points as STAC names them. The stamp of a frame is taken for its start.
    Latencies som_sof;                 ///< start of the trigger's message to start of the order's frame
    std::optional<Latencies> eot_sof;  ///< end of the trigger to start of the order's frame; may be negative

    [[nodiscard]] std::uint64_t datagrams() const noexcept;
    /// Whether a capture could not be read to its end.
    [[nodiscard]] bool is_cut() const noexcept;
};

/// Whatever can be read of the captures is used. Memory grows with the orders, not with the feed.
[[nodiscard]] Study make_study(const StudySettings& settings);

}  // namespace tickpath::latency
