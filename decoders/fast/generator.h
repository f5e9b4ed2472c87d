// Writes C++ that decodes the templates of a file without the interpreter (`tickpath templates generate`).
// Cold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/fast/templates.h"

namespace tickpath::fast {

struct GeneratorOptions {
    std::string_view source_name;  ///< the template file as comments and messages name it
    std::string_view header_name;  ///< as the source includes it
    std::string_view name_space;   ///< of both; see namespace_of
};

struct GeneratedSource {
    std::string header;  ///< declares `const tickpath::fast::GeneratedDecoders& decoders() noexcept`
    std::string source;
    std::uint32_t generated_count = 0;

    /// A template that stays with the interpreter, and why.
    struct Interpreted {
        std::string label;
        std::uint32_t id = 0;
        std::string reason;
    };
    std::vector<Interpreted> interpreted;
};

/// Generates decoders for every template that has nothing in it that only the interpreter can do. Compiled
/// and linked with this library, what they decode, refuse and remember is exactly what the interpreter does.
[[nodiscard]] GeneratedSource generate(const Templates& templates, const GeneratorOptions& options);

/// A namespace for decoders of the template file `stem`: "moex-2019" is "fast_moex_2019".
[[nodiscard]] std::string namespace_of(std::string_view stem);

}  // namespace tickpath::fast
