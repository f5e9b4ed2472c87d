// How a text differs from the one before it, as the delta and tail operators put it on the wire (FAST 1.1
// §6.3.7, §6.3.8): the inverse of text_operators.h. The unit is the byte. Warm.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decoders/fast/message.h"

namespace tickpath::fast {

/// How many characters two texts have in common at their beginnings, and at their ends.
[[nodiscard]] std::size_t common_front(const Text& a, const Text& b) noexcept;
[[nodiscard]] std::size_t common_back(const Text& a, const Text& b) noexcept;

/// §10.7.3: `subtraction` >= 0 are taken from the back and the addition goes there; -1 - k from the front.
struct TextDifference {
    std::int64_t subtraction = 0;
    Text addition;
};
/// The form that takes fewer bytes; where both take as many, the one at the back.
[[nodiscard]] TextDifference text_difference(const Text& value, const Text& base) noexcept;

/// The shortest tail that makes `base` to `value`, which is as long or longer.
[[nodiscard]] Text text_tail(const Text& value, const Text& base) noexcept;

}  // namespace tickpath::fast
