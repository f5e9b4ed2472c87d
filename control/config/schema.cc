#include "control/config/schema.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "dataplane/trade/trade_report.h"
#include "decoders/net/multicast_group.h"

namespace tickpath::config {
namespace {

constexpr std::int64_t u16_max = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t cpu_max = 1023;
constexpr std::int64_t minute_us = 60'000'000;

constexpr std::array<std::string_view, 3> modes = {"laptop", "hugepages", "nic"};
constexpr auto roles = std::to_array<Choice<framing::Role>>(
    {{"incremental", framing::Role::incremental}, {"snapshot", framing::Role::snapshot}});
constexpr auto copies =
    std::to_array<Choice<framing::Copy>>({{"A", framing::Copy::a}, {"B", framing::Copy::b}});
constexpr auto layouts =
    std::to_array<Choice<Layout>>({{"inline", Layout::one_core}, {"split", Layout::split}});
constexpr auto interests = std::to_array<Choice<std::optional<framing::Interest>>>(
    {{"feed", std::nullopt}, {"all", framing::Interest::all}, {"known", framing::Interest::known}});
constexpr auto idle_policies =
    std::to_array<Choice<std::optional<core::IdlePolicy>>>({{"auto", std::nullopt},
                                                            {"spin", core::IdlePolicy::spin},
                                                            {"yield", core::IdlePolicy::yield},
                                                            {"sleep", core::IdlePolicy::sleep}});
constexpr auto decision_points =
    std::to_array<Choice<trade::DecideAt>>({{"message", trade::DecideAt::message},
                                            {"packet", trade::DecideAt::packet},
                                            {"entry", trade::DecideAt::entry}});
constexpr auto trade_conditions = std::to_array<Choice<trade::TradeWhen>>(
    {{"valid", trade::TradeWhen::valid}, {"any", trade::TradeWhen::any}});
constexpr auto order_links = std::to_array<Choice<OrderLinkKind>>(
    {{"kernel", OrderLinkKind::kernel}, {"shadow", OrderLinkKind::shadow}, {"none", OrderLinkKind::none}});

bool is_device(std::string_view text, std::string& why_not) {
    return port::parse_device(text, why_not).has_value();
}

bool is_pace(std::string_view text, std::string& why_not) {
    return port::parse_pace(text, why_not).has_value();
}

bool is_group(std::string_view text, std::string& why_not) {
    return net::parse_group(text, why_not).has_value();
}

// CompIDs stand in a FIX header and in file names of the store.
bool is_comp_id(std::string_view text, std::string& why_not) {
    for (const char c : text)
        if (c <= ' ' || c > '~' || c == '/') {
            why_not = "a CompID is printable ASCII without blanks and slashes";
            return false;
        }
    if (text.empty() || text.size() > 32) {
        why_not = "a CompID has 1 to 32 characters";
        return false;
    }
    return true;
}

// Whether it resolves is for the start, which may wait for a name server.
bool is_host(std::string_view text, std::string& why_not) {
    constexpr std::size_t host_chars_max = 253;  // RFC 1035
    const bool has_good_chars = std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '.';
    });
    const bool is_good = has_good_chars && !text.empty() && text.size() <= host_chars_max &&
                         !text.starts_with('-') && !text.starts_with('.') &&
                         text.find("..") == std::string_view::npos;
    if (!is_good) why_not = "\"" + std::string(text) + "\" is neither an IPv4 address nor a host name";
    return is_good;
}

bool is_fill(std::string_view text, std::string& why_not) {
    if (parse_fill(text)) return true;
    why_not = "\"" + std::string(text) + "\" is not always, never or every:N with N from 1";
    return false;
}

std::string fill_text(std::uint32_t every) {
    if (every == 0) return "never";
    return every == 1 ? "always" : "every:" + std::to_string(every);
}

}  // namespace

std::optional<std::uint32_t> parse_fill(std::string_view text) {
    if (text == "always") return 1;
    if (text == "never") return 0;
    constexpr std::string_view prefix = "every:";
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    std::uint32_t every = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), every);
    if (failure != std::errc() || end != text.data() + text.size() || every == 0) return std::nullopt;
    return every;
}

