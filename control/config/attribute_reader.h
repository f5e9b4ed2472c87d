// Fills a settings struct from the attributes of one XML element. Cold.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "control/config/document.h"
#include "control/config/fields.h"

namespace tickpath::config {

/// Visit all attributes of the schema, then call finish or rest.
class AttributeReader final : public Fields {
public:
    AttributeReader(Document& document, pugi::xml_node node, const std::filesystem::path& folder);

    void text(std::string_view name, std::string& value, Need need) override;
    void form(std::string_view name, std::string& value, Need need, std::string_view type,
              FormCheck check) override;
    void word(std::string_view name, std::string& value, std::span<const std::string_view> known) override;
    void path(std::string_view name, std::filesystem::path& value, Need need) override;
    void yes_no(std::string_view name, bool& value) override;
    void decimal(std::string_view name, Decimal& value, std::string_view unit) override;
    void words(std::string_view name, std::vector<std::string>& value, Need need) override;

    struct Rest {
        std::string name;
        std::string text;
        std::uint32_t line = 0;
    };
    /// What the element has beyond the visited attributes, for the one element that leaves them to somebody
    /// else. Repeated attributes are errors.
    [[nodiscard]] std::vector<Rest> rest();
    /// For all others: whatever rest() returns is an error that names the nearest spelling.
    void finish();

protected:
    void wide_number(std::string_view name, std::optional<std::int64_t>& value, Range range,
                     Need need) override;

private:
    /// The attribute's text, or nullptr when it is absent, which is an error if it is required.
    [[nodiscard]] const char* find(std::string_view name, Need need);
    void error(std::string_view name, std::string_view found, std::string_view expected);

    Document& document_;
    pugi::xml_node node_;
    const std::filesystem::path& folder_;  ///< relative paths start here
    std::vector<std::string_view> known_;
};

/// Exact: digits with at most one point among them; no sign, no exponent form, at most 18 digits.
[[nodiscard]] std::optional<Decimal> parse_decimal(std::string_view text) noexcept;

}  // namespace tickpath::config
