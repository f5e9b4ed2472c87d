// What a decoded message looks like: rows of 8-byte slots, and the typed views that read them. Hot: every
// read is a load at an offset fixed when the templates were loaded, plus a bit test.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "decoders/base/decimal.h"
#include "decoders/base/error.h"

namespace tickpath::fast {

class Template;

enum class FieldType : std::uint8_t {
    u32,
    i32,
    u64,
    i64,
    decimal,
    ascii,
    unicode,   ///< UTF-8; not checked unless the value was put together by an operator (R2)
    bytes,     ///< byteVector
    group,     ///< its fields lie in the row of what surrounds it
    sequence,  ///< its elements are rows of their own
    dynamic,   ///< a dynamic templateRef: a row of another template
};

[[nodiscard]] constexpr bool is_signed(FieldType type) noexcept {
    return type == FieldType::i32 || type == FieldType::i64;
}
[[nodiscard]] constexpr bool is_integer(FieldType type) noexcept {
    return type == FieldType::u32 || type == FieldType::u64 || is_signed(type);
}
[[nodiscard]] constexpr bool is_text(FieldType type) noexcept {
    return type == FieldType::ascii || type == FieldType::unicode || type == FieldType::bytes;
}

/// Where a field lies in its row. Found once with Template::field(), then only read; 8 bytes, by value.
struct FieldRef {
    std::uint16_t slot = 0;
    std::uint16_t presence = 0;   ///< bit that is set when the field has a value; bit 0 is always set
    std::uint16_t row_words = 0;  ///< sequence: words from one element to the next
    FieldType type = FieldType::u32;
    bool constant = false;  ///< the value is the template's: it is kept once, not in every row

    friend bool operator==(FieldRef, FieldRef) noexcept = default;
};
static_assert(sizeof(FieldRef) == 8);

/// A string or byte vector as it lies in the datagram, valid until the decoder's next() or begin().
/// An ASCII value keeps its stop bit in memory (a frame is never written to); every accessor clears it.
class Text {
public:
    constexpr Text() noexcept = default;
    constexpr Text(const char* data, std::uint32_t size, std::uint8_t mask) noexcept
        : data_(data), size_(size), mask_(mask) {}

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr char operator[](std::size_t i) const noexcept {
        return static_cast<char>(static_cast<std::uint8_t>(data_[i]) & mask_);
    }

    /// The bytes as they lie in memory: the last one of an ASCII value may carry its stop bit.
    [[nodiscard]] constexpr std::string_view raw() const noexcept { return {data_, size_}; }

    [[nodiscard]] constexpr Text part(std::size_t from, std::size_t count) const noexcept {
        return {data_ + from, static_cast<std::uint32_t>(count), mask_};
    }

    /// Copies at most out.size() characters and returns how many.
    std::size_t copy_to(std::span<char> out) const noexcept {
        const std::size_t count = std::min<std::size_t>(size_, out.size());
        for (std::size_t i = 0; i < count; ++i)
            out[i] = (*this)[i];
        return count;
    }
    [[nodiscard]] std::string to_string() const {
        std::string out(size_, '\0');
        copy_to(out);
        return out;
    }
    [[nodiscard]] friend constexpr bool operator==(const Text& a, std::string_view b) noexcept {
        if (a.size_ != b.size()) return false;
        for (std::size_t i = 0; i < b.size(); ++i)
            if (a[i] != b[i]) return false;
        return true;
    }

private:
    const char* data_ = "";
    std::uint32_t size_ = 0;
    std::uint8_t mask_ = 0xFF;
};

/// Where a text slot points. Slot = space:2 | offset:30 | length:32, from the low end.
enum class TextSpace : std::uint8_t { datagram, scratch, dictionary, constants };
inline constexpr std::size_t text_space_count = 4;
inline constexpr unsigned text_space_bits = 2;

[[nodiscard]] constexpr std::uint64_t text_slot(TextSpace space, std::uint64_t offset,
                                                std::uint64_t length) noexcept {
    return static_cast<std::uint64_t>(space) | offset << text_space_bits | length << 32;
}
[[nodiscard]] constexpr TextSpace text_space(std::uint64_t slot) noexcept {
    return static_cast<TextSpace>(slot & 3);
}
[[nodiscard]] constexpr std::uint32_t text_offset(std::uint64_t slot) noexcept {
    return static_cast<std::uint32_t>(slot) >> text_space_bits;
}
[[nodiscard]] constexpr std::uint32_t text_length(std::uint64_t slot) noexcept {
    return static_cast<std::uint32_t>(slot >> 32);
}

/// What the slots of all rows of one decoder refer to.
struct RowContext {
    std::array<const char*, text_space_count> text{};  ///< first byte of each TextSpace
    const std::uint64_t* constants = nullptr;
    const std::uint64_t* arena = nullptr;
    const Template* templates = nullptr;  ///< by index, for dynamic references
};

class Rows;
struct DynamicRow;

/// One message, or one element of a sequence: presence words, then slots. Two pointers, by value; valid until
/// the decoder's next() or begin(). A field that is absent reads as 0 or empty: ask has() where that matters.
class Row {
public:
    Row() noexcept = default;
    Row(const std::uint64_t* words, const RowContext* context) noexcept : words_(words), context_(context) {}

