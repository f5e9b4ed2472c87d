#include "control/doctor/machine_report.h"

#include <algorithm>

#include "control/doctor/machine_checks.h"

namespace tickpath::doctor {
namespace {

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

}  // namespace

std::string to_text(std::span<const MachineFinding> findings) {
    std::string text;
    std::size_t mend_count = 0;
    for (const MachineFinding& finding : findings) {
        text += padded(name(finding.state), 8) + padded(finding.check, 15) + finding.found + '\n';
        if (finding.state != MachineState::mend) continue;
        text += "          " + finding.command + '\n';
        ++mend_count;
    }
    text += mend_count == 0 ? "Nothing to mend.\n"
                            : std::to_string(mend_count) + " of " + std::to_string(findings.size()) +
                                  " checks found something to mend.\n";
    return text;
}

nlohmann::ordered_json to_json(std::span<const MachineFinding> findings) {
    nlohmann::ordered_json json{{"ok", is_ok(findings)}, {"checks", nlohmann::ordered_json::array()}};
    for (const MachineFinding& finding : findings) {
        nlohmann::ordered_json one{
            {"check", finding.check}, {"state", name(finding.state)}, {"found", finding.found}};
        if (finding.state == MachineState::mend) one["command"] = finding.command;
        json["checks"].push_back(std::move(one));
    }
    return json;
}

}  // namespace tickpath::doctor
