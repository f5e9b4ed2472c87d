// Puts texts together for the delta and tail operators, FAST 1.1 §6.3.7, §6.3.8. The unit is the byte. Warm:
// only feeds that use these operators get here.
#pragma once

#include <cstdint>
#include <string_view>

#include "decoders/fast/machine.h"

namespace tickpath::fast {

enum class Alphabet : std::uint8_t {
    ascii = 0x7F,
    bytes = 0xFF
};  ///< mask that clears a stop bit, if there are any

struct TextResult {
    std::uint64_t slot = 0;
    Errc error = Errc::ok;
};

/// `subtraction` >= 0 removes that many from the back of `base` and appends `addition`; -1 - k removes k from
/// the front and prepends it (so -1 prepends and removes nothing). D7 when more is removed than there is.
[[gnu::noinline]] TextResult apply_text_delta(Runtime& runtime, Alphabet alphabet, std::uint64_t base,
                                              std::int64_t subtraction, std::uint64_t addition) noexcept;

/// Replaces the end of `base` by `tail`, or all of it when the tail is as long or longer.
[[gnu::noinline]] TextResult apply_text_tail(Runtime& runtime, Alphabet alphabet, std::uint64_t base,
                                             std::uint64_t tail) noexcept;

/// Copies the texts that the template's entries hold in the datagram or the scratch to where they outlive
/// both. `limit` when one is longer than the place for it.
[[nodiscard, gnu::noinline]] bool keep_texts(Runtime& runtime, const TemplateCode& code) noexcept;

/// Makes the entries undefined that hold a text outside the dictionary's own place: of a message that failed
/// before keep_texts.
void forget_unkept_texts(Runtime& runtime) noexcept;

/// The bytes of a text slot, stop bit included.
[[nodiscard]] std::string_view raw_text(const Runtime& runtime, std::uint64_t slot) noexcept;

}  // namespace tickpath::fast
