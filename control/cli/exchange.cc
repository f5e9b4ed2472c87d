// tickpath exchange: a counterparty that acknowledges orders and fills or cancels them, until somebody says
// stop.
#include "dataplane/exchange/exchange.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "control/cli/commands.h"
#include "control/cli/talk.h"
#include "control/config/check.h"
#include "control/config/loader.h"
#include "control/config/schema.h"
#include "control/runtime/interrupt.h"

namespace tickpath::cli {
namespace {

constexpr std::uint32_t idle_wait_ms = 10;

struct Options {
    std::string config;
    std::optional<std::uint16_t> port;
    std::optional<std::string> fill;
    bool json = false;
};

/// The file with what the command line says instead; nullopt after telling what is wrong.
std::optional<config::ExchangeConfig> configure(const Options& options) {
    Diagnostics diagnostics;
    auto config = config::load_exchange(options.config, diagnostics);
    if (config) config::check(*config, diagnostics);
    say(diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    if (options.port) config->port = *options.port;
    if (options.fill) config->fill_every = config::parse_fill(*options.fill).value_or(config->fill_every);
    return config;
}

std::unique_ptr<exchange::Exchange> open(const config::ExchangeConfig& config, core::CounterPage& counters) {
    std::vector<std::string> errors;
    std::string error;
    exchange::ExchangeSettings settings;
    settings.store_directory = config.store.string();
    settings.fill_every = config.fill_every;
    for (const config::ExchangeSession& session : config.sessions)
        settings.clients.push_back({.sender = session.sender, .target = session.target});
    std::unique_ptr<exchange::Exchange> opened;
    if (const auto listen = tcp::Endpoint::resolve(config.host, config.port, error)) {
        settings.listen = *listen;
        opened = exchange::Exchange::open(
            settings, counters, [](std::string_view line) { say(line); }, errors);
    } else {
        errors.push_back(error);
    }
    for (const std::string& text : errors)
        say(config.file.string() + ": " + text);
    return opened;
}

nlohmann::ordered_json as_json(std::string_view client, const exchange::ClientCounts& counts) {
    return {{"client", client},          {"logons", counts.logons},
            {"orders", counts.orders},   {"fills", counts.fills},
            {"cancels", counts.cancels}, {"refused", counts.refused},
            {"rejects", counts.rejects}, {"reports_lost", counts.reports_lost}};
}

std::string as_text(std::string_view client, const exchange::ClientCounts& counts) {
    return fmt::format("{:<16} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12}\n", client, counts.logons,
                       counts.orders, counts.fills, counts.cancels, counts.refused, counts.rejects,
                       counts.reports_lost);
}

void print_json(const exchange::Exchange& exchange) {
    nlohmann::ordered_json report;
    report["clients"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < exchange.client_count(); ++i)
        report["clients"].push_back(as_json(exchange.client_name(i), exchange.counts(i)));
    report["total"] = as_json("total", exchange.total());
    std::cout << report.dump() << std::endl;
}

void print_text(const exchange::Exchange& exchange) {
    std::cout << fmt::format("{:<16} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12}\n", "client", "logons",
                             "orders", "fills", "cancels", "refused", "rejects", "reports lost");
    for (std::size_t i = 0; i < exchange.client_count(); ++i)
        std::cout << as_text(exchange.client_name(i), exchange.counts(i));
    std::cout << as_text("total", exchange.total()) << std::flush;
}

ExitCode serve(const Options& options) {
    const runtime::Interrupts interrupts;  // SIGUSR1 stops a trader's orders; an exchange has none
    const auto config = configure(options);
    if (!config) return exit_configuration;
    core::CounterPage counters = core::CounterPage::anonymous();
    const auto exchange = open(*config, counters);
    if (!exchange) return exit_failed;

    const auto print = options.json ? print_json : print_text;
    say(fmt::format("the exchange listens on {}:{}; stop it with Ctrl-C", config->host, exchange->port()));
    while (!runtime::Interrupts::wants_stop()) {
        if (!exchange->poll()) exchange->wait(idle_wait_ms);
        if (runtime::Interrupts::wants_report()) print(*exchange);
    }
    exchange->shut_down();
    print(*exchange);
    return exit_interrupted;
}

std::string fill_error(const std::string& text) {
    return config::parse_fill(text) ? "" : "\"" + text + "\" is not always, never or every:N with N from 1";
}

void attach(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    app.add_option("config", options->config, "configuration file (templates/config/README.md)")->required();
    app.add_option("--port", options->port,
                   "listen here instead of where the file says; 0: the system chooses");
    app.add_option("--fill", options->fill, "always, never or every:N instead of what the file says")
        ->check(CLI::Validator(fill_error, "RULE"));
    app.add_flag("--json", options->json, "print the report as JSON");
    app.footer("Signals: SIGINT logs the clients out and ends with a report, SIGUSR2 prints a report.");
    app.callback([options, &exit_code] { exit_code = serve(*options); });
}

}  // namespace

Command exchange_command() {
    return {.name = "exchange",
            .summary = "accept FIX 4.4 sessions and answer orders, as a counterparty to try against",
            .example = "tickpath exchange templates/config/exchange.xml --fill every:2",
            .attach = attach};
}

}  // namespace tickpath::cli
