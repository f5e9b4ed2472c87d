// A folder of the test's own that is gone when the test is.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tickpath::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tickpath-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
        path_ = pattern;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }
    /// Writes the content and returns the file's path.
    std::string write(std::string_view name, std::string_view content) const {
        std::ofstream out(path_ / name, std::ios::binary);
        out.exceptions(std::ios::failbit | std::ios::badbit);
        out.write(content.data(), static_cast<std::streamsize>(content.size()));
        return file(name);
    }

private:
    std::filesystem::path path_;
};

}  // namespace tickpath::test
