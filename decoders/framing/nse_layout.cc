#include "decoders/framing/nse_layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tickpath::framing::nse {
namespace {

constexpr std::uint64_t sign_extended(std::uint64_t value, unsigned bits) noexcept {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return (value ^ sign) - sign;
}

}  // namespace

std::int64_t Field::integer(const std::byte* base) const noexcept {
    const std::byte* const at = base + offset;
    switch (type) {
        case FieldType::u8:
            return std::to_integer<std::uint8_t>(*at);
        case FieldType::i16:
            return static_cast<std::int64_t>(sign_extended(load_big<std::uint16_t>(at), 16));
        case FieldType::u16:
            return load_big<std::uint16_t>(at);
        case FieldType::i32:
            return static_cast<std::int64_t>(sign_extended(load_big<std::uint32_t>(at), 32));
        case FieldType::u32:
            return load_big<std::uint32_t>(at);
        case FieldType::i64:
        case FieldType::u64:
            return static_cast<std::int64_t>(load_big<std::uint64_t>(at));
        case FieldType::f64:
        case FieldType::text:
        case FieldType::bytes:
            break;
    }
    return 0;
}

const Field* Repeat::find(std::string_view field) const noexcept {
    const auto found = std::ranges::find(fields, field, &Field::name);
    return found == fields.end() ? nullptr : &*found;
}

const Repeat* Repeat::find_repeat(std::string_view repeat) const noexcept {
    const auto found = std::ranges::find(repeats, repeat, &Repeat::name);
    return found == repeats.end() ? nullptr : &*found;
}

std::span<const Field> header_fields() noexcept {
    static const std::array<Field, 8> fields = {{
        {"LogTime", FieldType::i32, 4, 4},
        {"AlphaChar", FieldType::text, 8, 2},
        {"TransCode", FieldType::i16, 10, 2},
        {"ErrorCode", FieldType::i16, 12, 2},
        {"BCSeqNo", FieldType::i32, 14, 4},
        {"TimeStamp2", FieldType::u64, 22, 8},
        {"Filler2", FieldType::bytes, 30, 8},
        {"MessageLength", FieldType::i16, 38, 2},
    }};
    return fields;
}

void Layouts::index_all() {
    slots_.assign(std::bit_ceil(2 * all_.size() + 2), Slot{});
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
        const std::uint64_t key = key_of(all_[i].segment, all_[i].transcode, all_[i].length);
        std::size_t at = home_of(key);
        while (slots_[at].index != no_layout)
            at = (at + 1) & (slots_.size() - 1);
        slots_[at] = {key, i};
    }
}

}  // namespace tickpath::framing::nse
