#include "decoders/fast/explain_wire.h"

#include <limits>
#include <utility>

namespace tickpath::fast {
namespace {

constexpr std::size_t integer_bytes_max = 10;  // 64 bits in groups of seven
constexpr std::uint8_t stop_bit = 0x80;
constexpr std::uint8_t sign_bit = 0x40;
constexpr std::uint8_t group_mask = 0x7F;

template <class T>
constexpr WideRange limits_of() noexcept {
    return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

}  // namespace

WideRange range_of(FieldType type, unsigned bits) noexcept {
    const WideInteger half = WideInteger{1} << (bits == 0 ? 0 : bits - 1);
    if (bits != 0) return is_signed(type) ? WideRange{-half, half - 1} : WideRange{0, 2 * half - 1};
    switch (type) {
        case FieldType::u32:
            return limits_of<std::uint32_t>();
        case FieldType::i32:
            return limits_of<std::int32_t>();
        case FieldType::u64:
            return limits_of<std::uint64_t>();
        default:
            return limits_of<std::int64_t>();
    }
}

void WireReader::fail(Errc error, std::size_t at) noexcept {
    if (error_ != Errc::ok) return;
    error_ = error;
    error_at_ = at;
}

void WireReader::report(Report report, std::size_t at) noexcept {
    if (options_->strict) return fail(errc_of(report), at);
    reports_ = static_cast<std::uint8_t>(reports_ | 1u << static_cast<unsigned>(report));
}

std::uint8_t WireReader::take_reports() noexcept {
    return std::exchange(reports_, std::uint8_t{0});
}

// The seven-bit groups of one entity; empty after an error.
std::vector<std::uint8_t> WireReader::read_groups(std::size_t most) {
    std::vector<std::uint8_t> groups;
    const std::size_t begin = at_;
    while (ok()) {
        if (groups.size() == most) {
            fail(Errc::limit, begin);
        } else if (at_ == bytes_.size()) {
            fail(Errc::truncated, at_);
        } else {
            const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
            groups.push_back(byte & group_mask);
            if ((byte & stop_bit) != 0) return groups;
        }
    }
    return {};
}

WideInteger WireReader::read_raw_integer(bool is_signed_value) {
    const std::size_t begin = at_;
    const std::vector<std::uint8_t> groups = read_groups(options_->limits.entity_bytes_max);
    if (groups.empty()) return 0;
    // A group says nothing when it only repeats the sign of the one behind it.
    const auto says_nothing = [&](std::size_t i) {
        const bool negative = is_signed_value && (groups[i + 1] & sign_bit) != 0;
        return groups[i] == (negative ? group_mask : 0);
    };
    std::size_t first = 0;
    for (; groups.size() - first > integer_bytes_max; ++first) {
        if (!options_->strict && says_nothing(first)) continue;
        fail(Errc::d2, begin);
        return 0;
    }
    if (groups.size() > 1 && says_nothing(0)) report(Report::r6, begin);
    WideInteger value = is_signed_value && (groups[first] & sign_bit) != 0 ? -1 : 0;
    for (std::size_t i = first; i < groups.size(); ++i)
        value = value * 128 + groups[i];
    return value;
}

std::optional<WideInteger> WireReader::read_integer(FieldType type, bool nullable) {
    const std::size_t begin = at_;
    WideInteger value = read_raw_integer(is_signed(type));
    if (!ok() || (nullable && value == 0)) return std::nullopt;
    if (nullable && value > 0) --value;
    const WideRange range = range_of(type, 0);
    if (value >= range.min && value <= range.max) return value;
    fail(Errc::d2, begin);
    return std::nullopt;
}

std::optional<WideInteger> WireReader::read_delta(bool nullable) {
    const WideInteger value = read_raw_integer(true);
    if (!ok() || (nullable && value == 0)) return std::nullopt;
    return nullable && value > 0 ? value - 1 : value;
}

// A leading zero group means: nothing, or, where NULL exists, one zero is NULL and two are nothing.
std::optional<std::string> WireReader::read_ascii(bool nullable) {
    const std::size_t begin = at_;
    std::vector<std::uint8_t> rest = read_groups(options_->limits.string_bytes_max);
    if (rest.empty()) return std::nullopt;
    bool is_overlong = false;
    if (rest.front() == 0) {
        rest.erase(rest.begin());
        if (rest.empty()) return nullable ? std::nullopt : std::optional<std::string>("");
        is_overlong = rest.front() != 0;
        if (nullable && !is_overlong) {
            rest.erase(rest.begin());
            is_overlong = !rest.empty() && rest.front() != 0;
        }
    }
    if (is_overlong) report(Report::r9, begin);
    if (!ok()) return std::nullopt;
    return std::string(rest.begin(), rest.end());
}

std::optional<std::string> WireReader::read_text(FieldType type, bool nullable) {
    if (type == FieldType::ascii) return read_ascii(nullable);
    const std::size_t begin = at_;
    const std::optional<WideInteger> length = read_integer(FieldType::u32, nullable);
    if (!length) return std::nullopt;
    if (*length > static_cast<WideInteger>(bytes_left())) fail(Errc::truncated, bytes_.size());
    if (*length > options_->limits.string_bytes_max) fail(Errc::limit, begin);
    if (!ok()) return std::nullopt;
    const auto size = static_cast<std::size_t>(*length);
    const auto* const first = reinterpret_cast<const char*>(bytes_.data()) + at_;
    at_ += size;
    return std::string(first, size);
}

std::vector<bool> WireReader::read_map() {
    const std::size_t begin = at_;
    const std::vector<std::uint8_t> groups = read_groups(options_->limits.map_bytes_max);
    if (groups.size() > 1 && groups.back() == 0) report(Report::r7, begin);
    std::vector<bool> bits;
    for (const std::uint8_t group : groups)
        for (int bit = 6; bit >= 0; --bit)
            bits.push_back((group >> bit & 1) != 0);
    return bits;
}

}  // namespace tickpath::fast
