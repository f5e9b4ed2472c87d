// Appends one FIX message to a buffer, field by field, and sums the checksum on the way. Hot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "decoders/fix/number.h"
#include "decoders/fix/tags.h"

namespace tickpath::fix {

/// Writes into memory of the caller. A message that does not fit makes finish() return 0 and nothing else:
/// the caller asks once, at the end.
class Writer {
public:
    Writer() noexcept = default;

    /// 8=, 9= and 35=. `buffer` receives the message from its first byte.
    void begin(std::span<char> buffer, std::string_view begin_string, std::string_view msg_type) noexcept;

    void text(std::uint32_t tag, std::string_view value) noexcept;
    void character(std::uint32_t tag, char value) noexcept;
    void flag(std::uint32_t tag, bool value) noexcept { character(tag, value ? 'Y' : 'N'); }
    void number(std::uint32_t tag, std::uint64_t value) noexcept;
    /// `mantissa` at `places` decimal places.
    void decimal(std::uint32_t tag, std::int64_t mantissa, unsigned places) noexcept;
    void timestamp(std::uint32_t tag, TimestampWriter& writer, std::uint64_t utc_ns) noexcept;

    /// Writes BodyLength and 10=. Returns the bytes of the whole message; 0 when it did not fit.
    [[nodiscard]] std::size_t finish() noexcept;

private:
    [[nodiscard]] bool has_room(std::size_t bytes) noexcept;
    void put_tag(std::uint32_t tag) noexcept;
    void put(std::string_view bytes) noexcept;
    void end_field() noexcept;

    char* start_ = nullptr;
    char* at_ = nullptr;
    char* end_ = nullptr;
    char* body_length_ = nullptr;  ///< its slot, three digits until finish() knows better
    char* body_ = nullptr;         ///< the '3' of 35=
    std::uint32_t sum_ = 0;        ///< of all bytes but those of BodyLength's value
    bool overflow_ = false;
};

}  // namespace tickpath::fix
