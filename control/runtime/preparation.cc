#include "control/runtime/preparation.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "control/config/loader.h"
#include "control/runtime/feeds.h"
#include "dataplane/trade/exposure.h"
#include "dataplane/trade/order_gateway.h"
#include "dataplane/trade/risk_limits.h"

namespace tickpath::runtime {
namespace {

std::unique_ptr<ReadyStrategy> make_strategy(const config::RunConfig& config,
                                             std::span<const model::Instrument> instruments,
                                             std::span<const StrategyEntry> strategies,
                                             Diagnostics& diagnostics) {
    const trade::StrategySettings& wanted = config.trade.strategy;
    if (wanted.name.empty()) return nullptr;  // the loader has said so
    const auto entry = std::ranges::find(strategies, std::string_view(wanted.name), &StrategyEntry::name);
    if (entry != strategies.end()) return entry->make(wanted, instruments, diagnostics);
    std::vector<std::string_view> names;
    for (const StrategyEntry& known : strategies)
        names.push_back(known.name);
    const std::string_view near = nearest_spelling(wanted.name, names);
    diagnostics.error(config.file.string(), wanted.line,
                      "there is no strategy \"" + wanted.name + "\" in this program" +
                          (near.empty() ? "" : ", did you mean \"" + std::string(near) + "\"?"));
    return nullptr;
}

/// What a trade stage would refuse, found without one.
void judge_trade(const config::RunConfig& config, const config::CheckedRun& checked,
                 Diagnostics& diagnostics) {
    const std::string file = config.file.string();
    const trade::ExposureTable exposure(checked.instruments);
    (void)trade::risk_limits(config.trade.settings.risk, checked.instruments, exposure, file, diagnostics);
    (void)trade::PreparedOrders(checked.order_template, {}, checked.instruments, file,
                                config.instruments.line, diagnostics);
}

/// Ports that check() found nothing wrong with: what it has said of the others would be said twice.
std::vector<port::PortSettings> unreported_ports(const config::RunConfig& config,
                                                 std::span<const Diagnostic> of_check) {
    std::vector<port::PortSettings> ports;
    for (const port::PortSettings& port : config.ports) {
        const bool is_reported = std::ranges::any_of(of_check, [&](const Diagnostic& finding) {
            return finding.severity == Severity::error && finding.file == port.config_file &&
                   finding.line == port.config_line;
        });
        if (!is_reported && !port.device.empty()) ports.push_back(port);
    }
    return ports;
}

/// Of the configuration, as opposed to the machine.
bool has_config_errors(const Diagnostics& diagnostics) {
    return std::ranges::any_of(diagnostics.all(), [](const Diagnostic& finding) {
        return finding.severity == Severity::error && finding.error == Errc::config;
    });
}

}  // namespace

Verdict prepare(const std::filesystem::path& file, std::span<const StrategyEntry> strategies,
                Preparation& made, Diagnostics& diagnostics) {
    auto config = config::load_run(file, diagnostics);
    if (!config) return Verdict::wrong_configuration;
    made.config = std::move(*config);
    const std::size_t of_form = diagnostics.all().size();
    made.checked = config::check(made.config, config::Machine::this_one(), diagnostics);
    const auto ports = unreported_ports(made.config, std::span(diagnostics.all()).subspan(of_form));
    made.channels = load_channels(made.checked, diagnostics);
    for (feed::ChannelPlan& channel : made.channels)
        for (feed::LinePlan& line : channel.lines)
            line.check_checksum = !made.config.ports.empty() && made.config.ports[line.port].check_checksum;
    if (made.config.trade.order_link != config::OrderLinkKind::none) {
        judge_trade(made.config, made.checked, diagnostics);
        made.strategy = make_strategy(made.config, made.checked.instruments, strategies, diagnostics);
    }
    const bool are_files_good = !diagnostics.has_errors();
    Diagnostics of_ports;
    made.ports = port::plan_ports(ports, of_ports);
    for (const Diagnostic& finding : of_ports.all())
        diagnostics.add(finding);
    if (!are_files_good || has_config_errors(of_ports)) return Verdict::wrong_configuration;
    return made.ports ? Verdict::good : Verdict::ports_not_there;
}

}  // namespace tickpath::runtime
