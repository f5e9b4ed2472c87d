// A parsed XML file that can say on which line things stand. Only loader.cc and attribute_reader.* see it.
// Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "decoders/base/diagnostics.h"

namespace tickpath::config {

class Document {
public:
    /// Keeps `text`, which must outlive the document. Findings go to `diagnostics` under `file`.
    Document(std::string_view text, std::string file, Diagnostics& diagnostics);

    /// The root element, or an empty node after an error: malformed XML, no or several roots, another name.
    [[nodiscard]] pugi::xml_node parse(std::string_view root_name);

    [[nodiscard]] std::uint32_t line_of(const pugi::xml_node& node) const;
    /// Of the attribute's name; an element may spread over many lines.
    [[nodiscard]] std::uint32_t line_of(const pugi::xml_node& node, std::string_view attribute) const;

    void error(std::uint32_t line, std::string text);
    [[nodiscard]] std::size_t error_count() const noexcept { return error_count_; }
    [[nodiscard]] const std::string& file() const noexcept { return file_; }

    /// Child elements in order. Anything but elements and comments is an error, and so is an element that is
    /// not in `known`.
    [[nodiscard]] std::vector<pugi::xml_node> children(const pugi::xml_node& node,
                                                       const std::vector<std::string_view>& known);

private:
    std::string_view text_;
    std::string file_;
    Diagnostics& diagnostics_;
    pugi::xml_document tree_;
    std::size_t error_count_ = 0;
};

}  // namespace tickpath::config
