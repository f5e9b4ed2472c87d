// Writes the wire forms of FAST 1.1 §10.6, the inverse of cursor.h: always the shortest form. Hot: once or
// twice per field.
//
// No write checks for the end of the buffer: behind `limit` there is slack for the longest integer entities
// of one instruction, and whoever writes looks at overran() after each. Texts are checked before they are
// written.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "decoders/fast/cursor.h"
#include "decoders/fast/message.h"

namespace tickpath::fast {

/// Bytes behind WireWriter's limit: what one instruction may write before anyone looks, an exponent and a
/// mantissa of ten bytes each, or a subtraction, a preamble and a length.
inline constexpr std::size_t writer_slack_bytes = 32;

class WireWriter {
public:
    WireWriter() noexcept = default;
    WireWriter(std::uint8_t* begin, std::uint8_t* limit) noexcept : at_(begin), limit_(limit) {}

    [[nodiscard]] std::uint8_t* at() const noexcept { return at_; }
    [[nodiscard]] bool overran() const noexcept { return at_ > limit_; }
    [[nodiscard]] bool has_room(std::size_t bytes) const noexcept {
        return at_ <= limit_ && bytes <= static_cast<std::size_t>(limit_ - at_);
    }

    /// NULL of every nullable form (§10.4).
    [[gnu::always_inline]] void write_null() noexcept { *at_++ = stop_bit; }

    /// §10.6.1.1.
    [[gnu::always_inline]] void write_unsigned(std::uint64_t value) noexcept {
        if (value < stop_bit) return write_one_group(value);
        write_groups(value, (static_cast<unsigned>(std::bit_width(value | 1)) + 6) / 7);
    }
    /// §10.6.1.2: as many groups as keep the sign in bit 6 of the first.
    [[gnu::always_inline]] void write_signed(std::int64_t value) noexcept {
        const auto shifted = static_cast<std::uint64_t>(value) + stop_bit / 2;
        if (shifted < stop_bit) return write_one_group(static_cast<std::uint64_t>(value));
        const auto magnitude = static_cast<std::uint64_t>(value ^ (value >> 63));
        write_groups(value, static_cast<unsigned>(std::bit_width(magnitude)) / 7 + 1);
    }
    /// Non-negative values carry a bias of one (§10.6.1). The largest needs a bit more than its type.
    [[gnu::always_inline]] void write_nullable_unsigned(std::uint64_t value) noexcept {
        if (value + 1 != 0) [[likely]]
            return write_unsigned(value + 1);
        write_largest_nullable(0x02);
    }
    [[gnu::always_inline]] void write_nullable_signed(std::int64_t value) noexcept {
        if (value < 0) return write_signed(value);
        if (value != std::numeric_limits<std::int64_t>::max()) [[likely]]
            return write_signed(value + 1);
        write_largest_nullable(0x01);
    }
    /// §10.7.1: a difference may need 65 bits.
    template <bool nullable>
    void write_delta(Int128 delta) noexcept {
        const Int128 biased = nullable && delta >= 0 ? delta + 1 : delta;
        const auto low = static_cast<std::int64_t>(biased);
        if (biased == low) [[likely]]
            return write_signed(low);
        const auto top = static_cast<std::uint8_t>(biased >> 63);  // bits 63 to 69 are the tenth group
        *at_++ = top & 0x7Fu;
        write_groups(static_cast<std::uint64_t>(biased), 9);
    }

    /// §10.6.3. What would read as a preamble gets one of its own.
    template <bool nullable>
    void write_ascii(Text text) noexcept {
        const std::string_view raw = text.raw();
        std::uint8_t* to = at_;
        if (raw.empty()) {
            if constexpr (nullable) *to++ = 0;
            *to = stop_bit;
            at_ = to + 1;
            return;
        }
        if (text[0] == 0) [[unlikely]] {
            *to++ = 0;
            if constexpr (nullable) *to++ = 0;
        }
        for (const char c : raw)
            *to++ = static_cast<std::uint8_t>(c) & 0x7Fu;
        to[-1] |= stop_bit;
        at_ = to;
    }

    /// §10.6.4, §10.6.5.
    template <bool nullable>
    void write_bytes(Text text) noexcept {
        if constexpr (nullable) {
            write_nullable_unsigned(text.size());
        } else {
            write_unsigned(text.size());
        }
        if (!text.empty()) std::memcpy(at_, text.raw().data(), text.size());
        at_ += text.size();
    }

    /// A place for a presence map of 1 to `bytes` bytes, to be filled in later.
    [[nodiscard]] std::uint8_t* skip_map(std::size_t bytes) noexcept {
        std::uint8_t* const map = at_;
        std::size_t i = 0;
        do  // mostly one or two: no call
            map[i] = 0;
        while (++i < bytes);
        at_ += bytes;
        return map;
    }
    /// Moves what stands behind `from` to `to`, before it: a map took fewer bytes than were kept for it.
    void close_gap(std::uint8_t* to, const std::uint8_t* from) noexcept {
        const auto bytes = static_cast<std::size_t>(at_ - from);
        std::memmove(to, from, bytes);
        at_ = to + bytes;
    }

private:
    [[gnu::always_inline]] void write_one_group(std::uint64_t value) noexcept {
        *at_++ = static_cast<std::uint8_t>(value) | stop_bit;
    }
    /// A signed value is extended by its sign: the tenth group has seven bits for the sixty-fourth.
    template <class T>
    [[gnu::always_inline]] void write_groups(T value, unsigned groups) noexcept {
        std::uint8_t* to = at_;  // a local, since a byte that is written might be any member
        for (unsigned i = groups - 1; i != 0; --i)
            *to++ = static_cast<std::uint8_t>(value >> (7 * i)) & 0x7Fu;
        *to = static_cast<std::uint8_t>(value) | stop_bit;
        at_ = to + 1;
    }
    [[gnu::cold, gnu::noinline]] void write_largest_nullable(std::uint8_t top) noexcept {
        *at_++ = top;
        write_groups(std::uint64_t{0}, 9);
    }

    std::uint8_t* at_ = nullptr;
    std::uint8_t* limit_ = nullptr;
};

}  // namespace tickpath::fast