void visit(Fields& fields, port::PortSettings& port) {
    fields.text("name", port.name, Need::required);
    fields.word("mode", port.mode, modes);
    fields.form("device", port.device, Need::required,
                "pcap:FILE, af_packet:IF, af_xdp:IF, ring, null or a PCI address", is_device);
    fields.form("pace", port.pace, Need::optional, "capture, xN or max", is_pace);
    fields.number("queue_count", port.queue_count, {.min = 1, .max = port::queues_max, .unit = "queues"});
    fields.number("descriptors", port.descriptors, {.min = 64, .max = 32'768, .unit = "frames"});
    fields.number("frames_max", port.frames_max, {.min = 255, .max = 1'048'575, .unit = "frames"});
    fields.number("ring_frames", port.ring_frames, {.min = 64, .max = 1'048'576, .unit = "frames"});
    fields.number("replay_times_max", port.replay_times_max,
                  {.min = 0, .max = 1'000'000'000, .unit = "frames"});
    fields.yes_no("check_checksum", port.check_checksum);
    fields.text("eal_extra", port.eal_extra);
}

void visit(Fields& fields, FeedSettings& feed) {
    fields.text("preset", feed.preset);
    fields.path("description", feed.description);
    fields.path("templates", feed.templates);
    fields.text("port", feed.port);
    fields.number("window_packets", feed.window_packets,
                  {.min = 2, .max = 1'048'576, .unit = "packets", .is_power_of_two = true});
    fields.number("window_us", feed.window_us, {.min = 1, .max = minute_us, .unit = "us"});
    fields.number("line_silence_ms", feed.line_silence_ms, {.min = 1, .max = 3'600'000, .unit = "ms"});
    fields.choice("interest", feed.interest, interests);
}

void visit(Fields& fields, FeedLine& line) {
    fields.text("channel", line.channel, Need::required);
    fields.choice("role", line.role, roles);
    fields.choice("copy", line.copy, copies);
    fields.form("group", line.group, Need::optional, "ADDRESS:PORT", is_group);
    fields.text("port", line.port);
}

void visit(Fields& fields, InstrumentSettings& instruments) {
    fields.path("file", instruments.file);
    fields.number("learned_max", instruments.learned_max,
                  {.min = 0, .max = 1'048'576, .unit = "instruments"});
}

void visit_workers(Fields& fields, RunConfig& config) {
    WorkerSettings& workers = config.workers;
    fields.choice("layout", workers.layout, layouts);
    fields.choice("idle", workers.idle, idle_policies);
    fields.number("tick_ring_slots", workers.tick_ring_slots,
                  {.min = 64, .max = 16'777'216, .unit = "ticks", .is_power_of_two = true});
    fields.number("queued_ticks_max", config.feed_limits.queued_ticks_max,
                  {.min = 16, .max = 16'777'216, .unit = "ticks"});
    fields.number("snapshot_ticks_max", config.feed_limits.snapshot_ticks_max,
                  {.min = 16, .max = 16'777'216, .unit = "ticks"});
}

void visit(Fields& fields, ReceiveWorker& worker) {
    fields.text("name", worker.name, Need::required);
    fields.number("cpu", worker.cpu, {.min = -1, .max = cpu_max});
    fields.words("ports", worker.ports, Need::required);
}

void visit_trade_worker(Fields& fields, WorkerSettings& workers) {
    fields.number("cpu", workers.trade_cpu, {.min = -1, .max = cpu_max});
}

void visit(Fields& fields, TradeElement& trade) {
    trade::TradeSettings& settings = trade.settings;
    fields.yes_no("armed", settings.may_trade.armed);
    fields.choice("order_link", trade.order_link, order_links);
    fields.choice("decide", settings.decide, decision_points);
    fields.choice("trade_when", settings.may_trade.trade_when, trade_conditions);
    fields.number("max_tick_age_us", settings.may_trade.max_tick_age_us, {.max = minute_us, .unit = "us"});
    fields.number("warm_interval_us", settings.warm_interval_us, {.max = minute_us, .unit = "us"});
    fields.number("open_orders_max", settings.open_orders_max,
                  {.min = 1, .max = 1'048'576, .unit = "orders"});
    fields.number("book_levels_max", settings.books.levels_max, {.min = 2, .max = 4'096, .unit = "levels"});
    fields.number("book_orders_max", settings.books.orders_max,
                  {.min = 1, .max = 16'777'216, .unit = "orders"});
    fields.path("order_template", trade.order_template);
}

void visit(Fields& fields, trade::StrategySettings& strategy) {
    fields.text("name", strategy.name, Need::required);
}

void visit(Fields& fields, trade::RiskSettings& risk) {
    fields.decimal("order_quantity_max", risk.order_quantity_max, "units");
    fields.decimal("price_band_percent", risk.price_band_percent, "%");
    fields.number("orders_per_second", risk.orders_per_second, {.max = 10'000'000, .unit = "orders"});
    fields.number("order_burst", risk.order_burst, {.max = 1'000'000, .unit = "orders"});
    fields.decimal("position_gross_max", risk.position_gross_max, "units");
    fields.decimal("position_net_max", risk.position_net_max, "units");
    fields.decimal("notional_max", risk.notional_max, "money");
    fields.number("rejects_max", risk.rejects_max, {.max = 1'000'000, .unit = "orders"});
}

void visit(Fields& fields, OrderSessionSettings& session) {
    constexpr std::int64_t hour_ms = 3'600'000;
    session::SessionSettings& settings = session.settings;
    fields.form("sender", settings.sender, Need::required, "CompID", is_comp_id);
    fields.form("target", settings.target, Need::required, "CompID", is_comp_id);
    fields.form("host", session.host, Need::optional, "IPv4 address or name", is_host);
    fields.number("port", session.port, {.min = 1, .max = u16_max}, Need::required);
    fields.path("store", session.store, Need::required);
    fields.number("heartbeat_s", settings.heartbeat_s, {.min = 1, .max = 3'600, .unit = "s"});
    fields.yes_no("reset_on_logon", settings.reset_on_logon);
    fields.yes_no("check_latency", settings.check_latency);
    fields.number("latency_max_s", settings.latency_max_s, {.min = 1, .max = 86'400, .unit = "s"});
    fields.number("logon_timeout_ms", settings.logon_timeout_ms, {.min = 1, .max = hour_ms, .unit = "ms"});
    fields.number("logout_timeout_ms", settings.logout_timeout_ms, {.min = 1, .max = hour_ms, .unit = "ms"});
    fields.number("connect_timeout_ms", session.link.connect_timeout_ms,
                  {.min = 1, .max = hour_ms, .unit = "ms"});
    fields.number("reconnect_ms_first", session.link.reconnect_ms_first,
                  {.min = 1, .max = hour_ms, .unit = "ms"});
    fields.number("reconnect_ms_max", session.link.reconnect_ms_max,
                  {.min = 1, .max = hour_ms, .unit = "ms"});
}

void visit_report(Fields& fields, RunConfig& config) {
    fields.path("counters", config.report.counters);
    fields.number("slowest", config.trade.settings.slowest_count,
                  {.max = trade::SlowestOrders::count_max, .unit = "events"});
    fields.number("holes", config.feed_limits.holes_kept, {.max = 1'048'576, .unit = "holes"});
}

void visit(Fields& fields, ExchangeConfig& exchange) {
    fields.form("host", exchange.host, Need::optional, "IPv4 address or name", is_host);
    fields.number("port", exchange.port, {.min = 0, .max = u16_max});
    std::string fill = fill_text(exchange.fill_every);
    fields.form("fill", fill, Need::optional, "always, never or every:N", is_fill);
    exchange.fill_every = parse_fill(fill).value_or(exchange.fill_every);
    fields.path("store", exchange.store, Need::required);
}

void visit(Fields& fields, ExchangeSession& session) {
    fields.form("sender", session.sender, Need::required, "CompID", is_comp_id);
    fields.form("target", session.target, Need::required, "CompID", is_comp_id);
}

}  // namespace tickpath::config
