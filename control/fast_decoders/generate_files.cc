#include "control/fast_decoders/generate_files.h"

#include <fstream>
#include <string>

#include "decoders/base/printable.h"
#include "decoders/fast/template_loader.h"

namespace tickpath::fast_decoders {
namespace {

namespace fs = std::filesystem;

// "demo.generated.h", "demo.generated.cc" and "demo.generated" name the same two files.
fs::path with_extension(const fs::path& output, const char* extension) {
    fs::path named = output;
    if (named.extension() == ".h" || named.extension() == ".cc") named.replace_extension();
    return named += extension;
}

// "demo" of "out/demo.generated.cc".
std::string stem(const fs::path& output) {
    const std::string name = output.filename().string();
    return name.substr(0, name.find('.'));
}

void write(const fs::path& path, const std::string& text, Diagnostics& diagnostics) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) diagnostics.error(path.string(), 0, "cannot be written");
}

}  // namespace

GeneratedFiles files_of(const fs::path& output) {
    return {.header = with_extension(output, ".h"), .source = with_extension(output, ".cc")};
}

std::optional<fast::GeneratedSource> generate_files(const GenerateRequest& request,
                                                    Diagnostics& diagnostics) {
    const auto templates =
        fast::load_template_file(request.templates, diagnostics, {.strict = request.strict});
    if (!templates) return std::nullopt;
    if (templates->all().empty()) {
        diagnostics.error(request.templates.string(), 0,
                          "has no template with an id: there is nothing to generate");
        return std::nullopt;
    }
    const GeneratedFiles files = files_of(request.output);
    const std::string name_space =
        request.name_space.empty() ? fast::namespace_of(stem(request.output)) : request.name_space;
    fast::GeneratedSource generated =
        fast::generate(*templates, {.source_name = request.templates.filename().string(),
                                    .header_name = files.header.filename().string(),
                                    .name_space = name_space});
    write(files.header, generated.header, diagnostics);
    write(files.source, generated.source, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    return generated;
}

std::string summary(const GenerateRequest& request, const fast::GeneratedSource& generated) {
    const std::size_t count = generated.generated_count + generated.interpreted.size();
    std::string out = files_of(request.output).source.string() + ": decoders of " +
                      std::to_string(generated.generated_count) + " of " + std::to_string(count) +
                      " templates\n";
    for (const fast::GeneratedSource::Interpreted& tmpl : generated.interpreted)
        out += "template " + printable_in_line(tmpl.label) + " (id " + std::to_string(tmpl.id) +
               ") is interpreted: " + tmpl.reason + '\n';
    return out;
}

}  // namespace tickpath::fast_decoders
