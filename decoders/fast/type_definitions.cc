#include "decoders/fast/type_definitions.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

namespace tickpath::fast {
namespace {

constexpr std::array<std::string_view, 6> operators = {"constant",  "default", "copy",
                                                       "increment", "delta",   "tail"};

// What may stand beside the type in a <field>, and inside <type>: it refines the type.
bool refines(const XmlElement& element) {
    return is_operator_element(element.name) || element.name == "exponent" || element.name == "mantissa" ||
           element.name == "length";
}

void set_attribute(XmlElement& element, const std::string& name, const std::string& value) {
    for (auto& [known, old] : element.attributes)
        if (known == name) {
            old = value;
            return;
        }
    element.attributes.emplace_back(name, value);
}

// An operator replaces the type's operator whatever it is; the other parts replace their like.
void refine(XmlElement& type, const XmlElement& by) {
    std::vector<XmlElement> added;
    std::copy_if(by.children.begin(), by.children.end(), std::back_inserter(added), refines);
    const auto is_replaced = [&](const XmlElement& old) {
        return std::any_of(added.begin(), added.end(), [&](const XmlElement& one) {
            return one.name == old.name || (is_operator_element(one.name) && is_operator_element(old.name));
        });
    };
    type.children.erase(std::remove_if(type.children.begin(), type.children.end(), is_replaced),
                        type.children.end());
    std::move(added.begin(), added.end(), std::back_inserter(type.children));
}

}  // namespace

bool is_operator_element(std::string_view name) noexcept {
    return std::find(operators.begin(), operators.end(), name) != operators.end();
}

std::string TypeDefinitions::add(const XmlElement& define) {
    const std::string name = define.attribute("name").value_or("");
    if (name.empty()) return "<define> has no name";
    if (define.children.size() != 1) return "<define> \"" + name + "\" must hold one type";
    if (!types_.emplace(name, define.children.front()).second)
        return "<define> \"" + name + "\" stands twice";
    return "";
}

FieldExpansion TypeDefinitions::resolve(const XmlElement& type) const {
    FieldExpansion expansion;
    const XmlElement* at = &type;
    std::vector<const XmlElement*> passed;  // each may refine what it names
    std::set<std::string> names;
    while (at->name == "type") {
        const std::string name = at->attribute("name").value_or("");
        const auto found = types_.find(name);
        if (found == types_.end()) {
            expansion.problem = "there is no <define> \"" + name + '"';
            return expansion;
        }
        if (!names.insert(name).second) {
            expansion.problem = "the type \"" + name + "\" is defined by itself";
            return expansion;
        }
        if (expansion.type_name.empty()) expansion.type_name = name;
        passed.push_back(at);
        at = &found->second;
    }
    expansion.element = *at;
    for (; !passed.empty(); passed.pop_back()) {
        for (const auto& [name, value] : passed.back()->attributes)
            if (name != "name") set_attribute(*expansion.element, name, value);
        refine(*expansion.element, *passed.back());
    }
    return expansion;
}

FieldExpansion TypeDefinitions::expand(const XmlElement& field) const {
    const XmlElement* type = nullptr;
    for (const XmlElement& inside : field.children) {
        if (refines(inside)) continue;
        if (type != nullptr) return {.element = {}, .type_name = {}, .problem = "<field> has two types"};
        type = &inside;
    }
    if (type == nullptr)
        return {.element = {},
                .type_name = {},
                .problem = "<field> has no type: <type name=\"...\"/> or one itself"};
    FieldExpansion expansion = resolve(*type);
    if (!expansion.element) return expansion;
    for (const auto& [name, value] : field.attributes)
        set_attribute(*expansion.element, name, value);
    refine(*expansion.element, field);
    expansion.element->line = field.line;
    return expansion;
}

}  // namespace tickpath::fast
