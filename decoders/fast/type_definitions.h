// The reusable types of FAST 1.2: <define name="T">, and the <field> that uses one. Cold.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "decoders/fast/xml_element.h"

namespace tickpath::fast {

/// What a <field> stands for: the element of its type with the field's own name, presence and operator, or
/// why there is none.
struct FieldExpansion {
    std::optional<XmlElement> element;
    std::string type_name;  ///< of the <define> it came from; empty when the type stands in the field itself
    std::string problem;
};

class TypeDefinitions {
public:
    /// Returns what is wrong with the <define>, empty when it was taken.
    [[nodiscard]] std::string add(const XmlElement& define);

    /// `field` is a <field>: <field name="f"><type name="T"/></field>, or with an <enum>, a <string> …
    /// inside. What the field says counts before what <type> says, and that before the definition: name,
    /// presence and other attributes one by one, operators as a whole.
    [[nodiscard]] FieldExpansion expand(const XmlElement& field) const;

private:
    /// The type element behind <type name="T">, followed through definitions that name another.
    [[nodiscard]] FieldExpansion resolve(const XmlElement& type) const;

    std::map<std::string, XmlElement, std::less<>> types_;  ///< the element inside <define>
};

/// default, copy …, the operators of FAST 1.1 §6.3.
[[nodiscard]] bool is_operator_element(std::string_view name) noexcept;

}  // namespace tickpath::fast
