#include "control/runtime/topology.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace tickpath::runtime {
namespace {

TEST(Topology, FindsTheNodeOfACpu) {
    const test::TemporaryFolder folder;
    for (const char* path : {"cpu0/node0", "cpu0/cache", "cpu12/nodes", "cpu12/node3", "cpu13/node3x"})
        std::filesystem::create_directories(folder.file(path));
    EXPECT_EQ(numa_node_of_cpu(0, folder.file("")), 0);
    EXPECT_EQ(numa_node_of_cpu(12, folder.file("")), 3);
    EXPECT_EQ(numa_node_of_cpu(13, folder.file("")), -1) << "no number";
    EXPECT_EQ(numa_node_of_cpu(1, folder.file("")), -1) << "no such CPU";
    EXPECT_EQ(numa_node_of_cpu(-1, folder.file("")), -1) << "not pinned";
}

}  // namespace
}  // namespace tickpath::runtime
