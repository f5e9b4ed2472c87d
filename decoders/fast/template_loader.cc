#include "decoders/fast/template_loader.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "decoders/base/whole_file.h"
#include "decoders/fast/compiler.h"
#include "decoders/fast/template_reader.h"
#include "decoders/fast/xml_element.h"

namespace tickpath::fast {
namespace {

constexpr std::string_view template_namespaces[] = {
    "",
    "http://www.fixprotocol.org/ns/fast/td/1.1",
    "http://www.fixprotocol.org/ns/fast/td/1.2",
    "http://www.fixprotocol.org/ns/template-definition",
    "http://www.FIXprotocal.org/ns/FAST/td/1.1",  // the Shanghai exchange spells it so
};
constexpr unsigned element_depth_max = 100;
constexpr std::string_view scp_namespace = "http://www.fixprotocol.org/ns/fast/scp/";

using Prefixes = std::map<std::string, std::string, std::less<>>;  // "" is the default namespace

struct QualifiedName {
    std::string prefix;
    std::string local;
};

QualifiedName split(std::string_view name) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return {"", std::string(name)};
    return {std::string(name.substr(0, colon)), std::string(name.substr(colon + 1))};
}

// Turns pugixml's tree into XmlElements. pugixml knows no namespaces and forgives what XML does not; both are
// made good here.
class XmlFile {
public:
    XmlFile(TemplateSource source, Diagnostics& diagnostics, LoadOptions options)
        : source_(source), diagnostics_(diagnostics), options_(options) {
        for (std::size_t at = source.xml.find('\n'); at != std::string_view::npos;
             at = source.xml.find('\n', at + 1))
            line_breaks_.push_back(at);
    }

    [[nodiscard]] std::optional<XmlElement> read() {
        check_declaration();
        pugi::xml_document document;
        const pugi::xml_parse_result result = document.load_buffer(source_.xml.data(), source_.xml.size());
        if (!result) {
            error(result.offset, std::string("not well-formed: ") + result.description());
            return std::nullopt;
        }
        const auto elements = [&] {
            std::vector<pugi::xml_node> found;
            for (const pugi::xml_node node : document.children())
                if (node.type() == pugi::node_element) found.push_back(node);
            return found;
        }();
        if (elements.size() != 1) {
            error(0, "not well-formed: " + std::to_string(elements.size()) + " root elements");
            return std::nullopt;
        }
        return convert(elements.front(), {}, 0);
    }

private:
    // §8: `<?xml version=" 1.0 "?>` stands in files that are in use; nothing else is mended.
    void check_declaration() {
        if (!source_.xml.starts_with("<?xml")) return;
        const std::string_view declaration = source_.xml.substr(0, source_.xml.find("?>"));
        const std::size_t at = declaration.find("version=");
        const std::size_t open = at == std::string_view::npos ? at : at + std::string_view("version=").size();
        const bool quoted =
            open < declaration.size() && (declaration[open] == '"' || declaration[open] == '\'');
        const std::size_t close =
            quoted ? declaration.find(declaration[open], open + 1) : std::string_view::npos;
        if (close == std::string_view::npos) return error(0, "the XML declaration has no version");
        std::string version(declaration.substr(open + 1, close - open - 1));
        if (version == "1.0" || version == "1.1") return;
        version.erase(std::remove_if(version.begin(), version.end(),
                                     [](unsigned char c) { return std::isspace(c) != 0; }),
                      version.end());
        const std::string what = "the XML declaration's version is not \"1.0\"";
        if (version == "1.0") return mend(0, what);
        error(0, what);
    }

    [[nodiscard]] XmlElement convert(const pugi::xml_node& node, Prefixes prefixes, unsigned depth) {
        XmlElement element;
        element.line = line_of(node.offset_debug());
        element.name = split(node.name()).local;
        declare_prefixes(node, prefixes);
        if (!own_namespace_) own_namespace_ = namespace_of(node, prefixes);
        read_attributes(node, prefixes, element);
        if (depth == element_depth_max) {
            error(node.offset_debug(),
                  "elements nest more than " + std::to_string(element_depth_max) + " deep");
            return element;
        }
        for (const pugi::xml_node inside : node.children()) {
            if (inside.type() == pugi::node_pcdata || inside.type() == pugi::node_cdata)
                element.has_stray_text = true;
            if (inside.type() != pugi::node_element) continue;
            Prefixes of_child = prefixes;
            declare_prefixes(inside, of_child);
            const std::string uri = namespace_of(inside, of_child);
            const bool is_ours = uri == own_namespace_ ||
                                 std::find(std::begin(template_namespaces), std::end(template_namespaces),
                                           uri) != std::end(template_namespaces);
            if (is_ours) element.children.push_back(convert(inside, prefixes, depth + 1));
        }
        return element;
    }

    static void declare_prefixes(const pugi::xml_node& node, Prefixes& prefixes) {
        for (const pugi::xml_attribute attribute : node.attributes()) {
            const QualifiedName name = split(attribute.name());
            if (name.prefix == "xmlns") prefixes[name.local] = attribute.value();
            if (name.prefix.empty() && name.local == "xmlns") prefixes[""] = attribute.value();
        }
    }

