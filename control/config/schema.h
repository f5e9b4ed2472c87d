// The elements of configuration files: which attributes each has, with type, range and default. Cold.
#pragma once

#include "control/config/config.h"
#include "control/config/fields.h"

namespace tickpath::config {

void visit(Fields& fields, port::PortSettings& port);
void visit(Fields& fields, FeedSettings& feed);
void visit(Fields& fields, FeedLine& line);
void visit(Fields& fields, InstrumentSettings& instruments);
/// <workers>: its attributes belong to the worker settings and to the limits of each receive worker.
void visit_workers(Fields& fields, RunConfig& config);
void visit(Fields& fields, ReceiveWorker& worker);
void visit_trade_worker(Fields& fields, WorkerSettings& workers);
void visit(Fields& fields, TradeElement& trade);
/// The name only: the other attributes are the strategy's own, see trade::SettingsReader.
void visit(Fields& fields, trade::StrategySettings& strategy);
void visit(Fields& fields, trade::RiskSettings& risk);
void visit(Fields& fields, OrderSessionSettings& session);
void visit_report(Fields& fields, RunConfig& config);
void visit(Fields& fields, ExchangeConfig& exchange);
void visit(Fields& fields, ExchangeSession& session);

/// "always" is 1, "never" 0, "every:N" N from 1 on.
[[nodiscard]] std::optional<std::uint32_t> parse_fill(std::string_view text);

/// One attribute as the reference has to describe it.
struct KnownAttribute {
    std::string element;  ///< "port", "feed/line", "workers/receive"
    std::string name;
    std::string type;  ///< "1 to 16", "yes or no", "laptop, hugepages, nic", "text", "path", "decimal"
    std::string default_value;  ///< as written in a file; empty when there is none
    bool is_required = false;
};

/// Every attribute of both kinds of file, in the order of the reference.
[[nodiscard]] std::vector<KnownAttribute> known_attributes();

}  // namespace tickpath::config
