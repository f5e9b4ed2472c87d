#include "control/runtime/topology.h"

#include <charconv>
#include <string>
#include <system_error>

namespace tickpath::runtime {

// The folder of a CPU has a link to that of its node: cpu3/node1.
int numa_node_of_cpu(int cpu, const std::filesystem::path& cpus) {
    std::error_code failure;
    const std::filesystem::path folder = cpus / ("cpu" + std::to_string(cpu));
    for (std::filesystem::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        const std::string name = at->path().filename().string();
        if (!name.starts_with("node")) continue;
        int node = -1;
        const auto [stop, error] = std::from_chars(name.data() + 4, name.data() + name.size(), node);
        if (error == std::errc() && stop == name.data() + name.size()) return node;
    }
    return -1;
}

}  // namespace tickpath::runtime
