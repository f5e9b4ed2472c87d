// Takes an NSE broadcast datagram apart into its packed messages, by the length rules of the exchange, and
// views the header that each message begins with. Hot: once per datagram and message, on a receive core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"

namespace tickpath::framing::nse {

/// The market a message is of, as its first byte says; layouts and price scales differ by it.
enum class Segment : std::uint8_t { unknown = 0, fo = 2, cm = 4, cd = 6 };

/// Of cNetId or of the first byte of a message.
[[nodiscard]] constexpr Segment segment_of(std::byte market_type) noexcept {
    switch (std::to_integer<unsigned>(market_type)) {
        case 2:
            return Segment::fo;
        case 4:
            return Segment::cm;
        case 6:
            return Segment::cd;
        default:
            return Segment::unknown;
    }
}

inline constexpr std::size_t datagram_header_bytes = 4;  ///< cNetId and iNoPackets
inline constexpr std::size_t prefix_bytes = 8;   ///< before the message; its MessageLength leaves it out
inline constexpr std::size_t header_bytes = 40;  ///< BCAST_HEADER, which MessageLength counts
inline constexpr std::size_t message_bytes_min = prefix_bytes + header_bytes;
/// No message is longer when decompressed: the longest known has 574 bytes (CM 7208).
inline constexpr std::size_t message_bytes_max = 2048;

/// BCAST_HEADER behind the 8-byte prefix. `message` has at least message_bytes_min bytes.
class HeaderView {
public:
    explicit HeaderView(std::span<const std::byte> message) noexcept : at_(message.data() + prefix_bytes) {}

