#include "control/runtime/output_files.h"

#include <string>
#include <system_error>
#include <vector>

namespace tickpath::runtime {
namespace {

namespace fs = std::filesystem;

struct Input {
    fs::path path;
    const char* what;
};

/// By device and inode. A file that is not there is the same as no other.
bool is_same(const fs::path& a, const fs::path& b) {
    std::error_code failure;
    return !a.empty() && !b.empty() && fs::equivalent(a, b, failure) && !failure;
}

std::vector<Input> inputs_of(const Preparation& prepared) {
    const config::RunConfig& config = prepared.config;
    std::vector<Input> inputs = {{config.file, "the configuration"},
                                 {config.instruments.file, "the instruments"},
                                 {config.trade.order_template, "the order template"}};
    for (const port::PortSettings& port : config.ports) {
        std::string why_not;
        const auto device = port::parse_device(port.device, why_not);
        if (device && device->kind == port::DeviceKind::pcap)
            inputs.push_back({device->argument, "a capture"});
    }
    for (const config::FeedSettings& feed : config.feeds)
        inputs.push_back({feed.description, "a feed description"});
    for (const config::CheckedFeed& feed : prepared.checked.feeds)
        inputs.push_back({feed.templates, "FAST templates"});
    return inputs;
}

/// What `output` holds that the run reads; null when nothing.
const char* read_as(const fs::path& output, const Preparation& prepared) {
    for (const Input& input : inputs_of(prepared))
        if (is_same(output, input.path)) return input.what;
    const auto& session = prepared.config.trade.session;
    std::error_code failure;
    if (session && fs::exists(output, failure) && is_same(output.parent_path(), session->store))
        return "the session store";
    return nullptr;
}

}  // namespace

bool may_write_outputs(const fs::path& ticks, const Preparation& prepared, Diagnostics& diagnostics) {
    const config::ReportSettings& report = prepared.config.report;
    const std::string file = prepared.config.file.string();
    bool may = true;
    const auto refuse = [&](config::FileLine line, const std::string& text) {
        diagnostics.error(line == 0 ? "" : file, line, text);
        may = false;
    };
    if (const char* what = read_as(ticks, prepared))
        refuse(0,
               "--ticks " + ticks.string() + " would write over " + what + " of this run; name another file");
    if (const char* what = read_as(report.counters, prepared))
        refuse(report.line, "counters=\"" + report.counters.string() + "\" would write over " + what +
                                " of this run; name another file");
    if (is_same(ticks, report.counters) || (!ticks.empty() && ticks == report.counters))
        refuse(0, "--ticks " + ticks.string() + " is also the counter file; name another file");
    return may;
}

}  // namespace tickpath::runtime
