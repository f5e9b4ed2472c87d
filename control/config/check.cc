#include "control/config/check.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include <unistd.h>

#include "control/config/check_feeds.h"
#include "control/config/instruments.h"
#include "control/config/memory.h"

namespace tickpath::config {
namespace {

void error(const RunConfig& config, FileLine line, std::string text, Diagnostics& diagnostics) {
    diagnostics.error(config.file.string(), line, std::move(text));
}

void check_port(const RunConfig& config, const port::PortSettings& port, Diagnostics& diagnostics) {
    std::string why_not;
    const std::optional<port::Device> device = port::parse_device(port.device, why_not);
    if (!device) return;  // the loader has said so
    if (device->kind == port::DeviceKind::pcap &&
        check_readable(config, device->argument, port.config_line, diagnostics)) {
        std::error_code failure;
        if (std::filesystem::file_size(device->argument, failure) == 0)
            error(config, port.config_line, device->argument + " is empty, not a capture", diagnostics);
    }
    if (device->kind == port::DeviceKind::pci && port.mode != "nic")
        error(config, port.config_line, "port \"" + port.name + "\" is a PCI device: it needs mode=\"nic\"",
              diagnostics);
    if (port.mode != config.ports.front().mode)
        error(config, port.config_line,
              "port \"" + port.name + "\" has mode " + port.mode + " and port \"" +
                  config.ports.front().name + "\" " + config.ports.front().mode +
                  ": DPDK is started once, so all ports share one mode",
              diagnostics);
}

void check_cpu(const RunConfig& config, const Machine& machine, std::int32_t cpu, FileLine line,
               std::map<std::int32_t, FileLine>& taken, Diagnostics& diagnostics) {
    if (cpu < 0) return;
    if (std::ranges::find(machine.cpus, static_cast<unsigned>(cpu)) == machine.cpus.end()) {
        std::string there;
        for (const unsigned known : machine.cpus)
            there += (there.empty() ? "" : " ") + std::to_string(known);
        error(config, line,
              "cpu " + std::to_string(cpu) + " is not there for this process (there are: " + there + ")",
              diagnostics);
    }
    const auto [first, is_free] = taken.emplace(cpu, line);
    if (!is_free)
        error(config, line,
              "cpu " + std::to_string(cpu) + " is already given to the worker of line " +
                  std::to_string(first->second),
              diagnostics);
}

void check_workers(const RunConfig& config, const Machine& machine, Diagnostics& diagnostics) {
    const WorkerSettings& workers = config.workers;
    std::map<std::int32_t, FileLine> taken;
    for (const ReceiveWorker& receiver : workers.receivers)
        check_cpu(config, machine, receiver.cpu, receiver.line, taken, diagnostics);
    check_cpu(config, machine, workers.trade_cpu, workers.trade_line, taken, diagnostics);
    if (workers.layout == Layout::one_core && workers.trade_line != 0)
        error(config, workers.trade_line,
              "layout=\"inline\" has no trade worker; remove <trade> from <workers> or set layout=\"split\"",
              diagnostics);
}

void check_trade(const RunConfig& config, Diagnostics& diagnostics) {
    const TradeElement& trade = config.trade;
    if (trade.is_whole && trade.order_link == OrderLinkKind::kernel && !trade.session)
        error(config, trade.line, "order_link=\"kernel\" needs a <session> inside <trade>", diagnostics);
    if (trade.order_link != OrderLinkKind::none && config.instruments.file.empty())
        diagnostics.warning(config.file.string(), trade.line,
                            "no <instruments file=…>: no instrument may be traded");
    if (trade.session && trade.session->link.reconnect_ms_first > trade.session->link.reconnect_ms_max)
        error(config, trade.session->line, "reconnect_ms_first is larger than reconnect_ms_max", diagnostics);
}

/// What is made at start (a counter file, a store) needs a folder to be made in.
void check_folder_of(const std::filesystem::path& made, const std::filesystem::path& config_file,
                     FileLine line, Diagnostics& diagnostics) {
    if (made.empty()) return;
    const std::filesystem::path folder = made.has_parent_path() ? made.parent_path() : ".";
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure))
        diagnostics.error(
            config_file.string(), line,
            "the folder " + folder.string() + " for " + made.filename().string() + " is not there", Errc::io);
}

