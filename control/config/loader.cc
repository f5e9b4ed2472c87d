#include "control/config/loader.h"

#include <algorithm>
#include <utility>

#include "control/config/attribute_reader.h"
#include "control/config/document.h"
#include "control/config/schema.h"
#include "decoders/base/whole_file.h"

namespace tickpath::config {
namespace {

using Node = pugi::xml_node;
using Names = std::vector<std::string_view>;

/// Reads elements of one document into settings structs.
class ElementReader {
public:
    ElementReader(Document& document, const std::filesystem::path& file)
        : document_(document), folder_(file.parent_path()) {}

    template <class Settings>
    void read(const Node& node, Settings& settings) {
        read_with(node, [&](Fields& fields) { visit(fields, settings); });
    }

    template <class Visit>
    void read_with(const Node& node, const Visit& visit_fields) {
        AttributeReader fields(document_, node, folder_);
        visit_fields(fields);
        fields.finish();
    }

    /// As read, but what the schema does not know is returned instead of refused.
    template <class Settings>
    [[nodiscard]] std::vector<AttributeReader::Rest> read_known(const Node& node, Settings& settings) {
        AttributeReader fields(document_, node, folder_);
        visit(fields, settings);
        return fields.rest();
    }

    [[nodiscard]] std::vector<Node> children(const Node& node, const Names& known) {
        return document_.children(node, known);
    }
    void no_children(const Node& node) { static_cast<void>(document_.children(node, {})); }
    [[nodiscard]] FileLine line_of(const Node& node) const { return document_.line_of(node); }
    void error(const Node& node, std::string text) { document_.error(line_of(node), std::move(text)); }
    /// Whether `read_something()` finds nothing wrong.
    template <class Read>
    [[nodiscard]] bool finds_nothing_wrong(const Read& read_something) {
        const std::size_t before = document_.error_count();
        read_something();
        return document_.error_count() == before;
    }
    /// An element that may stand once only: false, with a finding, the second time. `line` is where it was
    /// first.
    [[nodiscard]] bool is_first(const Node& node, FileLine& line);
    [[nodiscard]] const std::string& file() const noexcept { return document_.file(); }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

private:
    Document& document_;
    std::filesystem::path folder_;
};

bool ElementReader::is_first(const Node& node, FileLine& line) {
    if (line != 0) {
        error(node, "<" + std::string(node.name()) + "> stands twice, first in line " + std::to_string(line));
        return false;
    }
    line = line_of(node);
    return true;
}

// A device names its capture by path, which counts from the configuration file like every other path.
void resolve_capture(port::PortSettings& port, const std::filesystem::path& folder) {
    std::string why_not;
    const std::optional<port::Device> device = port::parse_device(port.device, why_not);
    if (device && device->kind == port::DeviceKind::pcap)
        port.device = "pcap:" + (folder / device->argument).lexically_normal().string();
}

void read_port(ElementReader& reader, const Node& node, RunConfig& config) {
    port::PortSettings port;
    port.config_file = reader.file();
    port.config_line = reader.line_of(node);
    reader.read(node, port);
    reader.no_children(node);
    resolve_capture(port, reader.folder());
    for (const port::PortSettings& other : config.ports)
        if (!port.name.empty() && other.name == port.name)
            reader.error(node, "port \"" + port.name + "\" stands twice, first in line " +
                                   std::to_string(other.config_line));
    config.ports.push_back(std::move(port));
}

void read_feed_line(ElementReader& reader, const Node& node, FeedSettings& feed) {
    FeedLine line;
    line.line = reader.line_of(node);
    reader.read(node, line);
    reader.no_children(node);
    for (const FeedLine& other : feed.lines)
        if (other.channel == line.channel && other.role == line.role && other.copy == line.copy)
            reader.error(node, "this line of channel \"" + line.channel + "\" stands twice, first in line " +
                                   std::to_string(other.line));
    feed.lines.push_back(std::move(line));
}

void read_feed(ElementReader& reader, const Node& node, RunConfig& config) {
    FeedSettings feed;
    feed.line = reader.line_of(node);
    reader.read(node, feed);
    if (feed.preset.empty() == feed.description.empty())
        reader.error(node, "<feed> needs either preset or description, not both");
    for (const Node& line : reader.children(node, {"line"}))
        read_feed_line(reader, line, feed);
    config.feeds.push_back(std::move(feed));
}

void read_instruments(ElementReader& reader, const Node& node, RunConfig& config) {
    if (!reader.is_first(node, config.instruments.line)) return;
    reader.read(node, config.instruments);
    reader.no_children(node);
}

void read_receiver(ElementReader& reader, const Node& node, WorkerSettings& workers) {
    ReceiveWorker receiver;
    receiver.line = reader.line_of(node);
    reader.read(node, receiver);
    reader.no_children(node);
    for (const ReceiveWorker& other : workers.receivers)
        if (!receiver.name.empty() && other.name == receiver.name)
            reader.error(node, "worker \"" + receiver.name + "\" stands twice, first in line " +
                                   std::to_string(other.line));
    workers.receivers.push_back(std::move(receiver));
}

void read_workers(ElementReader& reader, const Node& node, RunConfig& config) {
    WorkerSettings& workers = config.workers;
    if (!reader.is_first(node, workers.line)) return;
    reader.read_with(node, [&](Fields& fields) { visit_workers(fields, config); });
    for (const Node& child : reader.children(node, {"receive", "trade"})) {
        if (std::string_view(child.name()) == "receive") {
            read_receiver(reader, child, workers);
        } else if (reader.is_first(child, workers.trade_line)) {
            reader.read_with(child, [&](Fields& fields) { visit_trade_worker(fields, workers); });
            reader.no_children(child);
        }
    }
}

// A strategy may live outside the tree: its attributes are kept as text, and the strategy judges them.
void read_strategy(ElementReader& reader, const Node& node, trade::StrategySettings& strategy) {
    if (!reader.is_first(node, strategy.line)) return;
    strategy.file = reader.file();
    strategy.name.clear();  // the default is for a configuration without the element
    for (AttributeReader::Rest& value : reader.read_known(node, strategy))
        strategy.values.push_back(
            {.key = std::move(value.name), .text = std::move(value.text), .line = value.line});
    reader.no_children(node);
}

void read_risk(ElementReader& reader, const Node& node, TradeElement& trade) {
    if (!reader.is_first(node, trade.settings.risk.line)) return;
    reader.read(node, trade.settings.risk);
    reader.no_children(node);
}

void read_order_session(ElementReader& reader, const Node& node, TradeElement& trade) {
    FileLine first = trade.session ? trade.session->line : 0;
    if (!reader.is_first(node, first)) return;
    trade.session.emplace();
    trade.session->line = first;
    reader.read(node, *trade.session);
    reader.no_children(node);
}

void read_trade(ElementReader& reader, const Node& node, RunConfig& config) {
    TradeElement& trade = config.trade;
    if (!reader.is_first(node, trade.line)) return;
    trade.is_whole = reader.finds_nothing_wrong([&] { reader.read(node, trade); });
    for (const Node& child : reader.children(node, {"strategy", "risk", "session"})) {
        const std::string_view name = child.name();
        if (name == "strategy") read_strategy(reader, child, trade.strategy);
        if (name == "risk") read_risk(reader, child, trade);
        if (name == "session") read_order_session(reader, child, trade);
    }
    if (trade.order_link == OrderLinkKind::shadow) trade.settings.order_mode = trade::OrderMode::shadow;
}

void read_report(ElementReader& reader, const Node& node, RunConfig& config) {
    if (!reader.is_first(node, config.report.line)) return;
    reader.read_with(node, [&](Fields& fields) { visit_report(fields, config); });
    reader.no_children(node);
}

void read_run(ElementReader& reader, const Node& root, RunConfig& config) {
    reader.read_with(root, [](Fields&) {});
    for (const Node& child :
         reader.children(root, {"port", "feed", "instruments", "workers", "trade", "report"})) {
        const std::string_view name = child.name();
        config.is_topology_whole &= reader.finds_nothing_wrong([&] {
            if (name == "port") read_port(reader, child, config);
            if (name == "feed") read_feed(reader, child, config);
            if (name == "workers") read_workers(reader, child, config);
        });
        if (name == "instruments") read_instruments(reader, child, config);
        if (name == "trade") read_trade(reader, child, config);
        if (name == "report") read_report(reader, child, config);
    }
    if (config.trade.line == 0) config.trade.order_link = OrderLinkKind::none;
    config.is_topology_whole &= reader.finds_nothing_wrong([&] {
        if (config.ports.empty()) reader.error(root, "no <port>: nothing would be received");
        if (config.feeds.empty()) reader.error(root, "no <feed>: every frame would be of an unknown group");
    });
}

void read_client(ElementReader& reader, const Node& node, ExchangeConfig& config) {
    ExchangeSession session;
    session.line = reader.line_of(node);
    reader.read(node, session);
    reader.no_children(node);
    for (const ExchangeSession& other : config.sessions)
        if (other.sender == session.sender && other.target == session.target)
            reader.error(node, "session " + session.sender + " to " + session.target +
                                   " stands twice, first in line " + std::to_string(other.line));
    config.sessions.push_back(std::move(session));
}

void read_exchange(ElementReader& reader, const Node& root, ExchangeConfig& config) {
    config.line = reader.line_of(root);
    reader.read(root, config);
    for (const Node& child : reader.children(root, {"session"}))
        read_client(reader, child, config);
    if (config.sessions.empty()) reader.error(root, "no <session>: nobody could log on");
}

/// The file's text; a finding and nullopt when it cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& file, Diagnostics& diagnostics) {
    FileContent content = read_whole_file(file, file_bytes_max);
    if (content) return std::move(content.bytes);
    diagnostics.error(file.string(), 0, content.why, content.error);
    return std::nullopt;
}

template <class Config, class Read>
std::optional<Config> parse(std::string_view xml, const std::filesystem::path& file,
                            std::string_view root_name, Diagnostics& diagnostics, const Read& read) {
    // Findings of this file only: the caller's may hold others.
    Diagnostics found;
    std::optional<Config> config;
    Document document(xml, file.string(), found);
    if (const Node root = document.parse(root_name); !root.empty()) {
        config.emplace();
        config->file = file;
        ElementReader reader(document, file);
        read(reader, root, *config);
    }
    std::vector<Diagnostic> by_line = found.all();
    std::ranges::stable_sort(by_line, {}, &Diagnostic::line);
    for (Diagnostic& diagnostic : by_line)
        diagnostics.add(std::move(diagnostic));
    return config;
}

}  // namespace

std::optional<RunConfig> parse_run(std::string_view xml, const std::filesystem::path& file,
                                   Diagnostics& diagnostics) {
    return parse<RunConfig>(xml, file, "tickpath", diagnostics, read_run);
}

std::optional<ExchangeConfig> parse_exchange(std::string_view xml, const std::filesystem::path& file,
                                             Diagnostics& diagnostics) {
    return parse<ExchangeConfig>(xml, file, "exchange", diagnostics, read_exchange);
}

std::optional<RunConfig> load_run(const std::filesystem::path& file, Diagnostics& diagnostics) {
    const std::optional<std::string> text = read_text(file, diagnostics);
    return text ? parse_run(*text, file, diagnostics) : std::nullopt;
}

std::optional<ExchangeConfig> load_exchange(const std::filesystem::path& file, Diagnostics& diagnostics) {
    const std::optional<std::string> text = read_text(file, diagnostics);
    return text ? parse_exchange(*text, file, diagnostics) : std::nullopt;
}

}  // namespace tickpath::config
