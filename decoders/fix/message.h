// One received FIX message as a flat index over bytes that someone else holds: a view, values parsed when
// asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "decoders/base/decimal.h"
#include "decoders/fix/number.h"
#include "decoders/fix/tags.h"

namespace tickpath::fix {

/// Where one field's value lies in the message, in wire order.
struct Field {
    std::uint32_t tag = 0;
    std::uint32_t offset = 0;  ///< of the value, from the '8' of BeginString
    std::uint32_t length = 0;  ///< of the value, without its SOH
};

/// Valid as long as the buffer it was read from and until the reader's next message; inside a handler, that
/// is. Getters return nullopt when the field is absent or its text is not of the type. Of a repeated tag they
/// see the first; walk fields() for groups.
class Message {
public:
    Message() noexcept = default;
    Message(const char* start, std::size_t size_bytes, std::span<const Field> fields) noexcept
        : start_(start), size_bytes_(size_bytes), fields_(fields) {}

    [[nodiscard]] std::string_view bytes() const noexcept { return {start_, size_bytes_}; }
    [[nodiscard]] std::span<const Field> fields() const noexcept { return fields_; }
    [[nodiscard]] std::string_view value(const Field& field) const noexcept {
        return {start_ + field.offset, field.length};
    }

    [[nodiscard]] std::string_view begin_string() const noexcept { return value(fields_[0]); }
    [[nodiscard]] std::string_view msg_type() const noexcept { return value(fields_[2]); }

    /// Linear over the index; about 5 ns for a body field of an order.
    [[nodiscard]] const Field* find(std::uint32_t tag) const noexcept {
        for (const Field& field : fields_)
            if (field.tag == tag) return &field;
        return nullptr;
    }
    [[nodiscard]] bool has(std::uint32_t tag) const noexcept { return find(tag) != nullptr; }

    [[nodiscard]] std::optional<std::string_view> text(std::uint32_t tag) const noexcept {
        const Field* field = find(tag);
        if (field == nullptr) return std::nullopt;
        return value(*field);
    }
    [[nodiscard]] std::optional<char> character(std::uint32_t tag) const noexcept {
        const Field* field = find(tag);
        if (field == nullptr || field->length != 1) return std::nullopt;
        return start_[field->offset];
    }
    [[nodiscard]] std::optional<std::uint64_t> number(std::uint32_t tag) const noexcept {
        const Field* field = find(tag);
        if (field == nullptr) return std::nullopt;
        return parse_unsigned(value(*field));
    }
    [[nodiscard]] std::optional<Decimal> decimal(std::uint32_t tag) const noexcept {
        const Field* field = find(tag);
        if (field == nullptr) return std::nullopt;
        return parse_decimal(value(*field));
    }
    /// True only for 'Y'; absent counts as 'N'.
    [[nodiscard]] bool flag(std::uint32_t tag) const noexcept { return character(tag) == 'Y'; }
    /// Nanoseconds since 1970.
    [[nodiscard]] std::optional<std::uint64_t> timestamp(std::uint32_t tag) const noexcept {
        const Field* field = find(tag);
        if (field == nullptr) return std::nullopt;
        return parse_utc_timestamp(value(*field));
    }

private:
    const char* start_ = nullptr;
    std::size_t size_bytes_ = 0;
    std::span<const Field> fields_;
};

}  // namespace tickpath::fix
