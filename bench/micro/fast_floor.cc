#include "bench/micro/fast_floor.h"

namespace tickpath::bench {
namespace {

// Never reads behind the packet's end; the first error sticks.
struct Bytes {
    const std::uint8_t* at;
    const std::uint8_t* end;
    bool failed = false;

    template <class T>
    T read_unsigned() noexcept {
        T value = 0;
        for (; at != end; ++at) {
            if (value >> (8 * sizeof(T) - 7) != 0) break;
            value = static_cast<T>(value << 7 | (*at & 0x7Fu));
            if (*at & 0x80u) return ++at, value;
        }
        failed = true;
        return 0;
    }

    std::int64_t read_signed() noexcept {
        std::int64_t value = at != end && (*at & 0x40u) != 0 ? -1 : 0;
        for (; at != end; ++at) {
            if (value >> 56 != value >> 63) break;
            value = value * 128 + (*at & 0x7F);
            if (*at & 0x80u) return ++at, value;
        }
        failed = true;
        return 0;
    }

    // False for NULL; only non-negative values are sent one too high.
    bool read_nullable(std::int64_t& value) noexcept {
        value = read_signed();
        if (value == 0) return false;
        if (value > 0) --value;
        return true;
    }

    std::span<const std::uint8_t> read_text() noexcept {
        const std::uint8_t* const first = at;
        for (; at != end; ++at)
            if (*at & 0x80u) return {first, ++at};
        failed = true;
        return {};
    }
};

}  // namespace

bool FloorDecoder::decode(std::span<const std::byte> packet) noexcept {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(packet.data());
    Bytes in{first + 1, first + packet.size()};  // the map: identifier, sequence and time are always there
    static_cast<void>(in.read_unsigned<std::uint32_t>());
    sequence_ = in.read_unsigned<std::uint32_t>();
    sending_time_ = in.read_unsigned<std::uint64_t>();
    count_ = in.read_unsigned<std::uint32_t>();
    if (count_ > entries_max) return false;

    FloorEntry before;
    for (std::size_t i = 0; i < count_; ++i) {
        FloorEntry& entry = entries_[i];
        if (in.at == in.end) return false;
        const std::uint8_t map = *in.at++;
        entry.action = before.action = (map & 0x40) != 0 ? in.read_unsigned<std::uint32_t>() : before.action;
        entry.type = before.type = (map & 0x20) != 0 ? in.read_text() : before.type;
        entry.security = before.security =
            (map & 0x10) != 0 ? in.read_unsigned<std::uint32_t>() : before.security;
        entry.sequence = before.sequence =
            (map & 0x08) != 0 ? in.read_unsigned<std::uint32_t>() : before.sequence + 1;
        std::int64_t exponent = 0;
        entry.has_price = in.read_nullable(exponent);
        if (entry.has_price) {
            entry.exponent = static_cast<std::int32_t>(exponent);
            entry.price = in.read_signed();
        }
        entry.has_size = in.read_nullable(entry.size);
        entry.has_level = false;
        if ((map & 0x04) != 0) {
            const std::uint32_t level = in.read_unsigned<std::uint32_t>();
            entry.has_level = level != 0;
            entry.level = level - 1;
        }
    }
    return !in.failed && in.at == in.end;
}

}  // namespace tickpath::bench
