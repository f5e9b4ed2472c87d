// Which CPU belongs to which NUMA node, as /sys says. Cold.
#pragma once

#include <filesystem>

namespace tickpath::runtime {

/// -1 when the CPU is not there, is not pinned to (below 0), or the kernel knows no nodes.
[[nodiscard]] int numa_node_of_cpu(int cpu, const std::filesystem::path& cpus = "/sys/devices/system/cpu");

}  // namespace tickpath::runtime
