#include "decoders/fast/text_difference.h"

#include <algorithm>
#include <bit>

namespace tickpath::fast {
namespace {

// Bytes of a subtraction length: small ones take one.
[[nodiscard]] std::size_t subtraction_bytes(std::int64_t value) noexcept {
    const auto magnitude = static_cast<std::uint64_t>(value ^ (value >> 63));
    return static_cast<std::size_t>(std::bit_width(magnitude)) / 7 + 1;
}

}  // namespace

std::size_t common_front(const Text& a, const Text& b) noexcept {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t count = 0;
    while (count < most && a[count] == b[count])
        ++count;
    return count;
}

std::size_t common_back(const Text& a, const Text& b) noexcept {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t count = 0;
    while (count < most && a[a.size() - 1 - count] == b[b.size() - 1 - count])
        ++count;
    return count;
}

TextDifference text_difference(const Text& value, const Text& base) noexcept {
    const std::size_t front = common_front(value, base);
    const std::size_t back = common_back(value, base);
    const TextDifference at_back = {.subtraction = static_cast<std::int64_t>(base.size() - front),
                                    .addition = value.part(front, value.size() - front)};
    const TextDifference at_front = {.subtraction = -1 - static_cast<std::int64_t>(base.size() - back),
                                     .addition = value.part(0, value.size() - back)};
    const std::size_t back_bytes = subtraction_bytes(at_back.subtraction) + at_back.addition.size();
    const std::size_t front_bytes = subtraction_bytes(at_front.subtraction) + at_front.addition.size();
    return front_bytes < back_bytes ? at_front : at_back;
}

Text text_tail(const Text& value, const Text& base) noexcept {
    const std::size_t front = value.size() == base.size() ? common_front(value, base) : 0;
    return value.part(front, value.size() - front);
}

}  // namespace tickpath::fast
