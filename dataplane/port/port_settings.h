// One port as a person configures it, and how its texts read. Cold, free of DPDK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tickpath::port {

/// Receive queues of one port.
inline constexpr std::uint16_t queues_max = 16;
/// Ports of one process: DPDK's own table has no room for more.
inline constexpr std::size_t ports_max = 32;
/// Memory that a buffer takes: 2176 of data room, the mbuf's header, the pool's.
inline constexpr std::size_t bytes_per_frame = 2560;

/// All texts are the configuration's own; Environment::open reads them and reports what it cannot.
struct PortSettings {
    std::string name;              ///< as lines refer to it
    std::string mode = "laptop";   ///< laptop | hugepages | nic; one for all ports of a process
    std::string device;            ///< pcap:FILE | af_packet:IF | af_xdp:IF | ring | null | a PCI address
    std::string pace = "capture";  ///< of pcap: capture | xN (N times as fast, may be 0.5) | max
    std::string eal_extra;         ///< further EAL arguments, blank-separated: the way out, normally empty
    bool check_checksum = false;   ///< drop datagrams whose UDP checksum does not fit
    std::uint16_t queue_count = 1;
    std::optional<std::uint32_t>
        descriptors;                  ///< per hardware receive queue; without it the most the device takes
    std::uint32_t frames_max = 8191;  ///< buffers per queue; 2^n - 1 wastes no memory
    std::uint32_t ring_frames =
        4096;  ///< af_packet: kernel ring per direction, less if RLIMIT_MEMLOCK says so
    std::uint64_t replay_times_max = 1u << 24;  ///< pcap: frames whose exact ns times are held (8 bytes each)
    std::string config_file;        ///< where the port was configured, for error texts; may be empty
    std::uint32_t config_line = 0;  ///< from 1; 0 = unknown
};

enum class Mode : std::uint8_t { laptop, hugepages, nic };
/// nullopt for anything but "laptop", "hugepages", "nic".
[[nodiscard]] std::optional<Mode> parse_mode(std::string_view text) noexcept;

enum class DeviceKind : std::uint8_t { pcap, af_packet, af_xdp, ring, null, pci };

struct Device {
    DeviceKind kind = DeviceKind::null;
    std::string argument;  ///< file, interface or PCI address; empty for ring and null

    /// The kernel also has this interface: multicast groups are joined with a helper socket.
    [[nodiscard]] bool is_kernel_interface() const noexcept {
        return kind == DeviceKind::af_packet || kind == DeviceKind::af_xdp;
    }
};

/// Reads the device text; nullopt and one sentence in `why_not` when it is none of the known forms. Looks at
/// the text only, not at the machine.
[[nodiscard]] std::optional<Device> parse_device(std::string_view text, std::string& why_not);

/// How fast a capture is replayed.
struct Pace {
    double speed = 1.0;  ///< capture time over real time; 0 = as fast as the reader polls (max)

    [[nodiscard]] bool is_max() const noexcept { return speed == 0.0; }
};

/// "capture" is 1, "x2.5" is 2.5, "max" is 0; nullopt and a sentence otherwise (N must be 0.001 to 100000).
[[nodiscard]] std::optional<Pace> parse_pace(std::string_view text, std::string& why_not);

}  // namespace tickpath::port