std::vector<pipeline::ReceiverRequest> receiver_requests(const RunConfig& config, Diagnostics& diagnostics) {
    std::vector<pipeline::ReceiverRequest> requests;
    for (const ReceiveWorker& receiver : config.workers.receivers) {
        pipeline::ReceiverRequest request{.name = receiver.name, .cpu = receiver.cpu, .ports = {}};
        for (const std::string& name : receiver.ports)
            if (const auto port = find_port(config, name, receiver.line, diagnostics))
                request.ports.push_back(*port);
        requests.push_back(std::move(request));
    }
    return requests;
}

std::vector<pipeline::ChannelRequest> channel_requests(const std::vector<CheckedFeed>& feeds) {
    std::vector<pipeline::ChannelRequest> requests;
    for (const CheckedFeed& feed : feeds)
        for (std::size_t c = 0; c < feed.description.channels.size(); ++c)
            if (!feed.line_ports[c].empty())
                requests.push_back({.name = feed.description.channels[c].name, .ports = feed.line_ports[c]});
    return requests;
}

/// The plan, with findings at the line of <workers>: the planner knows no lines.
pipeline::Plan plan_workers(const RunConfig& config, const std::vector<CheckedFeed>& feeds,
                            Diagnostics& diagnostics) {
    Diagnostics found;
    pipeline::PlanRequest request;
    request.receivers = receiver_requests(config, found);
    request.channels = channel_requests(feeds);
    request.split = config.workers.layout == Layout::split;
    request.trade_cpu = config.workers.trade_cpu;
    for (const port::PortSettings& port : config.ports) {
        request.port_names.push_back(port.name);
        request.port_queue_counts.push_back(port.queue_count);
    }
    pipeline::Plan plan;
    if (!found.has_errors()) plan = pipeline::make_plan(request, config.file.string(), found);
    for (Diagnostic diagnostic : found.all()) {
        if (diagnostic.line == 0) diagnostic.line = config.workers.line;
        diagnostics.add(std::move(diagnostic));
    }
    return plan;
}

}  // namespace

Machine Machine::this_one() {
    Machine machine = {.cpus = core::allowed_cpus(), .memory_bytes = 0};
    machine.memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    std::uint64_t group_bytes = 0;  // "max" where there is no bound
    if (std::ifstream("/sys/fs/cgroup/memory.max") >> group_bytes && group_bytes != 0)
        machine.memory_bytes = std::min(machine.memory_bytes, group_bytes);
    return machine;
}

CheckedRun check(const RunConfig& config, const Machine& machine, Diagnostics& diagnostics) {
    for (const port::PortSettings& port : config.ports)
        check_port(config, port, diagnostics);
    if (config.ports.size() > port::ports_max)
        error(config, config.ports[port::ports_max].config_line,
              "there are " + std::to_string(config.ports.size()) + " ports, at most " +
                  std::to_string(port::ports_max) + " are possible",
              diagnostics);
    CheckedRun run;
    run.feeds = check_feeds(config, diagnostics);
    if (!config.instruments.file.empty())
        run.instruments = load_instruments(config.instruments.file.string(), diagnostics);
    check_workers(config, machine, diagnostics);
    check_trade(config, diagnostics);
    if (!config.trade.order_template.empty())
        if (auto fields = fix::load_order_template_file(config.trade.order_template.string(), diagnostics))
            run.order_template = std::move(*fields);
    check_folder_of(config.report.counters, config.file, config.report.line, diagnostics);
    if (config.trade.session)
        check_folder_of(config.trade.session->store, config.file, config.trade.session->line, diagnostics);
    if (config.is_topology_whole) check_memory(config, run, machine, diagnostics);
    if (config.is_topology_whole) run.plan = plan_workers(config, run.feeds, diagnostics);
    return run;
}

void check(const ExchangeConfig& config, Diagnostics& diagnostics) {
    check_folder_of(config.store, config.file, config.line, diagnostics);
}

}  // namespace tickpath::config
