// A template file as read and checked, before it is compiled: what template_loader.cc hands to compiler.cc.
// Cold.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decoders/base/decimal.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

/// Names are pairs: equal local names of different namespaces are different names (FAST 1.1 §6.2.2).
struct Name {
    std::string ns;
    std::string local;
    friend auto operator<=>(const Name&, const Name&) = default;
};

/// A value attribute converted to its field's type. Which member counts follows from the type.
struct InitialValue {
    std::uint64_t integer = 0;  ///< signed values sign-extended
    Decimal decimal;
    std::string text;
};

struct OperatorDefinition {
    Operator op = Operator::none;
    std::optional<InitialValue> initial;
    Name key;                ///< explicit, the field's name, or generated
    std::string dictionary;  ///< from the nearest attribute outwards
    std::uint32_t line = 0;
};

struct FieldDefinition {
    enum class Kind : std::uint8_t { scalar, group, sequence, static_reference, dynamic_reference };

    Kind kind = Kind::scalar;
    FieldType type = FieldType::u32;  ///< of a scalar
    Presentation presentation;        ///< of a scalar
    Name name;                        ///< of a static reference: the template's
    std::string id;
    bool optional = false;
    std::uint32_t line = 0;
    OperatorDefinition op;  ///< of a sequence: its length's
    bool individual_operators = false;
    OperatorDefinition exponent;
    OperatorDefinition mantissa;
    std::optional<Name> type_ref;         ///< group, sequence
    std::vector<FieldDefinition> fields;  ///< group, sequence
};

struct TemplateDefinition {
    Name name;
    std::optional<std::uint32_t> id;  ///< without one it is a building block
    std::optional<Name> type_ref;
    bool resets = false;
    std::vector<FieldDefinition> fields;
    std::string file;
    std::uint32_t line = 0;
};

/// Finds what a static reference names.
class TemplateNames {
public:
    explicit TemplateNames(std::span<const TemplateDefinition> definitions) {
        for (const TemplateDefinition& definition : definitions)
            by_name_.emplace(definition.name, &definition);
    }
    /// Null when there is none (D8).
    [[nodiscard]] const TemplateDefinition* find(const Name& name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : found->second;
    }

private:
    std::map<Name, const TemplateDefinition*> by_name_;
};

}  // namespace tickpath::fast
