#include "decoders/fast/template_lint.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "decoders/fast/entry_name.h"
#include "decoders/fast/presence_map.h"
#include "decoders/fast/segment_facts.h"

namespace tickpath::fast {
namespace {

using Kind = FieldDefinition::Kind;
using Fields = std::vector<FieldDefinition>;

std::string quoted(std::string_view text) {
    return '"' + std::string(text) + '"';
}

/// An operator with its entry, as it stands in a template that can be met on the wire.
struct EntryUse {
    const TemplateDefinition* where = nullptr;
    const OperatorDefinition* op = nullptr;
    Name field;
    bool has_key_of_its_own = false;  ///< a `key` attribute that is not the field's name
};

class Linter {
public:
    Linter(std::span<const TemplateDefinition> definitions, Diagnostics& diagnostics)
        : definitions_(definitions), diagnostics_(diagnostics), names_(definitions) {}

    void run() {
        for (const TemplateDefinition& definition : definitions_) {
            lint_fields(definition, definition.fields);
            lint_map(definition, definition.fields, definition.line, "the message", 1);
            if (definition.id) collect(definition, definition.fields, DictionaryScope::of(definition));
        }
        lint_identifiers();
        lint_keys();
        lint_resets();
    }

private:
    void warn(const TemplateDefinition& where, std::uint32_t line, const std::string& text) {
        diagnostics_.warning(where.file, line, text);
    }

    void lint_fields(const TemplateDefinition& where, const Fields& fields) {
        std::map<Name, std::uint32_t> lines;
        for (const FieldDefinition& field : fields) {
            if (field.kind == Kind::static_reference) referred_.push_back(field.name);
            const bool has_name = field.kind != Kind::static_reference && !field.name.local.empty();
            const auto [first, is_new] = lines.emplace(field.name, field.line);
            if (has_name && !is_new)
                warn(where, field.line,
                     "the name " + quoted(field.name.local) + " is already used on line " +
                         std::to_string(first->second) + ": this one is reached as " +
                         quoted(field.name.local + "#2") +
                         "; and where both have operators they share an entry");
            lint_decimal(where, field);
            if (field.kind == Kind::group || field.kind == Kind::sequence) {
                lint_fields(where, field.fields);
                lint_map(where, field.fields, field.line, quoted(field.name.local), 0);
            }
        }
    }

    // §6.3.2: the initial value is a normalised pair, and the delta is on the pair, not on the number.
    void lint_decimal(const TemplateDefinition& where, const FieldDefinition& field) {
        if (field.kind != Kind::scalar || field.type != FieldType::decimal || field.individual_operators)
            return;
        if (field.op.op != Operator::delta || !field.op.initial) return;
        const Decimal initial = field.op.initial->decimal;
        warn(where, field.op.line,
             "decimal " + quoted(field.name.local) + " has a delta with an initial value, which counts as " +
                 std::to_string(initial.mantissa) + " with exponent " + std::to_string(initial.exponent) +
                 ": mantissa and exponent of the first message are added to these, and decoders that do not "
                 "normalise get another price; individual operators say it plainly");
    }

    void lint_map(const TemplateDefinition& where, const Fields& fields, std::uint32_t line,
                  const std::string& of, unsigned own_bits) {
        const unsigned bits = map_bits(fields, names_) + own_bits;
        if (bits > map_bits_in_register)
            warn(where, line,
                 "the presence map of " + of + " may need " + std::to_string(bits) + " bits, more than " +
                     std::to_string(map_bits_in_register) +
                     ": it decodes, more slowly; decoders that keep the map in 64 bits lose fields silently");
    }

    void collect(const TemplateDefinition& where, const Fields& fields, const DictionaryScope& scope) {
        for (const FieldDefinition& field : fields) {
            DictionaryScope inside = scope;
            if (field.type_ref) inside.current_type = *field.type_ref;
            if (field.kind == Kind::static_reference) {
                const TemplateDefinition& referred = *names_.find(field.name);
                inside.enter(referred);
                collect(referred, referred.fields, inside);
                continue;
            }
            for (const OperatorDefinition* const op : {&field.op, &field.exponent, &field.mantissa}) {
                if (!uses_dictionary(op->op)) continue;
                const bool is_generated = !op->key.local.empty() && op->key.local.front() == '\x03';
                const bool has_own = !is_generated && op->key != field.name && field.kind != Kind::sequence;
                uses_[entry_name(*op, scope)].push_back({&where, op, field.name, has_own});
            }
            collect(where, field.fields, inside);
        }
    }

    void lint_identifiers() {
        for (const TemplateDefinition& definition : definitions_) {
            if (definition.id) continue;
            const bool is_referred =
                std::find(referred_.begin(), referred_.end(), definition.name) != referred_.end();
            warn(definition, definition.line,
                 "template " + quoted(definition.name.local) +
                     (is_referred
                          ? " has no id: it is a building block for templateRef, never a message"
                          : " has no id and nothing refers to it: no message can be one, and it can go"));
        }
    }

    // A key says that fields share an entry. One that nobody else has is a slip, or nothing.
    void lint_keys() {
        for (const auto& [name, uses] : uses_) {
            const EntryUse& first = uses.front();
            const bool is_of_one_place = std::all_of(uses.begin(), uses.end(),
                                                     [&](const EntryUse& use) { return use.op == first.op; });
            if (!is_of_one_place || !first.has_key_of_its_own) continue;
            std::vector<std::string_view> others;
            for (const auto& [other, other_uses] : uses_)
                if (other.dictionary == name.dictionary && !(other == name))
                    others.push_back(other.key.local);
            const std::string_view near = nearest_spelling(name.key.local, others);
            std::string text = "the key " + quoted(name.key.local) + " of field " +
                               quoted(first.field.local) +
                               " is used by no other operator, so that nothing is shared";
            text += near.empty() ? ": leave it out" : "; did you mean " + quoted(near) + "?";
            warn(*first.where, first.op->line, text);
        }
    }

    // The one mistake that gives wrong values without an error.
    void lint_resets() {
        const bool has_reset = std::any_of(definitions_.begin(), definitions_.end(),
                                           [](const TemplateDefinition& one) { return one.resets; });
        if (has_reset || uses_.empty()) return;
        const EntryUse& first = uses_.begin()->second.front();
        warn(*first.where, 0,
             std::to_string(uses_.size()) + (uses_.size() == 1 ? " entry remembers" : " entries remember") +
                 " values from one message to the next, and no template has a reset attribute: when they are "
                 "forgotten must be said with the feed (--reset, or reset= in its description); a wrong rule "
                 "gives wrong values and no error, see decoders/fast/RESETS.md");
    }

    std::span<const TemplateDefinition> definitions_;
    Diagnostics& diagnostics_;
    TemplateNames names_;
    std::vector<Name> referred_;
    std::map<EntryName, std::vector<EntryUse>> uses_;
};

}  // namespace

void lint_templates(std::span<const TemplateDefinition> definitions, Diagnostics& diagnostics) {
    Linter(definitions, diagnostics).run();
}

}  // namespace tickpath::fast
