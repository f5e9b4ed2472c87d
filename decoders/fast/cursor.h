// Reads the wire forms of FAST 1.1 §10.6 (stop-bit integers, strings, byte vectors). Hot: once or twice per
// field.
//
// PERF: no read checks for the end of the input. Behind the input stand sentinels, bytes of 80, which end any
// entity at once; whoever decodes a segment compares the position with the end once, at the segment's end
// (spec/fast.md §13.1, §14). One to four bytes are unrolled branches: with predictable lengths these beat
// every table, pext or vector form, because a predicted branch does not make a field wait for the field
// before it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "decoders/base/bytes.h"
#include "decoders/base/error.h"
#include "decoders/fast/message.h"

namespace tickpath::fast {

__extension__ using Int128 = __int128;

inline constexpr std::uint8_t stop_bit = 0x80;
inline constexpr std::uint8_t sentinel_byte = 0x80;

/// The datagram under decoding, and what was found wrong with it. One per decoder.
struct Input {
    const std::uint8_t* begin = nullptr;
    const std::uint8_t* end = nullptr;  ///< sentinels from here on
    Errc error = Errc::ok;
    std::uint8_t reports = 0;  ///< bit per Report, of the current message
    bool strict = false;
    std::uint32_t string_bytes_max = 0;
    std::uint32_t entity_bytes_max = 0;
    std::uint32_t map_bytes_max = 0;

    /// Notes an error and returns false. An entity that reached into the sentinels is truncated, whatever its
    /// value looks like.
    [[gnu::cold, gnu::noinline]] bool fail(Errc what, const std::uint8_t* consumed_to) noexcept;

    /// Notes a reportable error; returns whether decoding may go on.
    [[gnu::cold, gnu::noinline]] bool report(Report what, const std::uint8_t* consumed_to) noexcept;
};

/// Outcome of a read that may find NULL.
enum class Got : std::uint8_t { failed, null, value };

struct SlowInteger {
    std::uint64_t value = 0;
    const std::uint8_t* next = nullptr;
    Got got = Got::failed;
};
struct SlowDelta {
    Int128 value = 0;
    const std::uint8_t* next = nullptr;
    Got got = Got::failed;
};
struct SlowText {
    std::uint64_t slot = 0;
    const std::uint8_t* next = nullptr;
    Got got = Got::failed;
};

// Any length, every check. T is one of the four integer types.
template <class T, bool nullable>
[[gnu::noinline]] SlowInteger read_slow_integer(const std::uint8_t* at, Input& input) noexcept;
template <bool nullable>
[[gnu::noinline]] SlowDelta read_slow_delta(const std::uint8_t* at, Input& input) noexcept;
template <bool nullable>
[[gnu::noinline]] SlowText read_slow_ascii(const std::uint8_t* at, Input& input) noexcept;

/// A position in a sentinel-padded input. Small enough to live in registers: reads never hand out its
/// address.
class Cursor {
public:
    Cursor(const std::uint8_t* at, Input& input) noexcept : at_(at), input_(&input) {}

    [[nodiscard, gnu::always_inline]] const std::uint8_t* at() const noexcept { return at_; }
    [[gnu::always_inline]] void move_to(const std::uint8_t* at) noexcept { at_ = at; }
    [[nodiscard, gnu::always_inline]] Input& input() const noexcept { return *input_; }
    [[nodiscard, gnu::always_inline]] bool past_end() const noexcept { return at_ > input_->end; }

    [[gnu::always_inline]] bool fail(Errc what) noexcept { return input_->fail(what, at_); }

    /// §10.6.1. Signed values come sign-extended to 64 bits. D2 outside T.
    template <class T>
    [[nodiscard, gnu::always_inline]] bool read(std::uint64_t& value) noexcept {
        return read_inline<T>(value) || read_rest<T, false>(value) == Got::value;
    }

    /// §10.6.1 with NULL. Only non-negative values carry the bias of one.
    template <class T>
    [[nodiscard, gnu::always_inline]] Got read_nullable(std::uint64_t& value) noexcept {
        if (!read_inline<T>(value)) return read_rest<T, true>(value);
        return without_bias<T>(value);
    }

    /// §10.7.1: a signed integer that may need 65 bits; those go through `wide`, and the result is
    /// Got::failed with no error noted. `value` is a 64-bit two's complement.
    template <bool nullable>
    [[nodiscard, gnu::always_inline]] Got read_delta(std::uint64_t& value) noexcept {
        if (!read_inline<std::int64_t>(value)) return Got::failed;
        if constexpr (nullable) return without_bias<std::int64_t>(value);
        return Got::value;
    }

    /// §10.6.3. `slot` is a text slot in the datagram.
    template <bool nullable>
    [[nodiscard, gnu::always_inline]] Got read_ascii(std::uint64_t& slot) noexcept {
        const std::uint8_t* const p = at_;
        if (p[0] & stop_bit) {
            at_ = p + 1;
            if (p[0] == stop_bit) [[unlikely]] {
                slot = text_slot(TextSpace::datagram, 0, 0);
                return nullable ? Got::null : Got::value;
            }
            slot = datagram_slot(p, 1);
            return Got::value;
        }
        const std::uint64_t stops = load_little<std::uint64_t>(p) & 0x8080'8080'8080'8080u;
        if (p[0] == 0 || stops == 0) [[unlikely]] {
            const SlowText slow = read_slow_ascii<nullable>(p, *input_);
            if (slow.got == Got::failed) return Got::failed;
            at_ = slow.next;
            slot = slow.slot;
            return slow.got;
        }
        const auto length = static_cast<std::uint32_t>(std::countr_zero(stops)) / 8 + 1;
        at_ = p + length;
        slot = datagram_slot(p, length);
        return Got::value;
    }

