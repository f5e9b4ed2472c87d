// What a run has to say about itself at one moment: plain values that the launcher collects from the stages
// and latency_report.h prints. Cold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/core/histogram.h"
#include "dataplane/model/timestamp.h"
#include "dataplane/port/multicast_filter.h"
#include "dataplane/port/port_capabilities.h"
#include "decoders/base/error.h"

namespace tickpath::stats {

/// The main flow, first to last. Each number is counted where it arises, so neighbours may differ: what was
/// lost between two of them stands under its cause.
struct Totals {
    std::uint64_t frames = 0;    ///< delivered by the ports
    std::uint64_t messages = 0;  ///< decoded
    std::uint64_t ticks = 0;     ///< handed to the trade side
    std::uint64_t events = 0;    ///< shown to the strategy
    std::uint64_t orders = 0;    ///< taken by the order link, or in shadow mode ready for it
    std::uint64_t fills = 0;     ///< reported by the counterparty
};

/// One counter by its full name, "owner.cause".
struct CounterValue {
    std::string name;
    std::uint64_t value = 0;
};

/// Five-number summary of a histogram; the unit is the histogram's, nanoseconds in all reports.
struct Summary {
    std::uint64_t count = 0;
    std::uint64_t min = 0;
    std::uint64_t p50 = 0;
    std::uint64_t p90 = 0;
    std::uint64_t p99 = 0;
    std::uint64_t p999 = 0;  ///< 99.9 %
    std::uint64_t max = 0;
};

/// One feed line of one channel: how it did against its twin.
struct LineReport {
    std::string channel;
    std::string line;           ///< "A", "B", "snapshot A", "snapshot B"
    std::string port;           ///< where it arrives
    std::uint64_t packets = 0;  ///< with a usable packet number
    std::uint64_t wins = 0;     ///< first to deliver a number
    std::uint64_t twins = 0;    ///< delivered after the other line had, dropped before decoding
    std::uint64_t late = 0;     ///< delivered after the number had been given up, dropped
    std::uint64_t losses = 0;   ///< numbers within its range that this line never delivered
    bool is_silent = false;     ///< heard nothing of for a while, but its twin
    Summary lead_ns;            ///< how much earlier than the twin, over its wins that have a twin
};

/// One span of the way from frame to order.
struct LatencyReport {
    std::string span;                                     ///< "receive to decoded", "tick to order"
    model::TimeDomain from = model::TimeDomain::cycles;   ///< the clock of the earlier stamp
    model::TimeDomain until = model::TimeDomain::cycles;  ///< the clock of the later stamp
    Summary ns;
};

/// One of the slowest events, with all that finds it again in a capture, in the tick file and at the
/// counterparty.
struct SlowEvent {
    std::uint64_t tick_to_order_ns = 0;
    std::string channel;
    std::string line;
    std::uint32_t packet_sequence = 0;
    std::uint32_t message_index = 0;
    std::uint64_t frame_number = 0;
    std::string instrument;   ///< feed key
    std::string cl_ord_id;    ///< empty when no order left
    std::uint64_t at_ns = 0;  ///< receive stamp, in `domain`
    model::TimeDomain domain = model::TimeDomain::none;
};

/// Packet numbers of a channel that neither line delivered within the window.
struct Hole {
    std::string channel;
    bool is_snapshot = false;  ///< in the snapshot stream: no book suffers
    std::uint64_t first_missing = 0;
    std::uint64_t count = 0;
    std::uint64_t at_ns = 0;  ///< when it was declared, in `domain`
    model::TimeDomain domain = model::TimeDomain::none;
};

/// Books of one channel that were met so far.
struct BookReport {
    std::string channel;
    std::uint32_t valid = 0;
    std::uint32_t invalid = 0;
};

/// Where a receive worker last failed to decode a message; how often stands under its cause.
struct DecodeFailure {
    std::string channel;
    std::string line;  ///< as LineReport::line
    std::uint64_t packet_number = 0;
    std::uint64_t frame_number = 0;
    Errc error = Errc::ok;
    std::uint32_t template_id = 0;  ///< 0 when not even that could be read
    std::uint32_t offset = 0;       ///< from the first byte of the UDP payload
};

/// A statistic by the name its driver gives it: "rx_missed_errors".
struct DeviceStat {
    std::string name;
    std::uint64_t value = 0;

