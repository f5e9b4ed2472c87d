#include "dataplane/port/port_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <sys/resource.h>

#include "dataplane/port/device_check.h"

namespace tickpath::port {
namespace {

// Of buffers per queue: below, a burst in every place they can be (driver, cache, worker) does not fit.
constexpr std::uint32_t frames_least = 255;
constexpr std::uint32_t frames_most = 1u << 20;
constexpr std::uint32_t descriptors_most = 32'768;
constexpr std::size_t open_files_base = 48;  // ours, DPDK's, a session, the tick file, with room to spare
constexpr std::size_t open_files_per_port = 16;

// Findings about one port.
class Findings {
public:
    Findings(Diagnostics& to, const PortSettings& about) : to_(to), about_(about) {}

    void config_error(const std::string& text) { error(text, Errc::config); }
    void error(const std::string& text, Errc code = Errc::io) {
        report(to_, about_, Severity::error, text, code);
        has_errors_ = true;
    }
    void warning(const std::string& text) { report(to_, about_, Severity::warning, text); }
    void take(const CheckOutcome& outcome) {
        if (!outcome.error.empty()) error(outcome.error);
        if (!outcome.warning.empty()) warning(outcome.warning);
    }
    [[nodiscard]] bool has_errors() const { return has_errors_; }

private:
    Diagnostics& to_;
    const PortSettings& about_;
    bool has_errors_ = false;
};

void check_numbers(const PortSettings& settings, const Device& device, Findings& findings) {
    const auto outside = [&](const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
        if (value < least || value > most)
            findings.config_error(std::string(name) + " is " + std::to_string(value) + " (expected " +
                                  std::to_string(least) + " to " + std::to_string(most) + ")");
    };
    outside("queue_count", settings.queue_count, 1, queues_max);
    outside("frames_max", settings.frames_max, frames_least, frames_most);
    if (settings.descriptors) outside("descriptors", *settings.descriptors, 64, descriptors_most);
    outside("ring_frames", settings.ring_frames, ring_frames_min, 1u << 20);
    if (device.kind == DeviceKind::pci && settings.descriptors &&
        settings.frames_max <= *settings.descriptors)
        findings.config_error("frames_max " + std::to_string(settings.frames_max) + " cannot fill " +
                              std::to_string(*settings.descriptors) + " descriptors");
    const bool has_one_queue = device.kind == DeviceKind::pcap || device.kind == DeviceKind::ring;
    if (has_one_queue && settings.queue_count > 1)
        findings.config_error("device " + settings.device + " has one queue, not " +
                              std::to_string(settings.queue_count));
}

void check_device(const PortSettings& settings, PlannedPort& port, Findings& findings) {
    const Device& device = port.plan.device;
    if (device.is_kernel_interface()) findings.take(check_interface(device));
    if (device.kind == DeviceKind::pci) findings.take(check_pci(device.argument));
    if (device.kind != DeviceKind::pcap) return;
    port.capture = index_capture(device.argument, settings.replay_times_max);
    if (!port.capture.error.empty()) findings.error("capture " + device.argument + ' ' + port.capture.error);
    if (!port.capture.warning.empty())
        findings.warning("capture " + device.argument + ": " + port.capture.warning);
}

std::optional<PlannedPort> plan_port(const PortSettings& settings, Mode mode, Diagnostics& diagnostics) {
    Findings findings(diagnostics, settings);
    std::string why_not;
    const auto device = parse_device(settings.device, why_not);
    if (!device) findings.config_error(why_not);
    const auto pace = parse_pace(settings.pace, why_not);
    if (!pace) findings.config_error(why_not);
    if (!device || !pace) return std::nullopt;
    if (device->kind == DeviceKind::pci && mode != Mode::nic)
        findings.config_error("device " + settings.device + " needs mode nic");
    check_numbers(settings, *device, findings);
    if (const std::string_view word = usage_word(settings.eal_extra); !word.empty())
        findings.config_error("eal_extra has " + std::string(word) +
                              ", at which DPDK prints its usage and ends the process; remove it");
    PlannedPort port{.plan = {.device = *device,
                              .queue_count = settings.queue_count,
                              .frames_max = settings.frames_max,
                              .ring_frames = 0},
                     .pace = *pace,
                     .capture = {},
                     .replay = {}};
    check_device(settings, port, findings);
    if (findings.has_errors()) return std::nullopt;
    return port;
}

// All ports of a process share DPDK, hence its mode.
std::optional<Mode> common_mode(std::span<const PortSettings> settings, Diagnostics& diagnostics) {
    std::optional<Mode> mode = Mode::laptop;
    for (const PortSettings& port : settings) {
        const auto own = parse_mode(port.mode);
        if (!own)
            report(diagnostics, port, Severity::error,
                   '"' + port.mode + "\" is not a mode (expected laptop, hugepages or nic)", Errc::config);
        else if (port.mode != settings.front().mode)
            report(diagnostics, port, Severity::error,
                   "mode " + port.mode + " differs from mode " + settings.front().mode + " of port " +
                       settings.front().name + "; all ports of a process have one mode",
                   Errc::config);
        mode = own && mode && port.mode == settings.front().mode ? own : std::nullopt;
    }
    return mode;
}

// A device has one owner; a capture may be replayed by several ports.
void refuse_shared_devices(std::span<const PortSettings> settings, const PortPlan& plan,
                           Diagnostics& diagnostics) {
    for (std::size_t i = 0; i < plan.ports.size(); ++i) {
        const Device& device = plan.ports[i].plan.device;
        if (!device.is_kernel_interface() && device.kind != DeviceKind::pci) continue;
        for (std::size_t j = 0; j < i; ++j)
            if (plan.ports[j].plan.device.argument == device.argument)
                report(diagnostics, settings[i], Severity::error,
                       device.argument + " already belongs to port " + settings[j].name, Errc::config);
    }
}

// Captures that belong together are replayed together.
void order_replays(PortPlan& plan) {
    std::vector<PlannedPort*> replays;
    std::vector<ReplaySpan> spans;
    for (PlannedPort& port : plan.ports) {
        if (port.plan.device.kind != DeviceKind::pcap) continue;
        replays.push_back(&port);
        spans.push_back({.speed = port.pace.speed,
                         .frame_count = port.capture.frame_count,
                         .first_ns = port.capture.first_ns,
                         .latest_ns = port.capture.latest_ns});
    }
    const std::vector<ReplaySeat> seats = seat_replays(spans);
    for (std::size_t i = 0; i < seats.size(); ++i)
        replays[i]->replay = seats[i];
}

// The locked memory of the process is shared by all its af_packet rings.
void size_rings(std::span<const PortSettings> settings, PortPlan& plan, Diagnostics& diagnostics) {
    const auto is_ring = [](const PlannedPort& port) {
        return port.plan.device.kind == DeviceKind::af_packet;
    };
    std::size_t ring_count = 0;
    std::uint32_t frames_wanted = 0;
    for (std::size_t i = 0; i < plan.ports.size(); ++i) {
        if (!is_ring(plan.ports[i])) continue;
        ring_count += plan.ports[i].plan.queue_count;
        frames_wanted = std::max(frames_wanted, settings[i].ring_frames);
    }
    if (ring_count == 0) return;
    const RingSize allowed = ring_size_allowed(frames_wanted, ring_count);
    for (std::size_t i = 0; i < plan.ports.size(); ++i) {
        if (!is_ring(plan.ports[i])) continue;
        const std::uint32_t wanted = settings[i].ring_frames;
        RingSize size = ring_size_within(wanted, 1, ~std::uint64_t{0});
        if (allowed.frames < size.frames) size = allowed;
        plan.ports[i].plan.ring_frames = size.frames;
        const CheckOutcome outcome = describe_ring(size, wanted, ring_count);
        if (!outcome.error.empty()) report(diagnostics, settings[i], Severity::error, outcome.error);
        if (!outcome.warning.empty()) report(diagnostics, settings[i], Severity::warning, outcome.warning);
    }
}

// DPDK ends the process itself when it runs out of them.
void check_open_files(std::span<const PortSettings> settings, Diagnostics& diagnostics) {
    rlimit limit{};
    const rlim_t wanted = open_files_base + settings.size() * open_files_per_port;
    if (settings.empty() || ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    report(diagnostics, settings.front(), Severity::error,
           "the process may have " + std::to_string(limit.rlim_cur) + " files open, and the ports need " +
               std::to_string(wanted) + ": ulimit -n 1024");
}

}  // namespace

std::vector<DevicePlan> PortPlan::devices() const {
    std::vector<DevicePlan> all;
    for (const PlannedPort& port : ports)
        all.push_back(port.plan);
    return all;
}

std::optional<PortPlan> plan_ports(std::span<const PortSettings> settings, Diagnostics& diagnostics) {
    Diagnostics findings;
    PortPlan plan;
    const auto mode = common_mode(settings, findings);
    plan.mode = mode.value_or(Mode::laptop);
    for (const PortSettings& port : settings)
        // Without a common mode nothing is said about devices that need a certain one.
        if (auto planned = plan_port(port, mode.value_or(Mode::nic), findings))
            plan.ports.push_back(std::move(*planned));
    check_open_files(settings, findings);
    if (!findings.has_errors()) refuse_shared_devices(settings, plan, findings);
    if (!findings.has_errors()) size_rings(settings, plan, findings);
    if (!findings.has_errors() && plan.mode != Mode::laptop) {
        const CheckOutcome outcome = check_hugepages(memory_megabytes(plan.mode, plan.devices()));
        if (!outcome.error.empty()) report(findings, settings.front(), Severity::error, outcome.error);
    }
    for (const Diagnostic& finding : findings.all())
        diagnostics.add(finding);
    if (findings.has_errors()) return std::nullopt;
    order_replays(plan);
    return plan;
}

void report(Diagnostics& diagnostics, const PortSettings& about, Severity severity, const std::string& text,
            Errc error) {
    diagnostics.add({.severity = severity,
                     .error = error,
                     .file = about.config_file,
                     .line = about.config_line,
                     .column = 0,
                     .text = "port " + about.name + ": " + text});
}

}  // namespace tickpath::port
