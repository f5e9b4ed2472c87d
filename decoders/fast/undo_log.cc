#include "decoders/fast/undo_log.h"

#include <algorithm>

#include "decoders/fast/machine.h"

namespace tickpath::fast {

UndoLog::UndoLog(const Runtime& runtime)
    : assigned_(runtime.assigned.size()),
      empty_(runtime.empty.size()),
      unsaved_(runtime.assigned.size()),
      saved_(runtime.values.size()) {}

void UndoLog::begin(const Runtime& runtime) noexcept {
    std::copy(runtime.assigned.begin(), runtime.assigned.end(), assigned_.begin());
    std::copy(runtime.assigned.begin(), runtime.assigned.end(), unsaved_.begin());
    std::copy(runtime.empty.begin(), runtime.empty.end(), empty_.begin());
    saved_count_ = 0;
    has_template_id_ = runtime.has_template_id;
    template_id_ = runtime.template_id;
    template_index_ = runtime.template_index;
}

void UndoLog::save(const Runtime& runtime, unsigned entry) noexcept {
    saved_[saved_count_++] = {.value = runtime.values[entry],
                              .exponent = runtime.exponents[entry],
                              .entry = static_cast<std::uint16_t>(entry),
                              .type = runtime.entry_types[entry]};
}

void UndoLog::undo(Runtime& runtime) const noexcept {
    std::copy(assigned_.begin(), assigned_.end(), runtime.assigned.begin());
    std::copy(empty_.begin(), empty_.end(), runtime.empty.begin());
    for (std::size_t i = 0; i < saved_count_; ++i) {
        const Saved& saved = saved_[i];
        runtime.values[saved.entry] = saved.value;
        runtime.exponents[saved.entry] = saved.exponent;
        runtime.entry_types[saved.entry] = saved.type;
    }
    runtime.has_template_id = has_template_id_;
    runtime.template_id = template_id_;
    runtime.template_index = template_index_;
}

}  // namespace tickpath::fast
