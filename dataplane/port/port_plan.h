// Everything about the configured ports that can be found out before DPDK starts. Cold, free of DPDK.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/port/capture_index.h"
#include "dataplane/port/eal_arguments.h"
#include "dataplane/port/port_settings.h"
#include "dataplane/port/replay_order.h"
#include "decoders/base/diagnostics.h"

namespace tickpath::port {

struct PlannedPort {
    DevicePlan plan;
    Pace pace;
    CaptureIndex capture;  ///< of a pcap device, else empty
    ReplaySeat replay;     ///< of a pcap device, else none
};

struct PortPlan {
    Mode mode = Mode::laptop;
    std::vector<PlannedPort> ports;

    [[nodiscard]] std::vector<DevicePlan> devices() const;
};

/// Reads all settings, looks at the machine and at the capture files. nullopt when anything is wrong; every
/// finding is in `diagnostics`.
[[nodiscard]] std::optional<PortPlan> plan_ports(std::span<const PortSettings> settings,
                                                 Diagnostics& diagnostics);

/// Adds one finding about a port, under the place where it was configured: "config/lab.xml:7: port feed: …".
void report(Diagnostics& diagnostics, const PortSettings& about, Severity severity, const std::string& text,
            Errc error = Errc::io);

}  // namespace tickpath::port
