#include "decoders/base/whole_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tickpath {
namespace {

constexpr std::size_t step_bytes_min = std::size_t{64} << 10;

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

FileContent refused_by_system() {
    const int why = errno;
    return {.bytes = {}, .error = Errc::io, .why = std::string("cannot be read: ") + std::strerror(why)};
}

}  // namespace

FileContent read_whole_file(const std::filesystem::path& path, std::size_t bytes_max) {
    std::error_code failure;
    if (std::filesystem::is_directory(path, failure))
        return {.bytes = {}, .error = Errc::io, .why = "is a directory"};
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    if (!file) return refused_by_system();

    FileContent content;
    std::size_t size = 0;
    // One byte beyond the bound tells a file that is too long from one that just fits.
    while (size <= bytes_max) {
        const std::size_t step = std::min(std::max(step_bytes_min, size), bytes_max + 1 - size);
        content.bytes.resize(size + step);
        const std::size_t count = std::fread(content.bytes.data() + size, 1, step, file.get());
        size += count;
        if (count < step) break;
    }
    if (std::ferror(file.get()) != 0) return refused_by_system();
    if (size > bytes_max)
        return {.bytes = {},
                .error = Errc::limit,
                .why = "has more than the " + std::to_string(bytes_max) + " bytes that are read"};
    content.bytes.resize(size);
    return content;
}

}  // namespace tickpath
