#include "decoders/fast/text_operators.h"

#include <algorithm>

namespace tickpath::fast {
namespace {

[[nodiscard]] std::uint64_t without_back(std::uint64_t slot, std::uint32_t count) noexcept {
    return text_slot(text_space(slot), text_offset(slot), text_length(slot) - count);
}
[[nodiscard]] std::uint64_t without_front(std::uint64_t slot, std::uint32_t count) noexcept {
    return text_slot(text_space(slot), text_offset(slot) + count, text_length(slot) - count);
}

// The last byte of an ASCII part may carry its stop bit, which would end up inside the joined text.
[[nodiscard]] char* append(char* to, std::string_view part, Alphabet alphabet) noexcept {
    for (const char c : part)
        *to++ = static_cast<char>(static_cast<std::uint8_t>(c) & static_cast<std::uint8_t>(alphabet));
    return to;
}

[[nodiscard]] TextResult join(Runtime& runtime, Alphabet alphabet, std::uint64_t front,
                              std::uint64_t back) noexcept {
    if (text_length(front) == 0) return {back, Errc::ok};
    if (text_length(back) == 0) return {front, Errc::ok};
    const std::uint64_t length = std::uint64_t{text_length(front)} + text_length(back);
    if (length > runtime.string_bytes_max || length > runtime.scratch.size() - runtime.scratch_used)
        return {0, Errc::limit};
    const std::uint32_t offset = runtime.scratch_used;
    char* const to = runtime.scratch.data() + offset;
    static_cast<void>(
        append(append(to, raw_text(runtime, front), alphabet), raw_text(runtime, back), alphabet));
    runtime.scratch_used += static_cast<std::uint32_t>(length);
    return {text_slot(TextSpace::scratch, offset, length), Errc::ok};
}

}  // namespace

std::string_view raw_text(const Runtime& runtime, std::uint64_t slot) noexcept {
    const char* const base = runtime.context.text[static_cast<std::size_t>(text_space(slot))];
    return {base + text_offset(slot), text_length(slot)};
}

TextResult apply_text_delta(Runtime& runtime, Alphabet alphabet, std::uint64_t base, std::int64_t subtraction,
                            std::uint64_t addition) noexcept {
    const bool at_front = subtraction < 0;
    const std::int64_t removed = at_front ? -subtraction - 1 : subtraction;
    if (removed > text_length(base)) return {0, Errc::d7};
    const auto count = static_cast<std::uint32_t>(removed);
    if (at_front) return join(runtime, alphabet, addition, without_front(base, count));
    return join(runtime, alphabet, without_back(base, count), addition);
}

TextResult apply_text_tail(Runtime& runtime, Alphabet alphabet, std::uint64_t base,
                           std::uint64_t tail) noexcept {
    if (text_length(tail) >= text_length(base)) return {tail, Errc::ok};
    return join(runtime, alphabet, without_back(base, text_length(tail)), tail);
}

namespace {

bool is_unkept_text(const Runtime& runtime, std::uint16_t entry) noexcept {
    if ((runtime.assigned[entry / 64] >> (entry % 64) & 1) == 0) return false;
    if (!is_text(static_cast<FieldType>(runtime.entry_types[entry])))
        return false;  // shared with another type
    const TextSpace space = text_space(runtime.values[entry]);
    return space != TextSpace::dictionary && space != TextSpace::constants;
}

}  // namespace

void forget_unkept_texts(Runtime& runtime) noexcept {
    for (const std::uint16_t entry : runtime.program->all_text_entries)
        if (is_unkept_text(runtime, entry))
            runtime.assigned[entry / 64] &= ~(std::uint64_t{1} << (entry % 64));
}

bool keep_texts(Runtime& runtime, const TemplateCode& code) noexcept {
    const std::uint32_t place_bytes = runtime.limits.dictionary_text_bytes_max;
    for (std::uint32_t i = 0; i < code.texts_count; ++i) {
        const std::uint16_t entry = runtime.program->text_entries[code.texts_first + i];
        if (!is_unkept_text(runtime, entry)) continue;
        const std::string_view text = raw_text(runtime, runtime.values[entry]);
        if (text.size() > place_bytes) return runtime.fail(Errc::limit, runtime.begin);
        runtime.kept_text_turn[entry] ^= 1;
        const std::uint32_t offset =
            (runtime.kept_text_index[entry] * 2 + runtime.kept_text_turn[entry]) * place_bytes;
        std::copy(text.begin(), text.end(), runtime.kept_texts.begin() + offset);
        runtime.values[entry] = text_slot(TextSpace::dictionary, offset, text.size());
    }
    return true;
}

}  // namespace tickpath::fast
