#include "control/config/document.h"

#include <utility>

namespace tickpath::config {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// pugixml keeps no place of an attribute, so its tag is read once more. `tag` starts behind the '<' of a tag
// that parsed, so quotes are balanced.
std::size_t offset_of_attribute(std::string_view tag, std::string_view attribute) {
    char quote = 0;
    for (std::size_t i = 0; i < tag.size(); ++i) {
        const char c = tag[i];
        if (quote != 0) {
            if (c == quote) quote = 0;
            continue;
        }
        if (c == '>') break;
        if (c == '"' || c == '\'') quote = c;
        const bool starts_name = i > 0 && is_space(tag[i - 1]);
        if (!starts_name || !tag.substr(i).starts_with(attribute)) continue;
        const std::size_t behind = i + attribute.size();
        if (behind < tag.size() && (tag[behind] == '=' || is_space(tag[behind]))) return i;
    }
    return 0;
}

}  // namespace

Document::Document(std::string_view text, std::string file, Diagnostics& diagnostics)
    : text_(text), file_(std::move(file)), diagnostics_(diagnostics) {}

pugi::xml_node Document::parse(std::string_view root_name) {
    const pugi::xml_parse_result result =
        tree_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
        const auto offset = static_cast<std::size_t>(result.offset < 0 ? 0 : result.offset);
        error(position_of(text_, offset).line, std::string("not well-formed XML: ") + result.description());
        return {};
    }
    const pugi::xml_node root = tree_.document_element();
    if (root.name() != root_name) {
        error(line_of(root), "the root element is <" + std::string(root.name()) + ">, expected <" +
                                 std::string(root_name) + ">");
        return {};
    }
    if (const pugi::xml_node second = root.next_sibling(); !second.empty()) {
        error(line_of(second), "more than one root element");
        return {};
    }
    return root;
}

std::uint32_t Document::line_of(const pugi::xml_node& node) const {
    const std::ptrdiff_t offset = node.offset_debug();
    return position_of(text_, offset < 0 ? 0 : static_cast<std::size_t>(offset)).line;
}

std::uint32_t Document::line_of(const pugi::xml_node& node, std::string_view attribute) const {
    const std::ptrdiff_t at = node.offset_debug();
    if (at < 0) return 0;
    const auto offset = static_cast<std::size_t>(at);
    return position_of(text_, offset + offset_of_attribute(text_.substr(offset), attribute)).line;
}

void Document::error(std::uint32_t line, std::string text) {
    ++error_count_;
    diagnostics_.error(file_, line, std::move(text));
}

std::vector<pugi::xml_node> Document::children(const pugi::xml_node& node,
                                               const std::vector<std::string_view>& known) {
    std::vector<pugi::xml_node> elements;
    for (const pugi::xml_node& child : node.children()) {
        if (child.type() != pugi::node_element) {
            error(line_of(child), "text inside <" + std::string(node.name()) + ">: settings are attributes");
            continue;
        }
        bool is_known = false;
        for (const std::string_view name : known)
            is_known = is_known || name == child.name();
        if (is_known) {
            elements.push_back(child);
            continue;
        }
        std::string text = "unknown element <" + std::string(child.name()) + "> in <" + node.name() + ">";
        const std::string_view near = nearest_spelling(child.name(), known);
        if (!near.empty()) text += ", did you mean <" + std::string(near) + ">?";
        error(line_of(child), std::move(text));
    }
    return elements;
}

}  // namespace tickpath::config
