#include "control/cli/doctor_device.h"

#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

#include "control/cli/talk.h"
#include "control/stats/latency_report.h"
#include "dataplane/port/dpdk_port.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::cli {
namespace {

void print(const port::PortFacts& facts, bool as_json) {
    if (!as_json) {
        std::cout << facts.device << " (" << facts.driver << ") can: " << to_text(facts.capabilities) << '\n';
        return;
    }
    const nlohmann::ordered_json all = {
        {"device", facts.device},
        {"driver", facts.driver},
        {"capabilities", nlohmann::ordered_json::parse(stats::to_json(facts.capabilities))}};
    std::cout << all.dump(2) << '\n';
}

}  // namespace

ExitCode judge_device(const std::string& device, bool as_json) {
    std::string why_not;
    const std::optional<port::Device> known = port::parse_device(device, why_not);
    if (!known) {
        say(why_not);
        return exit_usage;
    }
    port::PortSettings settings;
    settings.name = "doctor";
    settings.mode = known->kind == port::DeviceKind::pci ? "nic" : "laptop";
    settings.device = device;
    Diagnostics diagnostics;
    const auto environment = port::Environment::open(std::span(&settings, 1), diagnostics);
    say(diagnostics);
    if (!environment) return exit_unreachable;
    print(environment->port(0).facts(), as_json);
    return exit_ok;
}

}  // namespace tickpath::cli
