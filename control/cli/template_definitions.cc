#include "control/cli/template_definitions.h"

#include <span>

#include "decoders/base/whole_file.h"
#include "decoders/fast/template_reader.h"

namespace tickpath::cli {

std::vector<fast::TemplateDefinition> read_template_definitions(const std::string& path) {
    const FileContent content = read_whole_file(path, xml_bytes_max);
    const fast::TemplateSource source = {content.bytes, path};
    Diagnostics said_already;
    return fast::read_definitions(std::span(&source, 1), said_already, {});
}

}  // namespace tickpath::cli
