// Runs `tickpath decode --explain` over a file, or over bytes of the command line. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/cli/decode_settings.h"
#include "decoders/fast/definition.h"

namespace tickpath::cli {

struct ExplainTotals {
    std::uint64_t messages = 0;
    std::uint64_t errors = 0;
    std::string input_error;  ///< the file itself could not be read to its end
};

/// Explains every message, on stdout; with `only` (from 1) that one, after walking through those before it
/// for what they leave in the dictionary.
[[nodiscard]] ExplainTotals explain_file(const DecodeSettings& settings,
                                         std::vector<fast::TemplateDefinition> definitions,
                                         const std::string& path, std::optional<std::uint64_t> only);
/// The same with bytes that are one UDP payload.
[[nodiscard]] ExplainTotals explain_bytes(const DecodeSettings& settings,
                                          std::vector<fast::TemplateDefinition> definitions,
                                          const std::vector<std::byte>& payload,
                                          std::optional<std::uint64_t> only);

/// Hexadecimal digits, blanks and "0x" as people paste them; nullopt when anything else is there.
[[nodiscard]] std::optional<std::vector<std::byte>> parse_hex(std::string_view text);

}  // namespace tickpath::cli
