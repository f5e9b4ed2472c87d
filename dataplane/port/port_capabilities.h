// What a device can do, as asked of it rather than known of its driver. Plain values, free of DPDK. Cold.
#pragma once

#include <cstdint>
#include <string>

namespace tickpath::port {

/// How frames come to more than one receive queue.
enum class Steering : std::uint8_t {
    none,
    rss,   ///< by a hash of addresses and ports, which no plan can foretell
    flow,  ///< a rule sends a group to a queue; the device has accepted one for a trial
};

/// Who tells the network which groups are wanted.
enum class MembershipBy : std::uint8_t {
    nobody,    ///< not a network: a capture, a ring, a test device
    kernel,    ///< a socket of ours joins, the kernel reports and answers queries
    own_igmp,  ///< the kernel does not see the port
};

enum class ReceiveStamp : std::uint8_t {
    cycles,       ///< none of the device: the cycle counter at the burst
    capture,      ///< of the file
    ptp_frames,   ///< a register, for frames of the time protocol only
    every_frame,  ///< of the NIC
};

enum class TransmitStamp : std::uint8_t {
    doorbell,  ///< none of the device: the cycle counter just before it is told to send
    timesync,  ///< a register that can be read; some drivers have it and leave it empty, which only a frame
               ///< shows
};

[[nodiscard]] const char* name(Steering steering) noexcept;
[[nodiscard]] const char* name(MembershipBy by) noexcept;
[[nodiscard]] const char* name(ReceiveStamp stamp) noexcept;
[[nodiscard]] const char* name(TransmitStamp stamp) noexcept;

/// Of one queue. A device that names no bound has 0 to 65535.
struct DescriptorLimits {
    std::uint16_t least = 0;
    std::uint16_t most = 0;
    std::uint16_t multiple_of = 1;

    friend bool operator==(const DescriptorLimits&, const DescriptorLimits&) = default;
};

struct PortCapabilities {
    Steering steering = Steering::none;
    bool is_shared_with_kernel = false;  ///< frames that no rule takes go on to the kernel, or go there, too
    MembershipBy membership = MembershipBy::nobody;
    ReceiveStamp receive_stamp = ReceiveStamp::cycles;
    TransmitStamp transmit_stamp = TransmitStamp::doorbell;
    bool has_checksum_flag = false;  ///< the device can check UDP checksums and marks each frame
    std::uint16_t receive_queues_max = 1;
    DescriptorLimits receive_descriptors;
    DescriptorLimits transmit_descriptors;
    int numa_node = -1;  ///< -1: not known, or all the same

    friend bool operator==(const PortCapabilities&, const PortCapabilities&) = default;
};

/// The longest ring that a queue with `frames_max` buffers should have: a power of two where the buffers are
/// the bound, so that any driver takes it. Buffers beyond the ring are for a worker's hands and caches.
[[nodiscard]] std::uint16_t longest_ring(const DescriptorLimits& limits, std::uint32_t frames_max) noexcept;

/// One line for a person: "steering flow, shared with the kernel, membership by kernel, …".
[[nodiscard]] std::string to_text(const PortCapabilities& capabilities);

}  // namespace tickpath::port
