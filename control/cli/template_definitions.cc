#include "control/cli/template_definitions.h"

#include <fstream>
#include <iterator>
#include <span>

#include "decoders/fast/template_reader.h"

namespace tickpath::cli {

std::vector<fast::TemplateDefinition> read_template_definitions(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string xml{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const fast::TemplateSource source = {xml, path};
    Diagnostics said_already;
    return fast::read_definitions(std::span(&source, 1), said_already, {});
}

}  // namespace tickpath::cli
