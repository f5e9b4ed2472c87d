// Every DPDK device behind one class: PCI NICs, af_packet, af_xdp, captures, rings. DPDK itself stays in the
// .cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/core/counters.h"
#include "dataplane/model/frame.h"
#include "dataplane/port/flow_rule.h"
#include "dataplane/port/multicast_filter.h"
#include "dataplane/port/port.h"
#include "dataplane/port/port_capabilities.h"
#include "dataplane/port/port_plan.h"
#include "dataplane/port/port_settings.h"
#include "decoders/base/diagnostics.h"
#include "decoders/net/mac_address.h"

namespace tickpath::port {

/// What the device itself says; for reports, never for loss: 22.11's af_packet and af_xdp leave `missed` at 0
/// while frames are lost (spec/dataplane.md §4, duty 6). Loss is a hole in the sequence numbers.
struct DeviceStats {
    std::uint64_t frames = 0;
    std::uint64_t missed = 0;
    std::uint64_t errors = 0;
    std::uint64_t no_buffer = 0;
};

/// A statistic of the driver's own, by its own name: "rx_missed_errors".
struct ExtendedStat {
    std::string name;
    std::uint64_t value = 0;
};

/// Facts about a port that do not change while it runs.
struct PortFacts {
    std::string name;       ///< as configured
    std::string device;     ///< as configured
    std::string driver;     ///< of DPDK: "net_af_packet"
    std::string interface;  ///< that the kernel has of it, for multicast membership; empty when there is none
    net::MacAddress mac;
    std::uint16_t queue_count = 1;
    std::uint16_t descriptors = 0;      ///< length of each receive queue's ring
    std::uint32_t ring_frames = 0;      ///< of an af_packet ring per direction, after RLIMIT_MEMLOCK; else 0
    std::uint64_t replay_frames = 0;    ///< of a capture, counted at start; else 0
    bool is_replay_cut = false;         ///< the capture has a defect behind its replay_frames
    bool has_frame_times = false;       ///< frames carry a better stamp than the cycle counter
    std::uint32_t link_speed_mbps = 0;  ///< 0 = unknown
    bool is_link_up = false;
    PortCapabilities capabilities;
};

/// A started port. Made by Environment::open only. Satisfies Port.
class DpdkPort {
public:
    class Impl;
    explicit DpdkPort(std::unique_ptr<Impl> impl) noexcept;
    ~DpdkPort();
    DpdkPort(const DpdkPort&) = delete;
    DpdkPort& operator=(const DpdkPort&) = delete;

    /// Frames that are there, at most 32, see Port. Hot; one thread per queue.
    ///
    /// Frames in several segments (larger than a buffer) are counted and dropped here. A replayed capture
    /// gives its frames when their time has come (pace), stamped with the file's own nanoseconds; after a
    /// frame of another port's capture of the same time that is earlier, so all ports must be polled. Frame
    /// numbers count every frame the device delivered to this queue, dropped ones too: of a capture they are
    /// the packet numbers.
    [[nodiscard]] std::size_t rx_burst(std::uint16_t queue, std::span<model::Frame> out) noexcept;
    /// Frees the frames of the last rx_burst of this queue. Calling it with none held does nothing.
    void release(std::uint16_t queue) noexcept;
    /// The capture's frame count, read at start, is in and released. Never true of other devices.
    [[nodiscard]] bool finished() const noexcept;

    /// Copies `frame` out and sends it. Returns the bytes sent: all, or 0 when there is no buffer or no room.
    /// One thread; not for a thread that polls another queue of a device without multi-queue support.
    [[nodiscard]] std::size_t tx(std::span<const std::byte> frame) noexcept;

    /// Sends each rule's group to its queue; with `isolate` nothing else leaves the kernel. Cold; before
    /// polling, and once. Unless `done`, the device's words are in `why_not`.
    [[nodiscard]] Steered steer(std::span<const FlowRule> rules, bool isolate, std::string& why_not);

    /// Tells the device to let these groups in and, as far as it can, no other multicast. Without this call
    /// it lets in what is its own and nothing else. Cold; before polling and after `steer`, which may start
    /// it again.
    [[nodiscard]] FilterChoice let_in(std::span<const net::MulticastGroup> groups);

    /// Counts this queue's receive duties under `owner` from now on: rx_frames and rx_bytes of all that the
    /// device delivered, rx_multi_segment of those that were dropped for it, rx_late_us_max (replay: most
    /// microseconds a frame was delivered after its time). Call before polling; the counters are written by
    /// the thread that polls the queue.
    void count_into(core::CounterPage& page, std::uint16_t queue, std::string_view owner);

    [[nodiscard]] std::string_view name() const noexcept { return facts().name; }
    [[nodiscard]] net::MacAddress mac() const noexcept { return facts().mac; }
    [[nodiscard]] std::uint16_t queue_count() const noexcept;
    [[nodiscard]] const PortFacts& facts() const noexcept;
    /// Asks the device; cold.
    [[nodiscard]] DeviceStats device_stats() const;
    /// Those of the driver's own statistics that are not 0, in its order; cold.
    [[nodiscard]] std::vector<ExtendedStat> extended_stats() const;

private:
    std::unique_ptr<Impl> impl_;
};

/// DPDK's process-wide state and all ports. One per process, ever: DPDK cannot be started a second time.
class Environment {
public:
    /// Brings all ports up. On failure returns nullptr and `diagnostics` has every problem that could be told
    /// before and during start, each with its cause and the command that mends it. Warnings may come with
    /// success (a smaller ring than wanted, a capture cut inside its last packet).
    ///
    /// Leaves the calling thread's CPU affinity as it was.
    [[nodiscard]] static std::unique_ptr<Environment> open(std::span<const PortSettings> settings,
                                                           Diagnostics& diagnostics);
    /// The same with what plan_ports found for these settings.
    [[nodiscard]] static std::unique_ptr<Environment> open(std::span<const PortSettings> settings,
                                                           PortPlan plan, Diagnostics& diagnostics);
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// As many as there were settings, in their order; the index is Frame::port.
    [[nodiscard]] std::size_t port_count() const noexcept { return ports_.size(); }
    [[nodiscard]] DpdkPort& port(std::size_t index) noexcept { return *ports_[index]; }

    /// Gives the calling thread a buffer cache of its own; call once in each thread that polls, before its
    /// first rx_burst. Without it everything works, slower. False when DPDK has no free slot (128 threads).
    [[nodiscard]] static bool register_this_thread() noexcept;
    /// Undoes it; call before such a thread ends.
    static void unregister_this_thread() noexcept;

private:
    Environment() = default;
    std::vector<std::unique_ptr<DpdkPort>> ports_;
};

static_assert(Port<DpdkPort>);

}  // namespace tickpath::port
