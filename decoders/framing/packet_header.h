// The FAST message that every datagram of a T7 feed begins with: sender, packet number, sending time. It is
// framing, read before any decoder: it touches no dictionary. Hot: once per datagram of such a feed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"

namespace tickpath::framing {

struct PacketHeader {
    /// `truncated`; `d2` when an integer does not fit 32 bits; `bad_length` when the number or the time has
    /// another width; `bad_syntax` when the presence map is not that of a header.
    Errc error = Errc::ok;
    std::uint32_t template_id = 0;
    std::uint32_t sender = 0;           ///< SenderCompID
    std::uint32_t number = 0;           ///< PacketSeqNum, contiguous per sender
    std::uint64_t sending_time_ns = 0;  ///< since 1970 UTC
    std::size_t bytes = 0;              ///< of the header; the first message follows
};

/// Reads what stands at the beginning of `payload`: spec/fast-feeds.md §1 and §2, real bytes of one packet.
/// Only the template's identifier is in the presence map; the number is a byte vector of four, the time of
/// eight bytes, both big-endian.
class PacketHeaderReader {
public:
    explicit PacketHeaderReader(std::span<const std::byte> payload) noexcept : payload_(payload) {}

    [[nodiscard]] PacketHeader read() noexcept {
        PacketHeader header;
        if (!payload_.empty() && payload_[0] != identifier_only) fail(Errc::bad_syntax);
        at_ = 1;
        header.template_id = read_u32();
        header.sender = read_u32();
        if (const std::byte* const number = read_vector(sizeof(std::uint32_t)))
            header.number = load_big<std::uint32_t>(number);
        if (const std::byte* const time = read_vector(sizeof(std::uint64_t)))
            header.sending_time_ns = load_big<std::uint64_t>(time);
        header.bytes = at_;
        if (error_ != Errc::ok) [[unlikely]]
            header = {.error = error_};
        return header;
    }

private:
    static constexpr std::byte identifier_only{0xC0};

    [[nodiscard]] std::uint32_t read_u32() noexcept {
        std::uint64_t value = 0;
        while (error_ == Errc::ok) {  // at most five bytes
            if (at_ >= payload_.size()) return fail(Errc::truncated);
            const auto byte = std::to_integer<std::uint8_t>(payload_[at_++]);
            value = (value << 7) | (byte & 0x7Fu);
            if (value > 0xFFFF'FFFF) return fail(Errc::d2);
            if ((byte & 0x80u) != 0) return static_cast<std::uint32_t>(value);
        }
        return 0;
    }

    /// Null after an error.
    [[nodiscard]] const std::byte* read_vector(std::size_t width) noexcept {
        const std::uint32_t length = read_u32();
        if (error_ == Errc::ok && length != width) fail(Errc::bad_length);
        if (error_ == Errc::ok && payload_.size() - at_ < width) fail(Errc::truncated);
        if (error_ != Errc::ok) return nullptr;
        const std::byte* const value = payload_.data() + at_;
        at_ += width;
        return value;
    }

    std::uint32_t fail(Errc error) noexcept {
        if (error_ == Errc::ok) error_ = error;
        return 0;
    }

    std::span<const std::byte> payload_;
    std::size_t at_ = 0;
    Errc error_ = Errc::ok;
};

}  // namespace tickpath::framing
