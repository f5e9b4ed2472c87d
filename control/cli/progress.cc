#include "control/cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace tickpath::cli {
namespace {

constexpr std::chrono::milliseconds silence(1000);  // what is over by then needs no bar
constexpr std::chrono::milliseconds interval(200);
constexpr const char* erase_line = "\r\x1b[K";

std::string bytes_text(std::uint64_t bytes) {
    constexpr double giga = 1e9;
    constexpr double mega = 1e6;
    const auto size = static_cast<double>(bytes);
    return size < giga ? fmt::format("{:.0f} MB", std::max(1.0, size / mega))
                       : fmt::format("{:.1f} GB", size / giga);
}

}  // namespace

std::uint64_t file_bytes(const std::string& path) {
    std::error_code failed;
    const std::uintmax_t size = std::filesystem::file_size(path, failed);
    return failed ? 0 : size;
}

std::string progress_text(std::uint64_t bytes_read, std::uint64_t bytes_all,
                          std::chrono::nanoseconds elapsed) {
    if (bytes_read == 0 || bytes_all == 0) return {};
    const double done = std::min(1.0, static_cast<double>(bytes_read) / static_cast<double>(bytes_all));
    const double seconds = std::chrono::duration<double>(elapsed).count();
    return fmt::format("tickpath: {:.0f} % of {}, {:.0f} s left", std::floor(100 * done),
                       bytes_text(bytes_all), std::ceil(seconds / done * (1 - done)));
}

Progress::Progress(std::uint64_t bytes_all)
    : bytes_all_(bytes_all),
      is_watched_(isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0),
      begin_(Clock::now()),
      next_(begin_ + silence) {}

Progress::~Progress() {
    if (is_shown_) std::fputs(erase_line, stderr);
}

void Progress::show(std::uint64_t bytes_read) {
    if (!is_watched_) return;
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + interval;
    is_shown_ = true;
    std::fprintf(stderr, "%s%s", erase_line, progress_text(bytes_read, bytes_all_, now - begin_).c_str());
}

}  // namespace tickpath::cli