    [[nodiscard]] Segment segment() const noexcept { return segment_of(at_[-8]); }
    /// Seconds since 1980-01-01 of the wall clock in India; 0 when the sender left it out. See time.
    [[nodiscard]] std::int32_t log_time() const noexcept { return i32(4); }
    [[nodiscard]] std::int16_t transcode() const noexcept { return i16(10); }
    [[nodiscard]] std::int32_t sequence() const noexcept { return i32(14); }  ///< BCSeqNo
    /// Seconds as log_time, times 65536.
    [[nodiscard]] std::uint64_t time_stamp_2() const noexcept { return load_big<std::uint64_t>(at_ + 22); }
    /// Which machine or stream of the exchange numbered the message: first byte of Filler2.
    [[nodiscard]] std::uint8_t machine() const noexcept { return std::to_integer<std::uint8_t>(at_[30]); }
    /// Of the message with this header, without the prefix.
    [[nodiscard]] std::int16_t message_length() const noexcept { return i16(38); }

private:
    [[nodiscard]] std::int16_t i16(std::size_t at) const noexcept {
        return static_cast<std::int16_t>(load_big<std::uint16_t>(at_ + at));
    }
    [[nodiscard]] std::int32_t i32(std::size_t at) const noexcept {
        return static_cast<std::int32_t>(load_big<std::uint32_t>(at_ + at));
    }
    const std::byte* at_;
};

/// Unix nanoseconds of a time in seconds since 1980 of the wall clock in India (UTC+5:30, no summer time);
/// 0, "not said", stays 0.
[[nodiscard]] constexpr std::uint64_t unix_ns_of_seconds(std::int32_t seconds_since_1980) noexcept {
    constexpr std::int64_t seconds_1970_to_1980 = 315'532'800;
    constexpr std::int64_t india_ahead_seconds = 19'800;
    if (seconds_since_1980 <= 0) return 0;
    return static_cast<std::uint64_t>(seconds_since_1980 + seconds_1970_to_1980 - india_ahead_seconds) *
           1'000'000'000u;
}
static_assert(unix_ns_of_seconds(1'284'898'263) == 1'600'411'263'000'000'000u);  // 2020-09-18 12:11:03 IST

/// The same of TimeStamp2; its fraction counts 1/65536 seconds, about 15 µs.
[[nodiscard]] constexpr std::uint64_t unix_ns_of_time_stamp_2(std::uint64_t time_stamp_2) noexcept {
    const std::uint64_t seconds = time_stamp_2 >> 16;
    if (seconds == 0 || seconds > 0x7FFF'FFFFu) return 0;  // no time of this clock
    const std::uint64_t fraction_ns = (time_stamp_2 & 0xFFFFu) * 1'000'000'000u >> 16;
    return unix_ns_of_seconds(static_cast<std::int32_t>(seconds)) + fraction_ns;
}

/// Whether `message` (prefix included) is as long as its header says. The feed has no checksum: this is what
/// there is against a block that decompresses to something else. Errors: bad_length.
[[nodiscard]] inline Errc check_length(std::span<const std::byte> message) noexcept {
    if (message.size() < message_bytes_min) return Errc::bad_length;
    const std::int16_t length = HeaderView(message).message_length();
    if (length < static_cast<std::int16_t>(header_bytes)) return Errc::bad_length;
    return prefix_bytes + static_cast<std::size_t>(length) == message.size() ? Errc::ok : Errc::bad_length;
}

/// One message as it is packed.
struct PackedMessage {
    std::span<const std::byte> bytes;  ///< an LZO1Z block, or prefix and message when it is raw
    std::uint32_t offset = 0;          ///< of `bytes` in the payload
    bool is_compressed = false;
};

/// Walks the messages of one datagram, in order. Stops at the first length that cannot be; what was given
/// out before stays true, the rest of the datagram is lost.
class Datagram {
public:
    explicit Datagram(std::span<const std::byte> payload) noexcept : payload_(payload) {
        if (payload.size() < datagram_header_bytes) [[unlikely]] {
            stop(Errc::truncated);
            return;
        }
        left_ = static_cast<std::int16_t>(load_big<std::uint16_t>(payload.data() + 2));
        at_ = datagram_header_bytes;
        if (left_ < 0) [[unlikely]]
            stop(Errc::bad_length);
    }

    /// False when there is no further message; then look at error().
    [[nodiscard]] bool next(PackedMessage& message) noexcept {
        if (left_ <= 0) [[unlikely]]
            return at_end();
        const std::size_t behind = payload_.size() - at_;
        if (behind < length_bytes) [[unlikely]]
            return stop(Errc::bad_length);
        const auto compressed = static_cast<std::int16_t>(load_big<std::uint16_t>(payload_.data() + at_));
        message.is_compressed = compressed != 0;
        std::size_t bytes = static_cast<std::size_t>(compressed);
        if (compressed < 0) [[unlikely]]
            return stop(Errc::bad_length);
        if (compressed == 0) {
            bytes = raw_bytes(behind - length_bytes);
            if (bytes == 0) [[unlikely]]
                return stop(Errc::bad_length);
        }
        if (bytes > behind - length_bytes) [[unlikely]]
            return stop(Errc::bad_length);
        at_ += length_bytes;
        message.offset = static_cast<std::uint32_t>(at_);
        message.bytes = payload_.subspan(at_, bytes);
        at_ += bytes;
        --left_;
        return true;
    }

    /// Gives the rest of the datagram up, because the message given out last is not what it should be.
    void abandon() noexcept {
        left_ = 0;
        at_ = payload_.size();
    }

    [[nodiscard]] Segment segment() const noexcept {
        return payload_.empty() ? Segment::unknown : segment_of(payload_[0]);
    }
    /// truncated: not even the datagram's header is there. bad_length: a length or the count of messages
    /// disagrees with what is there. trailing: bytes are left behind the last message.
    [[nodiscard]] Errc error() const noexcept { return error_; }
    /// Where the next message, or what is wrong, begins.
    [[nodiscard]] std::uint32_t offset() const noexcept { return static_cast<std::uint32_t>(at_); }

private:
    static constexpr std::size_t length_bytes = 2;  ///< CompressionLen

    /// What the header of the raw message behind CompressionLen says; 0 when it cannot be.
    [[nodiscard]] std::size_t raw_bytes(std::size_t there) const noexcept {
        if (there < message_bytes_min) return 0;
        const std::int16_t length =
            HeaderView(payload_.subspan(at_ + length_bytes, message_bytes_min)).message_length();
        return length < static_cast<std::int16_t>(header_bytes)
                   ? 0
                   : prefix_bytes + static_cast<std::size_t>(length);
    }
    [[nodiscard]] bool at_end() noexcept {
        if (error_ == Errc::ok && at_ != payload_.size()) [[unlikely]]
            error_ = Errc::trailing;
        return false;
    }
    [[gnu::cold]] bool stop(Errc error) noexcept {
        error_ = error;
        left_ = 0;
        return false;
    }

    std::span<const std::byte> payload_;
    std::size_t at_ = 0;
    int left_ = 0;
    Errc error_ = Errc::ok;
};

}  // namespace tickpath::framing::nse
