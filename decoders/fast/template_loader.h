// Template XML (FAST 1.1 §6, appendix 1) to Templates. Cold; needs pugixml.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

struct LoadOptions {
    /// Lenient loading mends what is common in real files, each with a warning: an `<ascii>` element, a
    /// missing field name under an operator, a blank inside the XML declaration's version, an unbound `scp:`
    /// prefix, stray text, byte-vector initial values that are not hexadecimal, a mantissa default without
    /// value.
    bool strict = false;
};

/// One template file in memory. A templateRef may name a template of another file.
struct TemplateSource {
    std::string_view xml;
    std::string_view file_name;  ///< for messages
};

/// Returns null when there was any error; all of them are in `diagnostics`, with file and line and the S or D
/// code.
[[nodiscard]] std::shared_ptr<const Templates> load_templates(std::span<const TemplateSource> sources,
                                                              Diagnostics& diagnostics,
                                                              LoadOptions options = {});
[[nodiscard]] std::shared_ptr<const Templates> load_templates(std::string_view xml,
                                                              std::string_view file_name,
                                                              Diagnostics& diagnostics,
                                                              LoadOptions options = {});
[[nodiscard]] std::shared_ptr<const Templates> load_template_file(const std::filesystem::path& path,
                                                                  Diagnostics& diagnostics,
                                                                  LoadOptions options = {});

}  // namespace tickpath::fast
