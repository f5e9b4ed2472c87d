// Writes the decoders of a template file as OUT.h and OUT.cc. Cold: `tickpath templates generate`, and
// builds.
#pragma once

#include <filesystem>
#include <optional>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/generator.h"

namespace tickpath::fast_decoders {

struct GenerateRequest {
    std::filesystem::path templates = {};
    std::filesystem::path output = {};  ///< without extension, or the name of one of the two files
    std::string name_space = {};        ///< empty: made from the output's name
    bool strict = false;                ///< nothing in the templates is mended
};

struct GeneratedFiles {
    std::filesystem::path header;
    std::filesystem::path source;
};
/// The two files that GenerateRequest::output names.
[[nodiscard]] GeneratedFiles files_of(const std::filesystem::path& output);

/// What was generated, for a summary; nullopt when the templates do not load or a file cannot be written.
[[nodiscard]] std::optional<fast::GeneratedSource> generate_files(const GenerateRequest& request,
                                                                  Diagnostics& diagnostics);

/// "demo.cc: decoders of 2 templates", then a line for each template that stays interpreted, and why.
[[nodiscard]] std::string summary(const GenerateRequest& request, const fast::GeneratedSource& generated);

}  // namespace tickpath::fast_decoders