    [[nodiscard]] std::string namespace_of(const pugi::xml_node& node, const Prefixes& prefixes) {
        const QualifiedName name = split(node.name());
        const auto found = prefixes.find(name.prefix);
        if (found != prefixes.end()) return found->second;
        if (!name.prefix.empty())
            error(node.offset_debug(), "the prefix \"" + name.prefix + ":\" is not declared");
        return "";
    }

    void read_attributes(const pugi::xml_node& node, const Prefixes& prefixes, XmlElement& element) {
        for (const pugi::xml_attribute attribute : node.attributes()) {
            const QualifiedName name = split(attribute.name());
            if (name.prefix == "xmlns" || name.prefix == "xml" ||
                (name.prefix.empty() && name.local == "xmlns"))
                continue;
            if (name.prefix.empty()) {
                if (element.attribute(name.local))
                    error(node.offset_debug(), "the attribute " + name.local + " stands twice");
                element.attributes.emplace_back(name.local, attribute.value());
                warn_of_slip(node.offset_debug(), name.local);
                continue;
            }
            const auto bound = prefixes.find(name.prefix);
            const bool is_unbound_scp = bound == prefixes.end() && name.prefix == "scp";
            if (bound == prefixes.end()) {
                const std::string what = "the prefix \"" + name.prefix + ":\" is not declared";
                if (is_unbound_scp) {
                    mend(node.offset_debug(), what);
                } else {
                    error(node.offset_debug(), what);
                }
            }
            const bool is_scp =
                is_unbound_scp || (bound != prefixes.end() && bound->second.starts_with(scp_namespace));
            if (is_scp && name.local == "reset") element.scp_reset = attribute.value();
        }
    }

    // An attribute that nobody knows may be a venue's own and is passed over. One that is nearly a known one
    // was meant to be it, and what it says is lost: an optional field read as mandatory shifts all that
    // follows.
    void warn_of_slip(std::ptrdiff_t offset, const std::string& attribute) {
        static const std::vector<std::string_view> short_names = {"id", "key", "name", "ns", "type", "unit"};
        static const std::vector<std::string_view> names = {"charset", "dictionary", "epoch", "presence",
                                                            "reset",   "templateNs", "value"};
        if (std::ranges::find(short_names, attribute) != short_names.end()) return;
        const std::string_view near = nearest_spelling(attribute, names);
        if (near.empty() || near == attribute) return;
        diagnostics_.warning(source_.file_name, line_of(offset),
                             "the attribute " + attribute + " is unknown and does nothing (did you mean " +
                                 std::string(near) + "?)");
    }

    [[nodiscard]] std::uint32_t line_of(std::ptrdiff_t offset) const {
        if (offset < 0) return 0;  // the file's encoding was converted
        const auto after =
            std::lower_bound(line_breaks_.begin(), line_breaks_.end(), static_cast<std::size_t>(offset));
        return static_cast<std::uint32_t>(after - line_breaks_.begin()) + 1;
    }

    void error(std::ptrdiff_t offset, const std::string& text) {
        diagnostics_.error(source_.file_name, line_of(offset), "S1: " + text, Errc::s1);
    }
    void mend(std::ptrdiff_t offset, const std::string& text) {
        if (options_.strict) return error(offset, text);
        diagnostics_.warning(source_.file_name, line_of(offset), "S1: " + text, Errc::s1);
    }

    TemplateSource source_;
    Diagnostics& diagnostics_;
    LoadOptions options_;
    std::vector<std::size_t> line_breaks_;
    std::optional<std::string> own_namespace_;  // the root's: whatever it is, it is meant
};

}  // namespace

std::vector<TemplateDefinition> read_definitions(std::span<const TemplateSource> sources,
                                                 Diagnostics& diagnostics, LoadOptions options) {
    std::vector<TemplateDefinition> definitions;
    for (const TemplateSource& source : sources) {
        const std::optional<XmlElement> root = XmlFile(source, diagnostics, options).read();
        if (!root) continue;
        std::vector<TemplateDefinition> read =
            TemplateReader(source.file_name, diagnostics, options).read(*root);
        std::move(read.begin(), read.end(), std::back_inserter(definitions));
    }
    return definitions;
}

std::shared_ptr<const Templates> load_templates(std::span<const TemplateSource> sources,
                                                Diagnostics& diagnostics, LoadOptions options) {
    Diagnostics found;  // the caller's may hold errors of other files
    const std::vector<TemplateDefinition> definitions = read_definitions(sources, found, options);
    std::shared_ptr<const Templates> templates = Compiler(definitions, found).compile();
    for (const Diagnostic& diagnostic : found.all())
        diagnostics.add(diagnostic);
    return templates;
}

std::shared_ptr<const Templates> load_templates(std::string_view xml, std::string_view file_name,
                                                Diagnostics& diagnostics, LoadOptions options) {
    const TemplateSource source = {xml, file_name};
    return load_templates(std::span(&source, 1), diagnostics, options);
}

std::shared_ptr<const Templates> load_template_file(const std::filesystem::path& path,
                                                    Diagnostics& diagnostics, LoadOptions options) {
    const FileContent content = read_whole_file(path, xml_bytes_max);
    if (!content) {
        diagnostics.error(path.string(), 0, content.why, content.error);
        return nullptr;
    }
    return load_templates(content.bytes, path.string(), diagnostics, options);
}

}  // namespace tickpath::fast
