// Everything a person can set, as plain structs: every limit and every default stands here or in the settings
// struct of the room it belongs to. Filled by loader.h, judged by check.h. Cold.
//
// The reference for people is templates/config/README.md; schema.cc gives each member its name in the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decoders/base/decimal.h"

namespace tickpath::config {

/// Line of an element in the configuration file, for findings that are made after loading; 0 when the element
/// is not written and its defaults hold.
using FileLine = std::uint32_t;

// ----------------------------------------------------------------------------------------------------
// receive side

enum class PortMode : std::uint8_t { laptop, hugepages, nic };

/// <port>
struct PortSettings {
    std::string name;
    PortMode mode = PortMode::laptop;
    std::string device;            ///< pcap:FILE af_packet:IF af_xdp:IF ring null or a PCI address
    std::string pace = "capture";  ///< of a replay: capture, xN or max
    std::uint16_t queue_count = 1;
    std::uint32_t descriptors = 1024;  ///< per receive queue of a NIC
    std::string eal_extra;             ///< EAL arguments added to ours
    FileLine line = 0;
};

enum class LineRole : std::uint8_t { incremental, snapshot };
enum class LineCopy : std::uint8_t { a, b };

/// <line> of a <feed>: adds a line to the description, or moves one to other addresses.
struct FeedLine {
    std::string channel;
    LineRole role = LineRole::incremental;
    LineCopy copy = LineCopy::a;
    std::string group;  ///< "239.192.70.3:40003"
    std::string port;   ///< name of the port it arrives at; empty: the feed's
    FileLine line = 0;
};

/// How long a missing packet number may stay missing before its channel's books become invalid.
struct HoleWindow {
    std::uint32_t packets = 64;         ///< packets behind the missing one that may wait for it
    std::uint32_t microseconds = 2000;  ///< and how long they may wait
};

/// <feed>. Exactly one of `preset` and `description` names the feed description.
struct FeedSettings {
    std::string preset;                 ///< a description that comes with tickpath: "moex-spectra-2013"
    std::filesystem::path description;  ///< or one of your own
    std::filesystem::path templates;    ///< FAST templates; empty: the description's
    std::string port;                   ///< where its lines arrive unless they say otherwise
    HoleWindow hole_window;
    std::uint32_t snapshot_queue_packets =
        1024;  ///< incremental packets kept per channel while it waits for a snapshot
    std::vector<FeedLine> lines;
    FileLine line = 0;
};

/// <instruments>
struct InstrumentSettings {
    std::filesystem::path file;              ///< CSV of the instruments that may be traded
    std::uint32_t learned_max = 1024;        ///< instruments outside the file that are decoded and counted
    std::uint32_t book_orders_max = 65'536;  ///< orders held per order-log book
    FileLine line = 0;
};

// ---------------------------------------------------------------------------------------------------------
// threads

enum class Layout : std::uint8_t { one_core, split };  // "inline" is a keyword
enum class Idle : std::uint8_t { automatic, spin, yield, sleep };

/// <receive> of <workers>
struct ReceiveWorker {
    std::string name;
    std::int32_t cpu = -1;           ///< -1: not pinned
    std::vector<std::string> ports;  ///< names; all lines of a channel must arrive at ports of one worker
    FileLine line = 0;
};

/// <workers>
struct WorkerSettings {
    Layout layout = Layout::one_core;
    Idle idle = Idle::automatic;  ///< automatic: yield when there are as many workers as CPUs, else spin
    std::uint32_t tick_ring_slots = 65'536;  ///< between a receive and the trade worker; a power of two
    std::vector<ReceiveWorker> receivers;    ///< empty: one, not pinned, polls every port
    std::int32_t trade_cpu = -1;
    FileLine line = 0;
};

// ------------------------------------------------------------------------------------------------------
// trade side

enum class Decide : std::uint8_t { message, packet };
enum class TradeWhen : std::uint8_t { valid, any };
enum class OrderLinkKind : std::uint8_t { kernel, shadow, none };

/// <strategy>; the prices are exact decimals, brought to each instrument's scale at start.
struct StrategySettings {
    std::string name = "null";
    std::optional<Decimal> sell_at;  ///< hit-quote: sell to a bid at or above; absent: never sell
    std::optional<Decimal> buy_at;   ///< hit-quote: buy from an offer at or below; absent: never buy
    std::int64_t quantity_max = 1;   ///< cap of one order, in units
    FileLine line = 0;
};

/// <risk>; 0 switches a limit off only where that is said.
struct RiskSettings {
    std::int64_t order_quantity_max = 100;  ///< of one order, in units
    std::optional<Decimal>
        price_band_percent;  ///< largest distance from the book's mid price; absent: not checked
    std::uint32_t orders_per_second = 100;    ///< refill of the token bucket
    std::uint32_t order_burst = 100;          ///< depth of the token bucket
    std::int64_t position_gross_max = 1'000;  ///< sum over instruments of filled and open quantity, in units
    std::int64_t position_net_max = 1'000;    ///< per instrument, filled and open, in units
    std::int64_t notional_max = 10'000'000;   ///< of one order, price times quantity in currency units
    std::uint32_t rejects_max = 10;           ///< rejects from the counterparty that pull the kill switch
    FileLine line = 0;
};

/// <session> of <trade>: the order session, as initiator.
struct SessionSettings {
    std::string sender;  ///< SenderCompID (49)
    std::string target;  ///< TargetCompID (56)
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::uint32_t heartbeat_s = 30;
    bool reset_on_logon = false;
    std::filesystem::path store;  ///< folder of sequence numbers and the order counter
    FileLine line = 0;
};

/// <trade>
struct TradeSettings {
    bool is_armed = false;
    Decide decide = Decide::message;
    TradeWhen trade_when = TradeWhen::valid;
    std::uint32_t max_tick_age_us = 1'000;
    std::uint32_t warm_interval_us = 1'000;  ///< 0: the path is not kept warm
    OrderLinkKind order_link = OrderLinkKind::kernel;
    StrategySettings strategy;
    RiskSettings risk;
    std::optional<SessionSettings> session;
    FileLine line = 0;
};

// ----------------------------------------------------------------------------------------------------------
// report

/// <report>
struct ReportSettings {
    std::filesystem::path
        counters;  ///< mapped file of counters, readable while the process runs and after; empty: none
    std::uint32_t slowest = 16;  ///< slowest events kept with their identifiers
    FileLine line = 0;
};

/// <tickpath>: the configuration of `tickpath run`.
struct RunConfig {
    std::filesystem::path file;
    std::vector<PortSettings> ports;
    std::vector<FeedSettings> feeds;
    InstrumentSettings instruments;
    WorkerSettings workers;
    TradeSettings trade;
    ReportSettings report;
};

// --------------------------------------------------------------------------------------------------------
// exchange

/// fill="always|never|every:N"
struct FillRule {
    std::uint32_t every = 1;  ///< fills each order whose count divides by it; 1 always, 0 never
};

/// <session> of <exchange>
struct ExchangeSession {
    std::string sender;  ///< our SenderCompID
    std::string target;  ///< the client's
    FileLine line = 0;
};

/// <exchange>: the configuration of `tickpath exchange`.
struct ExchangeConfig {
    std::filesystem::path file;
    std::string host = "127.0.0.1";
    std::uint16_t port = 9876;
    FillRule fill;
    std::filesystem::path store;
    std::vector<ExchangeSession> sessions;
    FileLine line = 0;
};

}  // namespace tickpath::config