    /// It counts frames that the device or its ring lost, as far as its name tells.
    [[nodiscard]] bool is_loss() const noexcept;
};

/// A port as its device tells it. The counts are the device's own and no measure of loss: af_packet and
/// af_xdp leave `missed` at 0 while frames are lost (spec/dataplane.md §4, duty 6).
struct PortReport {
    std::string name;
    std::string device;
    std::string driver;
    bool is_link_up = false;
    std::uint32_t link_speed_mbps = 0;  ///< 0 = unknown
    bool has_frame_times = false;       ///< frames carry a better stamp than the cycle counter
    port::PortCapabilities capabilities;
    std::uint64_t frames = 0;
    std::uint64_t missed = 0;
    std::uint64_t errors = 0;
    std::uint64_t no_buffer = 0;
    std::uint16_t descriptors = 0;         ///< length of each receive ring
    port::FilterChoice filter{};           ///< what it was told to let in
    std::vector<DeviceStat> statistics{};  ///< of the driver, those that are not 0
};

/// One NSE channel: a feed whose numbers prove no loss, so that ages take their place. Ages of books and of
/// the circuit check are as of the newest datagram.
struct BroadcastReport {
    std::string channel;
    std::uint64_t books_valid = 0;
    std::uint64_t books_invalid = 0;
    std::uint64_t book_age_ns_p50 = 0;  ///< of valid books
    std::uint64_t book_age_ns_max = 0;
    std::optional<std::uint64_t>
        datagram_age_ns;  ///< since the newest datagram was received; none came: nothing
    std::optional<std::uint64_t> heartbeat_age_ns;  ///< since the newest circuit check; none came: nothing
    bool suggests_other_variant = false;            ///< most blocks fail as LZO1X and LZO1Y do
    std::vector<std::string> without_layout;        ///< "17208 of length 478: 12 messages"
};

/// How undisturbed a thread was.
struct WorkerReport {
    std::string name;
    int cpu = -1;  ///< -1: not pinned
    std::uint64_t loops = 0;
    std::uint64_t longest_loop_ns = 0;
    std::uint64_t loops_over_10us = 0;
    std::uint64_t minor_faults = 0;  ///< since the first packet; 0 on a healthy worker
    /// Since the first packet; nothing of a worker that yields, whose own yields the kernel counts as well.
    std::optional<std::uint64_t> involuntary_switches;
    std::uint64_t ring_full_waits = 0;  ///< loops in which a full ring kept it from its port
};

struct Snapshot {
    double run_seconds = 0.0;
    std::string strategy;
    std::string order_link;  ///< "kernel", "shadow", "none"
    bool is_armed = false;
    std::string session;      ///< state of the order session in a word, empty without one
    std::string kill_reason;  ///< what pulled the kill switch, empty while it is off
    Totals totals;
    std::vector<CounterValue> counters;  ///< all of them, zero or not; read_counters fills it
    std::vector<LineReport> lines;
    std::vector<LatencyReport> latencies;
    std::vector<SlowEvent> slowest;  ///< slowest first
    std::vector<Hole> holes;         ///< the first ones; `holes_total` counts also those not kept
    std::uint64_t holes_total = 0;
    std::vector<BookReport> books;               ///< of channels that have books
    std::vector<DecodeFailure> decode_failures;  ///< the last one of each receive worker that had any
    std::vector<PortReport> ports;
    std::vector<BroadcastReport> broadcasts;
    std::vector<WorkerReport> workers;
};

/// Every counter of the page in order of making.
[[nodiscard]] std::vector<CounterValue> read_counters(const core::CounterPage& page);

[[nodiscard]] Summary summarise(const core::Histogram& histogram) noexcept;

}  // namespace tickpath::stats
