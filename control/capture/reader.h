// Reads capture files frame by frame: pcap in micro- and nanoseconds, pcapng. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tickpath::capture {

/// One frame of a file; `bytes` is valid until the next call of Reader::next.
struct CapturedFrame {
    std::uint64_t number = 0;   ///< counts from 0 over all frames of the file
    std::uint64_t time_ns = 0;  ///< nanoseconds since 1970
    std::uint32_t size_on_wire_bytes = 0;
    std::span<const std::byte> bytes;  ///< Ethernet header first

    /// The capturing program kept only the frame's beginning (snaplen).
    [[nodiscard]] bool is_cut() const noexcept { return bytes.size() < size_on_wire_bytes; }
};

/// Whether the file begins like a pcap or pcapng file.
[[nodiscard]] bool is_capture_file(const std::string& path);

/// What the frames of a capture may be.
enum class Links : std::uint8_t {
    ethernet,
    ethernet_or_erf,  ///< also records of capture cards: then the bytes of a frame are a record, see
                      ///< net/erf.h
};

/// Whatever is whole before a defect is delivered; then next() ends and error() says where and what.
class Reader {
public:
    /// Opens a file; look at error() before the first next(). Captures of other links are refused.
    explicit Reader(const std::string& path, Links links = Links::ethernet);
    Reader(Reader&&) noexcept;
    Reader& operator=(Reader&&) noexcept;
    ~Reader();

    /// The next frame; nullopt at the end of the file or at a defect.
    [[nodiscard]] std::optional<CapturedFrame> next();

    /// The frames are ERF records.
    [[nodiscard]] bool is_erf() const noexcept { return is_erf_; }

    /// Empty, or one sentence with the file's name, and from a defect on the packet number:
    /// "feed.pcap: packet 17: truncated dump file; …; the 17 packets before it were read".
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    [[nodiscard]] std::uint64_t frames_read() const noexcept { return frames_read_; }

private:
    struct Handle;  // libpcap's
    std::unique_ptr<Handle> handle_;
    std::string path_;
    std::string error_;
    std::uint64_t frames_read_ = 0;
    bool is_erf_ = false;
};

}  // namespace tickpath::capture
