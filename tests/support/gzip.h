// Expected files are kept gzipped; gunzip is on every Debian.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace tickpath::test {

[[nodiscard]] inline std::string read_gzip(const std::filesystem::path& path) {
    const std::string command = "gzip -dc '" + path.string() + "'";
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    if (!pipe) throw std::runtime_error("cannot run gzip");
    std::string text;
    std::array<char, 65536> buffer;
    for (std::size_t count = 0; (count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) != 0;)
        text.append(buffer.data(), count);
    if (text.empty()) throw std::runtime_error("nothing in " + path.string());
    return text;
}

}  // namespace tickpath::test
