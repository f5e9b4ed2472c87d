#include "decoders/lzo1z/block_writer.h"

#include <algorithm>
#include <cstring>

namespace tickpath::lzo1z {
namespace {

// Bytes of a length extension for `rest`, which is 1 or more.
constexpr std::size_t extension_bytes(std::size_t rest) noexcept {
    return (rest - 1) / 255 + 1;
}

constexpr std::size_t run_field_max = 18;
constexpr std::size_t far_field_max = 33;
constexpr std::size_t last_field_max = 9;
constexpr std::size_t opening_max = 238;

}  // namespace

BlockWriter::BlockWriter(std::span<std::byte> out) noexcept
    : begin_(reinterpret_cast<std::uint8_t*>(out.data())), at_(begin_), end_(begin_ + out.size()) {}

// Section 10's preference, cheapest first.
std::size_t BlockWriter::cost(Match match, std::size_t literals) const noexcept {
    if (match.length < 3) return 0;
    if (match.length <= short_length_max) {
        if (match.distance == distance_) return 1;
        if (match.distance <= near_distance_max) return 2;
        if (match.length == 3 && literals >= 4 && match.distance <= mid_distance_max) return 2;
    }
    const std::size_t field_max = match.distance <= far_distance_max ? far_field_max : last_field_max;
    return 3 + (match.length > field_max ? extension_bytes(match.length - field_max) : 0);
}

void BlockWriter::match(std::span<const std::uint8_t> before, Match match) noexcept {
    literals(before);
    const std::size_t length = match.length;
    const std::size_t distance = match.distance;
    if (length <= short_length_max && distance == distance_) {
        byte((length - 1) << 5 | 0x1C);
    } else if (length <= short_length_max && distance <= near_distance_max) {
        byte((length - 1) << 5 | (distance - 1) >> 6);
        byte((distance - 1) << 2);
    } else if (length == 3 && state_ == 4 && distance > near_distance_max && distance <= mid_distance_max) {
        byte((distance - 1793) >> 6);
        byte((distance - 1793) << 2);
    } else if (distance <= far_distance_max) {
        byte(0x20 | (length <= far_field_max ? length - 2 : 0));
        if (length > far_field_max) extension(length - far_field_max);
        distance_bytes(distance - 1);
    } else {
        const std::size_t stored = distance - 16'384;
        byte(0x10 | stored >> 14 << 3 | (length <= last_field_max ? length - 2 : 0));
        if (length > last_field_max) extension(length - last_field_max);
        distance_bytes(stored);
    }
    distance_ = distance;
    state_ = 0;
}

void BlockWriter::finish(std::span<const std::uint8_t> left) noexcept {
    literals(left);
    byte(0x11);
    byte(0);
    byte(0);
}

void BlockWriter::literals(std::span<const std::uint8_t> bytes) noexcept {
    const std::size_t count = bytes.size();
    if (count == 0) return;
    if (distance_ == 0 && count <= opening_max) {
        byte(17 + count);
    } else if (distance_ != 0 && count <= 3) {
        if (!overrun_) at_[-1] |= static_cast<std::uint8_t>(count);  // S of the match before
    } else if (count <= run_field_max) {
        byte(count - 3);
    } else {
        byte(0);
        extension(count - run_field_max);
    }
    if (overrun_ || count > static_cast<std::size_t>(end_ - at_)) {
        overrun_ = true;
        return;
    }
    std::memcpy(at_, bytes.data(), count);
    at_ += count;
    state_ = static_cast<unsigned>(std::min<std::size_t>(count, 4));
}

void BlockWriter::byte(std::size_t value) noexcept {
    if (at_ == end_) overrun_ = true;
    if (!overrun_) *at_++ = static_cast<std::uint8_t>(value);
}

void BlockWriter::extension(std::size_t rest) noexcept {
    for (; rest > 255; rest -= 255)
        byte(0);
    byte(rest);
}

// High part first; the low six bits sit above S, which is filled in when the literals behind are known.
void BlockWriter::distance_bytes(std::size_t stored) noexcept {
    byte(stored >> 6 & 0xFF);
    byte((stored & 63) << 2);
}

}  // namespace tickpath::lzo1z