    [[nodiscard]] bool has(FieldRef f) const noexcept {
        return (words_[f.presence / 64u] >> (f.presence % 64u) & 1u) != 0;
    }
    [[nodiscard]] std::uint64_t u64(FieldRef f) const noexcept { return has(f) ? slot(f) : 0; }
    [[nodiscard]] std::int64_t i64(FieldRef f) const noexcept { return static_cast<std::int64_t>(u64(f)); }
    /// The pair exactly as it was sent, not normalised.
    [[nodiscard]] Decimal decimal(FieldRef f) const noexcept {
        if (!has(f)) return {};
        const std::uint64_t* at = home(f) + f.slot;
        return {static_cast<std::int64_t>(at[0]), static_cast<std::int32_t>(at[1])};
    }
    /// Of an ascii, unicode or bytes field.
    [[nodiscard]] Text text(FieldRef f) const noexcept {
        if (!has(f)) return {};
        const std::uint64_t value = slot(f);
        return {context_->text[value & 3u] + text_offset(value), text_length(value),
                static_cast<std::uint8_t>(f.type == FieldType::ascii ? 0x7F : 0xFF)};
    }
    /// The elements of a sequence; none both when it is absent and when it is empty (has() tells them apart).
    [[nodiscard]] inline Rows rows(FieldRef f) const noexcept;
    /// Presence words and slots, for readers that know the layout: the encoder.
    [[nodiscard]] const std::uint64_t* words() const noexcept { return words_; }
    /// The message behind a dynamic templateRef.
    [[nodiscard]] inline DynamicRow dynamic(FieldRef f) const noexcept;

private:
    [[nodiscard]] const std::uint64_t* home(FieldRef f) const noexcept {
        return f.constant ? context_->constants : words_;
    }
    [[nodiscard]] std::uint64_t slot(FieldRef f) const noexcept { return home(f)[f.slot]; }

    const std::uint64_t* words_ = nullptr;
    const RowContext* context_ = nullptr;
};

/// Elements of a sequence in wire order.
class Rows {
public:
    class Iterator {
    public:
        using difference_type = std::ptrdiff_t;
        using value_type = Row;
        Iterator() noexcept = default;
        Iterator(const std::uint64_t* at, std::size_t stride, const RowContext* context) noexcept
            : at_(at), stride_(stride), context_(context) {}
        [[nodiscard]] Row operator*() const noexcept { return {at_, context_}; }
        Iterator& operator++() noexcept {
            at_ += stride_;
            return *this;
        }
        Iterator operator++(int) noexcept {
            Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

    private:
        const std::uint64_t* at_ = nullptr;
        std::size_t stride_ = 0;
        const RowContext* context_ = nullptr;
    };

    Rows() noexcept = default;
    Rows(const std::uint64_t* first, std::size_t stride, std::size_t count,
         const RowContext* context) noexcept
        : first_(first), stride_(stride), count_(count), context_(context) {}

    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] Row operator[](std::size_t i) const noexcept { return {first_ + i * stride_, context_}; }
    [[nodiscard]] Iterator begin() const noexcept { return {first_, stride_, context_}; }
    [[nodiscard]] Iterator end() const noexcept { return {first_ + count_ * stride_, stride_, context_}; }

private:
    const std::uint64_t* first_ = nullptr;
    std::size_t stride_ = 0;
    std::size_t count_ = 0;
    const RowContext* context_ = nullptr;
};

/// `tmpl` is null when the field is absent.
struct DynamicRow {
    const Template* tmpl = nullptr;
    Row row;
};

/// A sequence slot: word index of the first row in the arena:32, count:32, from the low end. A dynamic slot:
/// the same with the template's index as count.
inline Rows Row::rows(FieldRef f) const noexcept {
    if (!has(f)) return {};
    const std::uint64_t value = slot(f);
    return {context_->arena + static_cast<std::uint32_t>(value), f.row_words, value >> 32, context_};
}

/// Decoding goes on after these in lenient mode; each is counted. FAST 1.1 §6.3, appendix 4.
enum class Report : std::uint8_t { r2, r6, r7, r8, r9 };
inline constexpr std::size_t report_count = 5;
[[nodiscard]] constexpr Errc errc_of(Report report) noexcept {
    constexpr std::array<Errc, report_count> codes = {Errc::r2, Errc::r6, Errc::r7, Errc::r8, Errc::r9};
    return codes[static_cast<std::size_t>(report)];
}

/// One complete message. Valid until the decoder's next() or begin().
class Message {
public:
    [[nodiscard]] const Template& tmpl() const noexcept { return *template_; }
    [[nodiscard]] std::uint32_t template_id() const noexcept { return template_id_; }
    /// Index in Templates::all(): a stage's own table per template is one array access. no_template for a
    /// reset message that is known by its id alone.
    [[nodiscard]] std::uint32_t template_index() const noexcept { return template_index_; }
    [[nodiscard]] const Row& root() const noexcept { return root_; }
    [[nodiscard]] std::uint32_t start() const noexcept { return start_; }  ///< byte offset in the datagram
    [[nodiscard]] std::uint32_t end() const noexcept { return end_; }      ///< one past the last byte
    /// Whether the message was decoded in spite of a reportable error (lenient mode).
    [[nodiscard]] bool reported(Report report) const noexcept {
        return (reports_ >> static_cast<unsigned>(report) & 1u) != 0;
    }

    static constexpr std::uint32_t no_template = 0xFFFF'FFFF;

private:
    friend class Decoder;
    const Template* template_ = nullptr;
    Row root_;
    std::uint32_t template_id_ = 0;
    std::uint32_t template_index_ = no_template;
    std::uint32_t start_ = 0;
    std::uint32_t end_ = 0;
    std::uint8_t reports_ = 0;
};

}  // namespace tickpath::fast
