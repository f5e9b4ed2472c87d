// Decoders that `tickpath templates generate` wrote as C++ for one set of templates. Templates::with takes
// them; a Decoder then runs them instead of the interpreter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tickpath::fast {

struct Runtime;
struct TemplateCode;

/// Decodes the fields of one message: arguments and results are those of run() in interpreter.h.
using RunFunction = bool (*)(Runtime& runtime, const TemplateCode& code, const std::uint8_t*& at,
                             std::uint64_t map, std::uint64_t* row) noexcept;

struct GeneratedDecoders {
    std::string_view source;                 ///< name of the template file, for messages
    std::uint64_t fingerprint = 0;           ///< of the program they were generated from
    std::span<const RunFunction> templates;  ///< in the order of Templates::all(); null: interpreted
};

}  // namespace tickpath::fast
