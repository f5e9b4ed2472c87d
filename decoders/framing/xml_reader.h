// What the readers of feed descriptions and message layouts share: attributes of one XML file, each judged
// with its line. Cold.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "decoders/base/diagnostics.h"

namespace tickpath::framing {

using Names = std::vector<std::string_view>;

[[nodiscard]] inline std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (true) {
        const std::size_t start = text.find_first_not_of(" \t\r\n");
        if (start == std::string_view::npos) return words;
        text.remove_prefix(start);
        const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

[[nodiscard]] inline std::optional<std::uint32_t> number_of(std::string_view text) noexcept {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

[[nodiscard]] inline std::string joined(std::span<const std::string_view> words) {
    std::string out;
    for (const std::string_view word : words) {
        if (!out.empty()) out += ", ";
        out += word;
    }
    return out;
}

/// Reads attributes of one file and says at which line one is wrong. Reading goes on after an error with the
/// value's default, so that a person sees all of them.
class XmlReader {
public:
    XmlReader(std::string_view xml, std::string_view file, Diagnostics& diagnostics)
        : xml_(xml), file_(file), diagnostics_(diagnostics) {}

    [[nodiscard]] std::uint32_t line(pugi::xml_node node) const {
        const auto offset = node.offset_debug();
        return offset < 0 ? 0 : position_of(xml_, static_cast<std::size_t>(offset)).line;
    }
    void error(pugi::xml_node node, std::string text, Errc code = Errc::config) {
        diagnostics_.error(file_, line(node), std::move(text), code);
    }
    [[nodiscard]] std::string_view file() const noexcept { return file_; }

    void expect_attributes(pugi::xml_node node, const Names& known) {
        Names seen;
        for (const pugi::xml_attribute attribute : node.attributes()) {
            const std::string_view name = attribute.name();
            if (std::ranges::find(known, name) == known.end()) {
                error(node, unknown("attribute", name, std::string("of <") + node.name() + ">", known),
                      Errc::unknown);
            } else if (std::ranges::find(seen, name) != seen.end()) {
                error(node, "attribute " + std::string(name) + " stands twice in <" + node.name() + ">");
            }
            seen.push_back(name);
        }
    }
    void expect_children(pugi::xml_node node, const Names& known) {
        for (const pugi::xml_node child : node.children()) {
            if (child.type() == pugi::node_element && std::ranges::find(known, child.name()) == known.end())
                error(child, unknown("element", child.name(), std::string("in <") + node.name() + ">", known),
                      Errc::unknown);
        }
    }
    /// The only child of this name; more than one is an error, none also when it is required.
    pugi::xml_node child(pugi::xml_node node, const char* name, bool is_required) {
        const pugi::xml_node first = node.child(name);
        if (!first && is_required)
            error(node, std::string("<") + node.name() + "> needs a <" + name + ">", Errc::missing);
        if (first && first.next_sibling(name))
            error(first.next_sibling(name), std::string("a second <") + name + ">");
        return first;
    }

    std::string text(pugi::xml_node node, const char* name) { return node.attribute(name).value(); }
    std::string required_text(pugi::xml_node node, const char* name) {
        std::string value = text(node, name);
        if (value.empty() && node)
            error(node, std::string("<") + node.name() + "> needs " + name + "=\"…\"", Errc::missing);
        return value;
    }
    std::uint32_t number(pugi::xml_node node, const char* name, std::uint32_t fallback, std::uint32_t min,
                         std::uint32_t max) {
        const pugi::xml_attribute attribute = node.attribute(name);
        if (!attribute) return fallback;
        const std::optional<std::uint32_t> value = number_of(attribute.value());
        if (value && *value >= min && *value <= max) return *value;
        error(node, std::string(name) + "=\"" + attribute.value() + "\" is not a number from " +
                        std::to_string(min) + " to " + std::to_string(max));
        return fallback;
    }

    template <class Value>
    using Choices = std::initializer_list<std::pair<std::string_view, Value>>;

    /// One of a few words. Without `fallback` the attribute is required.
    template <class Value>
    Value choice(pugi::xml_node node, const char* name, Choices<Value> choices,
                 std::optional<Value> fallback = std::nullopt) {
        Names known;
        for (const auto& [word, value] : choices)
            known.push_back(word);
        const pugi::xml_attribute attribute = node.attribute(name);
        if (!attribute && fallback) return *fallback;
        if (!attribute && node)
            error(node, std::string("<") + node.name() + "> needs " + name + "=\"…\": " + joined(known),
                  Errc::missing);
        if (!attribute) return choices.begin()->second;
        for (const auto& [word, value] : choices)
            if (word == attribute.value()) return value;
        error(node, std::string(name) + "=\"" + attribute.value() + "\" is not one of " + joined(known));
        return choices.begin()->second;
    }

private:
    /// "unknown attribute prise of <message> (did you mean price?)"
    static std::string unknown(std::string_view what, std::string_view name, std::string_view where,
                               const Names& known) {
        std::string out = "unknown " + std::string(what) + " " + std::string(name) + " " + std::string(where);
        const std::string_view near = nearest_spelling(name, known);
        if (!near.empty()) out += " (did you mean " + std::string(near) + "?)";
        return out;
    }

    std::string_view xml_;
    std::string_view file_;
    Diagnostics& diagnostics_;
};

/// Parses `xml` and hands its outermost element, which must be called `root`, to `read` with a reader. Adds
/// every finding to `diagnostics`; false when one is an error.
template <class Read>
[[nodiscard]] bool read_xml(std::string_view xml, std::string_view file_name, std::string_view root,
                            Diagnostics& diagnostics, Read&& read) {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
    if (!parsed) {
        const TextPosition at =
            position_of(xml, static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)));
        diagnostics.error(file_name, at.line, std::string("not well-formed XML: ") + parsed.description());
        return false;
    }
    Diagnostics found;
    XmlReader in(xml, file_name, found);
    const pugi::xml_node outermost = document.document_element();
    if (root == outermost.name()) {
        read(in, outermost);
    } else {
        in.error(outermost, std::string("the outermost element is <") + outermost.name() + ">, expected <" +
                                std::string(root) + ">");
    }
    for (const Diagnostic& diagnostic : found.all())
        diagnostics.add(diagnostic);
    return !found.has_errors();
}

}  // namespace tickpath::framing
