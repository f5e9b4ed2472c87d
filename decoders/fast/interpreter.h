// Runs one message's instructions. Hot: once per message.
#pragma once

#include <cstdint>

#include "decoders/fast/machine.h"

namespace tickpath::fast {

/// Decodes the fields of one message into `row`. `at` stands behind the template identifier and is moved
/// behind the message; `map` holds the message's presence bits without the identifier's. On false
/// Runtime::error and failed_at say why and where, and `at` where it stopped. State is NarrowState or
/// WideState, as TemplateCode::narrow demands; LoggedState always will do.
template <class State>
[[nodiscard]] bool run(Runtime& runtime, const TemplateCode& code, const std::uint8_t*& at, std::uint64_t map,
                       std::uint64_t* row) noexcept;

extern template bool run<NarrowState>(Runtime&, const TemplateCode&, const std::uint8_t*&, std::uint64_t,
                                      std::uint64_t*) noexcept;
extern template bool run<WideState>(Runtime&, const TemplateCode&, const std::uint8_t*&, std::uint64_t,
                                    std::uint64_t*) noexcept;
extern template bool run<LoggedState>(Runtime&, const TemplateCode&, const std::uint8_t*&, std::uint64_t,
                                      std::uint64_t*) noexcept;

/// The one that `code` needs.
[[nodiscard]] inline RunFunction interpreter_of(const TemplateCode& code) noexcept {
    return code.narrow ? &run<NarrowState> : &run<WideState>;
}

}  // namespace tickpath::fast
