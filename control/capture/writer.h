// Writes Ethernet frames into a pcap file with nanosecond times. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tickpath::capture {

inline constexpr std::size_t frame_bytes_max = 65535;  ///< the snaplen written into the file

/// The file is complete when the writer is closed; a write that failed shows in error().
class Writer {
public:
    /// Makes the file anew; look at error() before the first write.
    explicit Writer(const std::string& path);
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;
    ~Writer();  ///< closes

    /// `frame` starts with the Ethernet header; longer ones than frame_bytes_max are cut, with the size on
    /// the wire kept. Returns false, and does nothing, once there is an error.
    bool write(std::uint64_t time_ns, std::span<const std::byte> frame);
    /// Flushes and closes. False when not everything reached the file.
    bool close();

    /// Empty, or one sentence: "out.pcap: No space left on device after 12 packets".
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    [[nodiscard]] std::uint64_t frames_written() const noexcept { return frames_written_; }

private:
    struct Handle;  // libpcap's
    std::unique_ptr<Handle> handle_;
    std::string path_;
    std::string error_;
    std::uint64_t frames_written_ = 0;
};

}  // namespace tickpath::capture
