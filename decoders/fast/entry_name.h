// What people call a dictionary entry: its dictionary and its key (FAST 1.1 §6.3). Cold.
#pragma once

#include <compare>
#include <string>

#include "decoders/fast/definition.h"

namespace tickpath::fast {

/// Whose dictionaries `template` and `type` mean where an operator stands.
struct DictionaryScope {
    Name current_template;
    Name current_type;  ///< empty: any

    /// That of a template that can be met on the wire or is the target of a static reference.
    [[nodiscard]] static DictionaryScope of(const TemplateDefinition& definition) {
        DictionaryScope scope;
        scope.enter(definition);
        if (definition.name.local.empty() && definition.id)
            scope.current_template.local = '#' + std::to_string(*definition.id);
        return scope;
    }
    /// A static reference: the referred template is current while its instructions are processed (§6.4).
    void enter(const TemplateDefinition& referred) {
        current_template = referred.name;
        if (referred.type_ref) current_type = *referred.type_ref;
    }
};

/// Two operators share an entry iff these are equal.
struct EntryName {
    std::string dictionary;  ///< `global`, `template Quote`, `type Order`, or a name of the user's in quotes
    Name key;

    friend auto operator<=>(const EntryName&, const EntryName&) = default;
};

[[nodiscard]] inline EntryName entry_name(const OperatorDefinition& op, const DictionaryScope& scope) {
    const auto spelled = [](const Name& name) {
        if (name.local.empty()) return std::string("(none)");
        return name.ns.empty() ? name.local : name.ns + ' ' + name.local;
    };
    if (op.dictionary == "global") return {"global", op.key};
    if (op.dictionary == "template") return {"template " + spelled(scope.current_template), op.key};
    if (op.dictionary == "type") return {"type " + spelled(scope.current_type), op.key};
    return {'"' + op.dictionary + '"', op.key};
}

/// A key as a person reads it: generated ones begin with a character that no XML name has.
[[nodiscard]] inline std::string shown_key(const EntryName& name) {
    const bool is_generated = !name.key.local.empty() && name.key.local.front() == '\x03';
    return is_generated ? name.key.local.substr(1) : name.key.local;
}

/// Whether the operator reads or writes an entry.
[[nodiscard]] constexpr bool uses_dictionary(Operator op) noexcept {
    return op == Operator::copy || op == Operator::increment || op == Operator::delta || op == Operator::tail;
}

}  // namespace tickpath::fast
