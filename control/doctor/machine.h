// The machine as its checks see it: files of /proc and /sys below a root, and what only a system call tells.
// Cold.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tickpath::doctor {

/// Offloads of a kernel interface that change what the other side of it sees.
struct InterfaceFeatures {
    std::string name;
    std::string driver;  ///< "veth"; empty when the kernel does not say
    bool transmit_checksum = false;
    bool tcp_segmentation = false;
    bool generic_segmentation = false;
    bool generic_receive = false;
};

struct Machine {
    std::filesystem::path root;          ///< "/" of a real one
    bool is_clock_synchronised = false;  ///< the kernel's word: adjtimex
    std::vector<InterfaceFeatures> interfaces;

    /// This machine, as this process may see it.
    [[nodiscard]] static Machine this_one();

    /// The first line of a file, by its absolute path on the machine; empty when it cannot be read.
    [[nodiscard]] std::string line_of(std::string_view path) const;
    /// The first line of a file that begins with `start`, or nothing.
    [[nodiscard]] std::string line_with(std::string_view path, std::string_view start) const;
    /// Names in a folder, sorted, a numbered one by its number; none when it cannot be read.
    [[nodiscard]] std::vector<std::string> names_in(std::string_view folder) const;
    /// A folder has folders in it.
    [[nodiscard]] bool has_folder_in(std::string_view folder) const;
    [[nodiscard]] bool has(std::string_view path) const;
    /// Last part of the path that a symbolic link leads to; empty when there is no link.
    [[nodiscard]] std::string link_name(std::string_view path) const;
};

}  // namespace tickpath::doctor
