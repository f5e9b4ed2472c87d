// Walks a template's instructions and writes a message: groups, sequences, dynamic references, and the
// presence maps of all these segments (FAST 1.1 §10.5, spec/fast.md §3.2). Hot.
#pragma once

#include <cstdint>

#include "decoders/fast/encode_machine.h"

namespace tickpath::fast {

/// Which templates reset, and whether the identifier is sent where it did not change.
struct TemplateRules {
    const std::uint8_t* resets = nullptr;  ///< by template
    bool identifies_always = false;
};

/// Writes a message. `begin` receives where it begins: where the writer was, or a little behind, since a map
/// that turns out shorter is moved to the body rather than the body to the map. On failure `machine.error`
/// says why and `machine.op` where.
[[nodiscard]] bool encode_message(EncodeMachine& machine, const TemplateRules& rules,
                                  std::uint32_t template_index, const std::uint8_t*& begin) noexcept;

}  // namespace tickpath::fast
