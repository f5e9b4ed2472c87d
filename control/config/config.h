// Everything a person can set, as plain structs. A limit and its default stand in the settings struct of the
// room that obeys it; what belongs to no room below stands here. Filled by loader.h, judged by check.h. Cold.
//
// The reference for people is templates/config/README.md; schema.cc gives each member its name in the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/core/cpu.h"
#include "dataplane/feed/feed_plan.h"
#include "dataplane/port/port_settings.h"
#include "dataplane/session/session_settings.h"
#include "dataplane/tcp/kernel_tcp.h"
#include "dataplane/trade/strategy.h"
#include "dataplane/trade/trade_settings.h"
#include "decoders/framing/description.h"

namespace tickpath::config {

/// Line of an element in the configuration file, for findings made after loading; 0 when the element is not
/// written and its defaults hold.
using FileLine = std::uint32_t;

/// <line> of a <feed>: adds a line to the description, or moves one to another group or port.
struct FeedLine {
    std::string channel;
    framing::Role role = framing::Role::incremental;
    framing::Copy copy = framing::Copy::a;
    std::string group;  ///< "239.192.70.3:40003"; empty: the description's
    std::string port;   ///< name of the port it arrives at; empty: the feed's
    FileLine line = 0;
};

/// <feed>. Exactly one of `preset` and `description` names the feed description.
struct FeedSettings {
    std::string preset;                 ///< a description that comes with tickpath: "moex-spectra-2013"
    std::filesystem::path description;  ///< or one of your own
    std::filesystem::path templates;    ///< FAST templates; empty: those the description names
    std::string port;  ///< where its lines arrive unless they say otherwise; empty: the only port
    // Empty: the description's, see framing::Window.
    std::optional<std::uint32_t> window_packets;
    std::optional<std::uint32_t> window_us;
    std::optional<std::uint32_t> line_silence_ms;
    std::optional<framing::Interest> interest;  ///< empty: the description's; NSE only
    std::vector<FeedLine> lines;
    FileLine line = 0;
};

/// <instruments>
struct InstrumentSettings {
    std::filesystem::path file;        ///< CSV of the instruments that may be traded; empty: none may
    std::uint32_t learned_max = 1024;  ///< instruments outside the file that are decoded and counted
    FileLine line = 0;
};

/// <receive> of <workers>
struct ReceiveWorker {
    std::string name;
    std::int32_t cpu = -1;           ///< -1: not pinned
    std::vector<std::string> ports;  ///< names; all lines of a channel must arrive at ports of one worker
    FileLine line = 0;
};

enum class Layout : std::uint8_t {
    one_core,  ///< "inline" in the file: one worker receives, decodes and trades
    split,     ///< the trade side runs on a core of its own, behind one ring per receive worker
};

/// <workers>
struct WorkerSettings {
    Layout layout = Layout::one_core;
    std::optional<core::IdlePolicy> idle;    ///< empty ("auto"): core::default_idle_policy
    std::uint32_t tick_ring_slots = 65'536;  ///< between a receive and the trade worker; a power of two
    std::vector<ReceiveWorker> receivers;    ///< empty: one, not pinned, polls every port
    std::int32_t trade_cpu = -1;             ///< of a split layout; -1: not pinned
    FileLine line = 0;
    FileLine trade_line = 0;  ///< of <trade> inside <workers>
};

enum class OrderLinkKind : std::uint8_t {
    kernel,  ///< FIX over the kernel's TCP
    shadow,  ///< everything but the send; needs no session
    none,    ///< no trade side at all: ticks are decoded, counted and written
};

/// <session> of <trade>: the order session, as initiator.
struct OrderSessionSettings {
    session::SessionSettings settings;  ///< role initiator
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    tcp::KernelTcpSettings link;
    std::filesystem::path store;  ///< folder of sequence numbers and the order counter
    FileLine line = 0;
};

/// <trade>
struct TradeElement {
    trade::TradeSettings settings;
    OrderLinkKind order_link = OrderLinkKind::kernel;  ///< without a <trade> element: none
    trade::StrategySettings strategy{.name = "null", .values = {}, .file = {}, .line = 0};
    std::optional<OrderSessionSettings> session;
    std::filesystem::path order_template;  ///< templates/orders/*.xml; empty: fix::default_order_template
    FileLine line = 0;
    bool is_whole = true;  ///< false: an attribute of its own is not what the file says, see loader.h
};

/// <report>; how many slow events and holes are kept is said to the rooms that keep them.
struct ReportSettings {
    std::filesystem::path counters;  ///< mapped file, readable while the process runs and after; empty: none
    FileLine line = 0;
};

/// <tickpath>: the configuration of `tickpath run`.
struct RunConfig {
    std::filesystem::path file;
    std::vector<port::PortSettings> ports;
    std::vector<FeedSettings> feeds;
    feed::FeedLimits feed_limits;  ///< of each receive worker; attributes of <workers> and <report>
    InstrumentSettings instruments;
    WorkerSettings workers;
    TradeElement trade;
    ReportSettings report;
    /// False when <port>, <feed> or <workers> are not what the file says: what follows from all three
    /// together cannot be judged.
    bool is_topology_whole = true;
};

/// <session> of <exchange>: a client that may log on.
struct ExchangeSession {
    std::string sender;  ///< our SenderCompID
    std::string target;  ///< the client's
    FileLine line = 0;
};

/// <exchange>: the configuration of `tickpath exchange`.
struct ExchangeConfig {
    std::filesystem::path file;
    std::string host = "127.0.0.1";
    std::uint16_t port = 9876;     ///< 0: the system chooses and the command says which
    std::uint32_t fill_every = 1;  ///< fills order number N, 2N, …: 1 always, 0 never; others are cancelled
    std::filesystem::path store;   ///< folder of sequence numbers
    std::vector<ExchangeSession> sessions;
    FileLine line = 0;
};

}  // namespace tickpath::config
