// How far a long file has been read, for a person who waits at a terminal. Cold.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tickpath::cli {

/// Of the file at `path`; 0 when that cannot be told.
[[nodiscard]] std::uint64_t file_bytes(const std::string& path);

/// What a pcap file has before each frame: all that a bar needs to know of the format.
inline constexpr std::size_t capture_frame_header_bytes = 16;

/// "tickpath: 42 % of 1.2 GB, 3 s left" for so far and in all; empty when there is nothing to say yet.
[[nodiscard]] std::string progress_text(std::uint64_t bytes_read, std::uint64_t bytes_all,
                                        std::chrono::nanoseconds elapsed);

/// Writes a line to stderr and rewrites it in place, a few times a second, when stderr is a terminal and
/// stdout is not the same one's; otherwise nothing, ever. A file that is read within a second shows nothing
/// either.
class Progress {
public:
    explicit Progress(std::uint64_t bytes_all);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();  ///< takes the line away

    void show(std::uint64_t bytes_read);

private:
    using Clock = std::chrono::steady_clock;
    std::uint64_t bytes_all_;
    bool is_watched_;
    bool is_shown_ = false;
    Clock::time_point begin_;
    Clock::time_point next_;
};

}  // namespace tickpath::cli
