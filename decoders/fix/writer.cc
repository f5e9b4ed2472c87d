#include "decoders/fix/writer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "decoders/fix/checksum.h"

namespace tickpath::fix {
namespace {

constexpr std::size_t tag_chars_max = 10;           // of a uint32
constexpr std::size_t body_length_guess_chars = 3;  // most messages have 100 to 999 bytes

[[nodiscard]] std::uint32_t sum_of(const char* from, const char* to) noexcept {
    std::uint32_t sum = 0;
    for (; from != to; ++from)
        sum += static_cast<std::uint8_t>(*from);
    return sum;
}

}  // namespace

void Writer::begin(std::span<char> buffer, std::string_view begin_string,
                   std::string_view msg_type) noexcept {
    start_ = at_ = buffer.data();
    end_ = buffer.data() + buffer.size();
    sum_ = 0;
    overflow_ = false;
    text(tag::begin_string, begin_string);
    if (!has_room(tag_chars_max + body_length_guess_chars + 1)) return;
    put_tag(tag::body_length);
    body_length_ = at_;
    at_ += body_length_guess_chars;
    end_field();
    body_ = at_;
    text(tag::msg_type, msg_type);
}

bool Writer::has_room(std::size_t bytes) noexcept {
    if (!overflow_ && static_cast<std::size_t>(end_ - at_) >= bytes) [[likely]]
        return true;
    overflow_ = true;
    return false;
}

void Writer::put_tag(std::uint32_t tag) noexcept {
    char* const start = at_;
    at_ = write_unsigned(at_, tag);
    *at_++ = '=';
    sum_ += sum_of(start, at_);
}

void Writer::put(std::string_view bytes) noexcept {
    at_ = std::copy(bytes.begin(), bytes.end(), at_);
    sum_ += sum_of(bytes.data(), bytes.data() + bytes.size());
}

void Writer::end_field() noexcept {
    *at_++ = soh;
    sum_ += static_cast<std::uint8_t>(soh);
}

void Writer::text(std::uint32_t tag, std::string_view value) noexcept {
    if (!has_room(number_chars_max + value.size() + 2)) return;
    put_tag(tag);
    put(value);
    end_field();
}

void Writer::character(std::uint32_t tag, char value) noexcept {
    text(tag, {&value, 1});
}

void Writer::number(std::uint32_t tag, std::uint64_t value) noexcept {
    if (!has_room(2 * number_chars_max + 2)) return;
    put_tag(tag);
    char* const start = at_;
    at_ = write_unsigned(at_, value);
    sum_ += sum_of(start, at_);
    end_field();
}

void Writer::decimal(std::uint32_t tag, std::int64_t mantissa, unsigned places) noexcept {
    if (!has_room(number_chars_max + decimal_chars_max + 2)) return;
    put_tag(tag);
    char* const start = at_;
    at_ = write_decimal(at_, mantissa, places);
    sum_ += sum_of(start, at_);
    end_field();
}

void Writer::timestamp(std::uint32_t tag, TimestampWriter& writer, std::uint64_t utc_ns) noexcept {
    if (!has_room(number_chars_max + timestamp_chars_max + 2)) return;
    put_tag(tag);
    char* const start = at_;
    at_ = writer.write(at_, utc_ns);
    sum_ += sum_of(start, at_);
    end_field();
}

std::size_t Writer::finish() noexcept {
    if (!has_room(2 * number_chars_max)) return 0;
    const auto body_bytes = static_cast<std::size_t>(at_ - body_);
    std::array<char, number_chars_max> digits{};
    const auto digit_count =
        static_cast<std::size_t>(write_unsigned(digits.data(), body_bytes) - digits.data());
    if (digit_count != body_length_guess_chars) {
        std::memmove(body_length_ + digit_count, body_length_ + body_length_guess_chars, body_bytes + 1);
        at_ = at_ + digit_count - body_length_guess_chars;
    }
    std::memcpy(body_length_, digits.data(), digit_count);
    sum_ += sum_of(digits.data(), digits.data() + digit_count);
    std::memcpy(at_, "10=", 3);
    at_ = write_checksum(at_ + 3, sum_);
    return static_cast<std::size_t>(at_ - start_);
}

}  // namespace tickpath::fix
