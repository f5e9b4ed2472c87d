// Turns modes and devices into the arguments of DPDK's environment layer, so that nobody has to type them. A
// pure function. Cold, free of DPDK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/port/port_settings.h"

namespace tickpath::port {

/// The word of `eal_extra` at which DPDK prints its usage and ends the process with exit code 0, as if
/// everything had run; empty when there is none.
[[nodiscard]] std::string_view usage_word(std::string_view eal_extra);

/// A device with what was found out about it at start.
struct DevicePlan {
    Device device;
    std::uint16_t queue_count = 1;
    std::uint32_t frames_max = 0;   ///< buffers per queue
    std::uint32_t ring_frames = 0;  ///< af_packet only, after RLIMIT_MEMLOCK
};

/// DPDK's name of a device: the PCI address, or "net_pcap0" with the port's index.
[[nodiscard]] std::string dpdk_name(const Device& device, std::size_t port_index);

/// Memory that a buffer takes. Without huge pages each has a page of 4 KiB to itself: DPDK lets none cross
/// the border of a page.
[[nodiscard]] std::size_t frame_bytes(Mode mode) noexcept;

/// Memory for the buffers of all devices and what DPDK needs beside them, in MiB; at least 128.
[[nodiscard]] std::size_t memory_megabytes(Mode mode, const std::vector<DevicePlan>& devices);

/// argv of rte_eal_init, program name first. spec/dataplane.md §3 has the modes; never --no-huge with
/// --in-memory, nor -l with --lcores. `cpus` are those the process may use: DPDK's own threads stay on them.
/// `capture_paths` names the file that net_pcap opens for each pcap device. `eal_extra` is split at blanks
/// and comes last.
[[nodiscard]] std::vector<std::string> eal_arguments(Mode mode, const std::vector<DevicePlan>& devices,
                                                     const std::vector<std::string>& capture_paths,
                                                     const std::vector<unsigned>& cpus,
                                                     std::string_view eal_extra);

}  // namespace tickpath::port
