// Looks at the machine before DPDK does, because DPDK starts without a port as if nothing had happened: what
// stands in a device's way, and the command that mends it. Cold, free of DPDK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/port/port_settings.h"

namespace tickpath::port {

/// Empty when nothing stands in the way as far as can be told from outside; else one sentence with the
/// remedy.
struct CheckOutcome {
    std::string error;
    std::string warning;
};

/// The interface exists, is up (else a warning) and may be opened by this process.
[[nodiscard]] CheckOutcome check_interface(const Device& device);
/// The device exists, is bound to a driver that hands it to user space, and this user may open it. The
/// folders are the kernel's, except in tests.
[[nodiscard]] CheckOutcome check_pci(std::string_view address,
                                     const std::string& devices = "/sys/bus/pci/devices",
                                     const std::string& vfio = "/dev/vfio");
/// Enough free hugepages for `megabytes`.
[[nodiscard]] CheckOutcome check_hugepages(std::size_t megabytes);

inline constexpr std::size_t ring_frame_bytes = 2048;    ///< af_packet: framesz
inline constexpr std::size_t ring_block_bytes = 65'536;  ///< af_packet: blocksz; frames come in whole blocks
inline constexpr std::uint32_t ring_frames_min = 64;

struct RingSize {
    std::uint32_t frames = 0;  ///< per direction, a multiple of a block's 32; 0 when not even the least fits
    std::uint64_t limit_bytes = 0;  ///< RLIMIT_MEMLOCK when it made the ring smaller, else 0
};

/// How long the kernel ring of each of `ring_count` af_packet queues can be. Both directions of a ring are
/// locked memory, 2 x frames x 2048 bytes: with the usual 8 MiB limit 2048 frames for one ring
/// (spec/dataplane.md §9).
[[nodiscard]] RingSize ring_size_allowed(std::uint32_t frames_wanted, std::size_t ring_count);
/// The same with the limit given: what is left for rings in bytes.
[[nodiscard]] RingSize ring_size_within(std::uint32_t frames_wanted, std::size_t ring_count,
                                        std::uint64_t limit_bytes) noexcept;
/// "its ring has 2048 frames instead of 4096 because RLIMIT_MEMLOCK is 8192 KiB; …"
[[nodiscard]] CheckOutcome describe_ring(const RingSize& size, std::uint32_t frames_wanted,
                                         std::size_t ring_count);

}  // namespace tickpath::port
