#include "decoders/fast/machine.h"

#include <algorithm>

namespace tickpath::fast {

Runtime::Runtime(const Program& compiled, RuntimeLimits bounds)
    : program(&compiled),
      limits(bounds),
      assigned(compiled.dictionary_words),
      empty(compiled.dictionary_words),
      values(compiled.entry_count),
      exponents(compiled.entry_count),
      entry_types(compiled.entry_types),
      rows(bounds.row_words_max),
      frames(std::size_t{compiled.depth_max} * (bounds.dynamic_depth_max + 1) + 1),
      scratch(bounds.scratch_bytes_max),
      kept_text_index(compiled.entry_count),
      kept_text_turn(compiled.entry_count),
      resets(compiled.templates.size()) {
    std::uint32_t places = 0;
    for (const std::uint16_t entry : compiled.all_text_entries)
        kept_text_index[entry] = places++;
    kept_texts.resize(std::size_t{places} * 2 * bounds.dictionary_text_bytes_max);
    std::transform(compiled.templates.begin(), compiled.templates.end(), resets.begin(),
                   [](const TemplateCode& code) { return std::uint8_t{code.resets}; });

    rows_next = rows.data();
    rows_end = rows.data() + rows.size();
    frame = frames.data();
    context.text[static_cast<std::size_t>(TextSpace::scratch)] = scratch.data();
    context.text[static_cast<std::size_t>(TextSpace::dictionary)] = kept_texts.data();
    context.text[static_cast<std::size_t>(TextSpace::constants)] = compiled.text.data();
    context.constants = compiled.constants.data();
    context.arena = rows.data();
}

void Runtime::hand_out_element(const std::uint64_t* row) const noexcept {
    entry_sink.on_entry(entry_sink.owner, {.template_index = template_index,
                                           .root = Row(frame->row, &context),
                                           .row = Row(row, &context),
                                           .is_last = frame->elements_left == 1});
}

}  // namespace tickpath::fast
