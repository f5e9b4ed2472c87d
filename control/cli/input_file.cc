#include "control/cli/input_file.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/cli/talk.h"
#include "decoders/base/whole_file.h"

namespace tickpath::cli {
namespace {

constexpr std::size_t step_bytes = std::size_t{1} << 16;

std::string system_error() {
    const int why = errno;
    return std::string("cannot be read: ") + std::strerror(why);
}

// The descriptor of ours that the path names.
std::optional<int> own_descriptor(std::string_view path) {
    if (path == "/dev/stdin") return STDIN_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        int descriptor = 0;
        const char* const end = path.data() + path.size();
        const auto [stop, failure] = std::from_chars(path.data() + folder.size(), end, descriptor);
        if (failure == std::errc{} && stop == end) return descriptor;
    }
    return std::nullopt;
}

bool write_all(int to, const char* bytes, std::size_t size) {
    while (size != 0) {
        const ssize_t count = ::write(to, bytes, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

// Returns what is wrong.
std::string copy_all(int from, int to) {
    std::vector<char> step(step_bytes);
    for (std::size_t size = 0;;) {
        const ssize_t count = ::read(from, step.data(), step.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 || (count > 0 && !write_all(to, step.data(), static_cast<std::size_t>(count))))
            return system_error();
        if (count == 0) return {};
        size += static_cast<std::size_t>(count);
        if (size > data_bytes_max)
            return "has more than the " + std::to_string(data_bytes_max) + " bytes that are read of a pipe";
    }
}

// A file in memory in its place: whoever opens the path from here on reads that from its beginning.
std::string replace_by_its_content(int descriptor) {
    const int copy = ::memfd_create("tickpath-input", MFD_CLOEXEC);
    if (copy < 0) return system_error();
    std::string problem = copy_all(descriptor, copy);
    if (problem.empty() && ::dup2(copy, descriptor) < 0) problem = system_error();
    ::close(copy);
    return problem;
}

std::string settle(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};  // whoever opens it says so
    const bool is_once = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
    const bool is_terminal = S_ISCHR(status.st_mode);
    const std::optional<int> descriptor = own_descriptor(path);
    if (descriptor && (is_once || (is_terminal && ::isatty(*descriptor) == 1)))
        return replace_by_its_content(*descriptor);
    if (is_once)
        return "is a pipe or socket, and would be read more than once; give it as /dev/stdin, with < " + path;
    return {};
}

}  // namespace

std::optional<ExitCode> settle_inputs(std::initializer_list<InputFile> inputs) {
    for (const InputFile& input : inputs) {
        if (input.path.empty()) continue;
        const std::string problem = settle(input.path);
        if (problem.empty()) continue;
        say(input.path + ": " + problem);
        return input.refusal;
    }
    return std::nullopt;
}

}  // namespace tickpath::cli
