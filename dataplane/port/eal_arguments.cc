#include "dataplane/port/eal_arguments.h"

#include <algorithm>

#include "dataplane/port/device_check.h"

namespace tickpath::port {
namespace {

constexpr std::size_t megabytes_min = 128;
constexpr std::size_t megabytes_base = 64;  // DPDK's own tables, transmit buffers, rings
constexpr std::size_t megabyte = 1024 * 1024;
// A page, and the pool's ring of pointers, which is a power of two.
constexpr std::size_t laptop_bytes_per_frame = 4096 + 2 * sizeof(void*);

std::string_view driver_of(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::pcap:
            return "net_pcap";
        case DeviceKind::af_packet:
            return "net_af_packet";
        case DeviceKind::af_xdp:
            return "net_af_xdp";
        case DeviceKind::ring:
            return "net_ring";
        case DeviceKind::null:
        case DeviceKind::pci:
            break;
    }
    return "net_null";
}

std::string virtual_device(const DevicePlan& plan, const std::string& name, const std::string& capture_path) {
    const std::string queues = std::to_string(plan.queue_count);
    switch (plan.device.kind) {
        case DeviceKind::pcap:
            return name + ",rx_pcap=" + capture_path;
        case DeviceKind::af_packet:
            return name + ",iface=" + plan.device.argument + ",blocksz=" + std::to_string(ring_block_bytes) +
                   ",framesz=" + std::to_string(ring_frame_bytes) +
                   ",framecnt=" + std::to_string(plan.ring_frames) + ",qpairs=" + queues + ",qdisc_bypass=1";
        case DeviceKind::af_xdp:
            return name + ",iface=" + plan.device.argument + ",queue_count=" + queues;
        case DeviceKind::null:
            return name + ",size=300";
        case DeviceKind::ring:
        case DeviceKind::pci:
            break;
    }
    return name;
}

std::string cpu_list(const std::vector<unsigned>& cpus) {
    std::string text;
    for (const unsigned cpu : cpus)
        text += (text.empty() ? "" : ",") + std::to_string(cpu);
    return text;
}

void append_split(std::vector<std::string>& to, std::string_view text) {
    while (!text.empty()) {
        const std::size_t blank = std::min(text.find(' '), text.size());
        if (blank > 0) to.emplace_back(text.substr(0, blank));
        text.remove_prefix(std::min(blank + 1, text.size()));
    }
}

}  // namespace

std::string_view usage_word(std::string_view eal_extra) {
    constexpr std::string_view long_word = "--help";
    constexpr std::size_t shortest = 4;  // getopt takes "--he": no other option of DPDK begins so
    while (!eal_extra.empty()) {
        const std::string_view word = eal_extra.substr(0, eal_extra.find(' '));
        if (word == "-h" || (word.size() >= shortest && long_word.starts_with(word))) return word;
        eal_extra.remove_prefix(std::min(word.size() + 1, eal_extra.size()));
    }
    return {};
}

std::string dpdk_name(const Device& device, std::size_t port_index) {
    if (device.kind == DeviceKind::pci) return device.argument;
    return std::string(driver_of(device.kind)) + std::to_string(port_index);
}

std::size_t frame_bytes(Mode mode) noexcept {
    return mode == Mode::laptop ? laptop_bytes_per_frame : bytes_per_frame;
}

std::size_t memory_megabytes(Mode mode, const std::vector<DevicePlan>& devices) {
    std::size_t bytes = megabytes_base * megabyte;
    for (const DevicePlan& plan : devices)
        bytes += std::size_t{plan.queue_count} * (plan.frames_max + 1) * frame_bytes(mode);
    return std::max(megabytes_min, (bytes + megabyte - 1) / megabyte);
}

std::vector<std::string> eal_arguments(Mode mode, const std::vector<DevicePlan>& devices,
                                       const std::vector<std::string>& capture_paths,
                                       const std::vector<unsigned>& cpus, std::string_view eal_extra) {
    const std::string megabytes = std::to_string(memory_megabytes(mode, devices));
    std::vector<std::string> arguments = {"tickpath"};
    if (mode == Mode::laptop)
        arguments.insert(arguments.end(), {"--no-huge", "-m", megabytes, "--no-shconf"});
    else
        arguments.insert(arguments.end(), {"--in-memory", "-m", megabytes});
    arguments.insert(arguments.end(), {"--no-telemetry", "--log-level=lib.eal:4"});

    bool has_pci = false;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const std::string name = dpdk_name(devices[i].device, i);
        const bool is_pci = devices[i].device.kind == DeviceKind::pci;
        has_pci = has_pci || is_pci;
        if (is_pci)
            arguments.insert(arguments.end(), {"-a", name});
        else
            arguments.push_back("--vdev=" + virtual_device(devices[i], name, capture_paths[i]));
    }
    if (!has_pci) arguments.emplace_back("--no-pci");
    // One lcore, floating over all allowed CPUs: our workers pin themselves, and DPDK's helper threads get
    // what the lcores leave, or the main lcore's CPUs when that is nothing.
    arguments.insert(arguments.end(), {"--lcores", "0@(" + cpu_list(cpus) + ")"});
    append_split(arguments, eal_extra);
    return arguments;
}

}  // namespace tickpath::port
