// Counts the frames of a capture and notes their times before it is replayed: the PMD that replays it tells
// neither the end nor nanoseconds. Cold, free of libpcap and DPDK.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tickpath::port {

struct CaptureIndex {
    std::uint64_t frame_count = 0;  ///< whole frames up to the end or to the first defect
    /// Nanoseconds since 1970 of each frame; empty when there are more than `times_max`.
    std::vector<std::uint64_t> times_ns;
    std::uint64_t first_ns = 0;   ///< time of the first frame, held or not; later ones may step back
    std::uint64_t latest_ns = 0;  ///< highest time
    std::string
        error;  ///< the file cannot be replayed: one sentence without the file's name, with what to do
    std::string warning;  ///< it can, up to a defect: "cut inside packet 17"
};

/// Reads the whole of a pcap (micro- or nanoseconds, either byte order) or pcapng file with Ethernet frames.
/// Agrees with libpcap 1.10 on which frames there are.
[[nodiscard]] CaptureIndex index_capture(const std::string& path, std::uint64_t times_max);

}  // namespace tickpath::port