    /// §10.6.4, §10.6.5: a length and that many raw bytes. The length is compared with the bytes left, which
    /// may be negative, before anything else.
    template <bool nullable>
    [[nodiscard, gnu::always_inline]] Got read_bytes(std::uint64_t& slot) noexcept {
        std::uint64_t length = 0;
        if constexpr (nullable) {
            const Got got = read_nullable<std::uint32_t>(length);
            if (got != Got::value) return got;
        } else if (!read<std::uint32_t>(length)) {
            return Got::failed;
        }
        if (static_cast<std::int64_t>(length) > input_->end - at_) [[unlikely]] {
            input_->fail(Errc::truncated, at_);
            return Got::failed;
        }
        if (length > input_->string_bytes_max) [[unlikely]] {
            input_->fail(Errc::limit, at_);
            return Got::failed;
        }
        slot = datagram_slot(at_, length);
        at_ += length;
        return Got::value;
    }

private:
    /// Up to four bytes, for 64-bit types up to nine: everything that needs no check of the type's bounds.
    /// False when there are more bytes, with nothing consumed, or on a strict R6.
    template <class T>
    [[nodiscard, gnu::always_inline]] bool read_inline(std::uint64_t& value) noexcept {
        const std::uint8_t* const p = at_;
        std::uint64_t v = first_group<T>(p[0]);
        if (p[0] & stop_bit) {
            value = v;
            at_ = p + 1;
            return true;
        }
        // An unsigned value that begins with a group of zeros is overlong: the slow path reports it.
        if constexpr (std::is_unsigned_v<T>)
            if (p[0] == 0) [[unlikely]]
                return false;
        // Only the last byte has its top bit set, so only there it has to be taken off again.
        v = (v << 7) + p[1];
        if (p[1] & stop_bit) return finish<T, 2>(v - stop_bit, value);
        v = (v << 7) + p[2];
        if (p[2] & stop_bit) return finish<T, 3>(v - stop_bit, value);
        v = (v << 7) + p[3];
        if (p[3] & stop_bit) return finish<T, 4>(v - stop_bit, value);
        if constexpr (sizeof(T) == 8) {
            for (unsigned i = 4; i < 9; ++i) {
                v = (v << 7) + p[i];
                if (!(p[i] & stop_bit)) continue;
                if (std::is_signed_v<T> && is_overlong(p)) break;  // rare enough for the slow path
                value = v - stop_bit;
                at_ = p + i + 1;
                return true;
            }
        }
        return false;
    }

    template <class T, bool nullable>
    [[nodiscard, gnu::always_inline]] Got read_rest(std::uint64_t& value) noexcept {
        if (input_->error != Errc::ok) return Got::failed;
        const SlowInteger slow = read_slow_integer<T, nullable>(at_, *input_);
        if (slow.got == Got::failed) return Got::failed;
        at_ = slow.next;
        value = slow.value;
        return slow.got;
    }

    template <class T>
    [[nodiscard, gnu::always_inline]] static std::uint64_t first_group(std::uint8_t byte) noexcept {
        if constexpr (std::is_signed_v<T>) {
            const auto seven_bits = static_cast<std::int8_t>(static_cast<std::uint8_t>(byte << 1));
            return static_cast<std::uint64_t>(std::int64_t{seven_bits} >> 1);
        }
        return byte & 0x7Fu;
    }

    template <class T, unsigned length>
    [[nodiscard, gnu::always_inline]] bool finish(std::uint64_t v, std::uint64_t& value) noexcept {
        if constexpr (std::is_signed_v<T>) {
            constexpr std::uint64_t shorter = std::uint64_t{1} << (7 * (length - 1));
            if (v + shorter / 2 < shorter) [[unlikely]]  // one group less would have said the same
                if (!input_->report(Report::r6, at_ + length)) return false;
        }
        value = v;
        at_ += length;
        return true;
    }

    /// Of a signed value.
    [[nodiscard, gnu::always_inline]] static bool is_overlong(const std::uint8_t* p) noexcept {
        const auto top = static_cast<std::uint8_t>(p[0] << 1 | (p[1] >> 6 & 1));
        return top == 0 || top == 0xFF;
    }

    template <class T>
    [[nodiscard, gnu::always_inline]] static Got without_bias(std::uint64_t& value) noexcept {
        if (value == 0) return Got::null;
        if constexpr (std::is_signed_v<T>) {
            value -= static_cast<std::int64_t>(value) > 0 ? 1 : 0;
        } else {
            value -= 1;
        }
        return Got::value;
    }

    [[nodiscard, gnu::always_inline]] std::uint64_t datagram_slot(const std::uint8_t* from,
                                                                  std::uint64_t length) const noexcept {
        return text_slot(TextSpace::datagram, static_cast<std::uint64_t>(from - input_->begin), length);
    }

    const std::uint8_t* at_;
    Input* input_;
};

}  // namespace tickpath::fast
