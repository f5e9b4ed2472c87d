#include "decoders/fast/template_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "decoders/fast/initial_value.h"

namespace tickpath::fast {
namespace {

using Kind = FieldDefinition::Kind;

// Those of FAST 1.2 are integers on the wire (spec/fast.md §14b).
struct TypeName {
    std::string_view name;
    FieldType type;
    PresentationKind kind = PresentationKind::plain;
    std::uint8_t bits = 0;
};
constexpr std::array<TypeName, 15> type_names = {
    {{"int32", FieldType::i32},
     {"uInt32", FieldType::u32},
     {"int64", FieldType::i64},
     {"uInt64", FieldType::u64},
     {"decimal", FieldType::decimal},
     {"string", FieldType::ascii},
     {"byteVector", FieldType::bytes},
     {"int8", FieldType::i32, PresentationKind::plain, 8},
     {"uInt8", FieldType::u32, PresentationKind::plain, 8},
     {"int16", FieldType::i32, PresentationKind::plain, 16},
     {"uInt16", FieldType::u32, PresentationKind::plain, 16},
     {"enum", FieldType::u32, PresentationKind::enumerated},
     {"boolean", FieldType::u32, PresentationKind::boolean},
     {"set", FieldType::u64, PresentationKind::set},
     {"timestamp", FieldType::i64, PresentationKind::timestamp}}};

const TypeName* type_named(std::string_view name) {
    const auto* const found = std::find_if(type_names.begin(), type_names.end(),
                                           [&](const TypeName& known) { return known.name == name; });
    return found == type_names.end() ? nullptr : found;
}

struct OperatorName {
    std::string_view name;
    Operator op;
};
constexpr std::array<OperatorName, 6> operator_names = {{{"constant", Operator::constant},
                                                         {"default", Operator::default_},
                                                         {"copy", Operator::copy},
                                                         {"increment", Operator::increment},
                                                         {"delta", Operator::delta},
                                                         {"tail", Operator::tail}}};

// A few lines of XML can double themselves through their types.
constexpr std::uint32_t typed_fields_max = 100'000;
constexpr std::size_t open_types_max = 64;

std::optional<Operator> operator_named(std::string_view name) {
    for (const OperatorName& known : operator_names)
        if (known.name == name) return known.op;
    return std::nullopt;
}

const XmlElement* child(const XmlElement& parent, std::string_view name) {
    for (const XmlElement& element : parent.children)
        if (element.name == name) return &element;
    return nullptr;
}

char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string tag(const XmlElement& element) {
    return '<' + element.name + '>';
}

// Generated keys start with a character that no XML name can have.
Name generated(std::string_view what, const Name& of) {
    return {of.ns, '\x03' + std::string(what) + ' ' + of.local};
}

// §5.1 of spec/fast.md.
bool applies(Operator op, FieldType type) {
    switch (op) {
        case Operator::increment:
            return type == FieldType::u32 || type == FieldType::i32 || type == FieldType::u64 ||
                   type == FieldType::i64;
        case Operator::tail:
            return is_text(type);
        default:
            return true;
    }
}

}  // namespace

void TemplateReader::error(const XmlElement& at, Errc code, const std::string& text) {
    diagnostics_.error(file_, at.line, std::string(tickpath::code(code)) + ": " + text, code);
}

void TemplateReader::mend(const XmlElement& at, Errc code, const std::string& text) {
    if (options_.strict) return error(at, code, text);
    diagnostics_.warning(file_, at.line, std::string(tickpath::code(code)) + ": " + text, code);
}

std::vector<TemplateDefinition> TemplateReader::read(const XmlElement& root) {
    std::vector<TemplateDefinition> definitions;
    const Scope outside;
    if (root.name == "template") {
        definitions.push_back(read_template(root, outside));
    } else if (root.name == "templates") {
        const Scope scope = inner(root, outside);
        if (root.has_stray_text) mend(root, Errc::s1, "text between the elements of <templates>");
        read_definitions(root);
        for (const XmlElement& element : root.children) {
            if (element.name == "template") {
                definitions.push_back(read_template(element, scope));
            } else if (element.name != "define") {
                unknown_element(element, "<templates>");
            }
        }
    } else {
        error(root, Errc::s1, "the root is " + tag(root) + ", expected <templates> or <template>");
    }
    return definitions;
}

// A field may use a type that is defined further down.
void TemplateReader::read_definitions(const XmlElement& root) {
    for (const XmlElement& element : root.children) {
        if (element.name != "define") continue;
        const std::string problem = types_.add(element);
        if (!problem.empty()) error(element, Errc::s1, problem);
    }
}

TemplateDefinition TemplateReader::read_template(const XmlElement& element, Scope scope) {
    TemplateDefinition definition;
    definition.file = file_;
    definition.line = element.line;
    scope = inner(element, scope);
    definition.name = {scope.template_ns, element.attribute("name").value_or("")};
    definition.id = read_template_id(element);
    definition.resets = read_reset(element);
    if (definition.name.local.empty() && !definition.id)
        mend(element, Errc::s1, "a template with neither name nor id can never be used");
    read_fields(element, scope, definition.type_ref, definition.fields);
    return definition;
}

std::optional<std::uint32_t> TemplateReader::read_template_id(const XmlElement& element) {
    const std::optional<std::string> text = element.attribute("id");
    if (!text) return std::nullopt;
    const std::optional<InitialValue> id = parse_initial_value(*text, FieldType::u32);
    if (id) return static_cast<std::uint32_t>(id->integer);
    mend(element, Errc::s1,
         "template id \"" + *text +
             "\" is not a number: the template cannot be met on the wire, only referred to");
    return std::nullopt;
}

// Both spellings: scp:reset (SCP 1.1) and QuickFAST's attribute without namespace.
bool TemplateReader::read_reset(const XmlElement& element) {
    const std::optional<std::string> value =
        element.scp_reset ? element.scp_reset : element.attribute("reset");
    if (!value) return false;
    for (const std::string_view yes : {"yes", "Y", "T", "true"})
        if (*value == yes) return true;
    for (const std::string_view no : {"no", "N", "F", "false"})
        if (*value == no) return false;
    error(element, Errc::s1, "reset=\"" + *value + "\" is neither yes nor no");
    return false;
}

TemplateReader::Scope TemplateReader::inner(const XmlElement& element, Scope scope) const {
    if (const auto ns = element.attribute("ns")) scope.ns = *ns;
    if (const auto template_ns = element.attribute("templateNs")) scope.template_ns = *template_ns;
    if (const auto dictionary = element.attribute("dictionary")) scope.dictionary = *dictionary;
    return scope;
}

void TemplateReader::read_fields(const XmlElement& parent, const Scope& scope, std::optional<Name>& type_ref,
                                 std::vector<FieldDefinition>& out) {
    if (parent.has_stray_text) mend(parent, Errc::s1, "text between the elements of " + tag(parent));
    for (const XmlElement& element : parent.children) {
        if (element.name == "typeRef") {
            if (type_ref) error(element, Errc::s1, "a second <typeRef> in " + tag(parent));
            type_ref = Name{inner(element, scope).ns, element.attribute("name").value_or("")};
            if (type_ref->local.empty()) error(element, Errc::s1, "<typeRef> has no name");
        } else if (element.name == "length" && parent.name == "sequence") {
            continue;  // read with the sequence itself
        } else if (std::optional<FieldDefinition> field = read_field(element, scope)) {
            out.push_back(std::move(*field));
        }
    }
}

// FAST 1.2: a <field> is what its type is, under its own name.
std::optional<FieldDefinition> TemplateReader::read_typed_field(const XmlElement& element,
                                                                const Scope& scope) {
    const FieldExpansion expansion = types_.expand(element);
    if (!expansion.element) {
        error(element, Errc::s1, expansion.problem);
        return std::nullopt;
    }
    const bool leads_back =
        std::find(open_types_.begin(), open_types_.end(), expansion.type_name) != open_types_.end();
    if (leads_back && !expansion.type_name.empty()) {
        error(element, Errc::s1, "the type \"" + expansion.type_name + "\" contains itself");
        return std::nullopt;
    }
    if (open_types_.size() == open_types_max || ++typed_fields_ > typed_fields_max) {
        if (typed_fields_ <= typed_fields_max + 1)
            error(element, Errc::limit,
                  "more than " + std::to_string(typed_fields_max) +
                      " fields with types, or types more than " + std::to_string(open_types_max) +
                      " inside one another");
        return std::nullopt;
    }
    open_types_.push_back(expansion.type_name);
    std::optional<FieldDefinition> field = read_field(*expansion.element, scope);
    open_types_.pop_back();
    return field;
}

std::optional<FieldDefinition> TemplateReader::read_field(const XmlElement& element, Scope scope) {
    if (element.name == "field") return read_typed_field(element, scope);
    scope = inner(element, scope);
    FieldDefinition field;
    field.line = element.line;
    field.id = element.attribute("id").value_or("");
    if (element.name == "templateRef") {
        read_reference(element, scope, field);
    } else if (element.name == "group") {
        field.kind = Kind::group;
        field.optional = read_presence(element);
        field.name = read_name(element, scope, true);
        read_fields(element, scope, field.type_ref, field.fields);
    } else if (element.name == "sequence") {
        read_sequence(element, scope, field);
    } else if (const std::optional<FieldType> type = scalar_type(element)) {
        field.type = *type;
        read_presentation(element, field.presentation);
        read_scalar(element, scope, field);
    } else {
        unknown_element(element, "the instructions of a template");
        return std::nullopt;
    }
    return field;
}

void TemplateReader::read_reference(const XmlElement& element, const Scope& scope, FieldDefinition& field) {
    const std::optional<std::string> name = element.attribute("name");
    field.kind = name ? Kind::static_reference : Kind::dynamic_reference;
    if (name) field.name = {scope.template_ns, *name};
    if (!element.children.empty()) error(element, Errc::s1, "<templateRef> must be empty");
}

std::optional<FieldType> TemplateReader::scalar_type(const XmlElement& element) {
    if (element.name == "ascii") {
        mend(element, Errc::s1, "<ascii> is FAST 1.0; read as <string>");
        return FieldType::ascii;
    }
    const TypeName* const known = type_named(element.name);
    if (known == nullptr) return std::nullopt;
    if (known->type != FieldType::ascii) return known->type;
    const std::string charset = element.attribute("charset").value_or("ascii");
    if (charset != "ascii" && charset != "unicode")
        error(element, Errc::s1, "charset=\"" + charset + "\" is neither ascii nor unicode");
    return charset == "unicode" ? FieldType::unicode : FieldType::ascii;
}

void TemplateReader::read_presentation(const XmlElement& element, Presentation& presentation) {
    const TypeName* const known = type_named(element.name);
    if (known == nullptr) return;
    presentation.kind = known->kind;
    presentation.bits = known->bits;
    switch (known->kind) {
        case PresentationKind::plain:
            break;
        case PresentationKind::boolean:
            presentation.elements = {{.name = "false", .id = "", .value = 0},
                                     {.name = "true", .id = "", .value = 1}};
            break;
        case PresentationKind::enumerated:
        case PresentationKind::set:
            read_elements(element, presentation);
            break;
        case PresentationKind::timestamp:
            read_time(element, presentation);
            break;
    }
}

// An enum's elements count from 0, whatever their names look like, unless the file gives values of its own
// (§14b). A set's elements are bits from the lowest.
void TemplateReader::read_elements(const XmlElement& parent, Presentation& presentation) {
    std::size_t explicit_count = 0;
    for (const XmlElement& element : parent.children) {
        if (element.name != "element") continue;
        PresentationElement one = {.name = element.attribute("name").value_or(""),
                                   .id = element.attribute("id").value_or(""),
                                   .value = presentation.elements.size()};
        if (one.name.empty()) error(element, Errc::s1, "<element> has no name");
        if (const auto value = element.attribute("value")) {
            const std::optional<InitialValue> parsed = parse_initial_value(*value, FieldType::u32);
            if (!parsed || presentation.kind == PresentationKind::set)
                error(element, Errc::s1, "value=\"" + *value + "\" is not the value of an enum's element");
            one.value = parsed ? parsed->integer : 0;
            ++explicit_count;
        }
        if (presentation.value_of(one.name))
            error(element, Errc::s1, "the element \"" + one.name + "\" stands twice");
        if (explicit_count != 0 && presentation.element(one.value) != nullptr)
            error(element, Errc::s1, "the value " + std::to_string(one.value) + " stands twice");
        presentation.elements.push_back(std::move(one));
    }
    if (presentation.elements.empty()) error(parent, Errc::s1, tag(parent) + " has no elements");
    if (explicit_count != 0 && explicit_count != presentation.elements.size())
        error(parent, Errc::s1, tag(parent) + " gives some elements a value and others none");
    if (presentation.kind == PresentationKind::set && presentation.elements.size() > set_elements_max)
        error(parent, Errc::s1, "<set> has more than 64 elements");
}

void TemplateReader::read_time(const XmlElement& element, Presentation& presentation) {
    const std::string unit = element.attribute("unit").value_or("");
    const std::string epoch = element.attribute("epoch").value_or("");
    bool unit_known = unit.empty();
    bool epoch_known = epoch.empty();
    for (const TimeUnit one : {TimeUnit::day, TimeUnit::second, TimeUnit::millisecond, TimeUnit::microsecond,
                               TimeUnit::nanosecond})
        if (name_of(one) == unit) presentation.unit = one, unit_known = true;
    for (const TimeEpoch one : {TimeEpoch::today, TimeEpoch::unix_, TimeEpoch::millennium})
        if (name_of(one) == epoch) presentation.epoch = one, epoch_known = true;
    if (!unit_known) error(element, Errc::s1, "unit=\"" + unit + "\" is not a unit of time");
    if (!epoch_known) error(element, Errc::s1, "epoch=\"" + epoch + "\" is not a beginning of time");
}

void TemplateReader::read_scalar(const XmlElement& element, const Scope& scope, FieldDefinition& field) {
    field.optional = read_presence(element);
    const bool has_operator = std::any_of(
        element.children.begin(), element.children.end(),
        [](const XmlElement& inside) { return inside.name != "length" && inside.name != "element"; });
    field.name = read_name(element, scope, !has_operator);
    if (element.has_stray_text) mend(element, Errc::s1, "text inside " + tag(element));
    const bool has_parts =
        field.type == FieldType::decimal && (child(element, "exponent") || child(element, "mantissa"));
    if (has_parts) return read_decimal_parts(element, scope, field);
    field.op = read_operator(
        element, scope, {.type = field.type, .optional = field.optional, .presentation = &field.presentation},
        field.name);
}

// The wire order is exponent, mantissa, whatever their order here. A mantissa is never optional: when the
// exponent is there, so is it (§10.5.1).
void TemplateReader::read_decimal_parts(const XmlElement& element, const Scope& scope,
                                        FieldDefinition& field) {
    field.individual_operators = true;
    field.exponent.dictionary = field.mantissa.dictionary = scope.dictionary;
    for (const XmlElement& part : element.children) {
        if (part.name == "exponent") {
            field.exponent =
                read_operator(part, inner(part, scope), {.type = FieldType::i32, .optional = field.optional},
                              generated("exponent of", field.name));
            const std::int64_t value =
                field.exponent.initial ? static_cast<std::int64_t>(field.exponent.initial->integer) : 0;
            if (value < -63 || value > 63)
                error(part, Errc::s3, "the exponent's initial value is outside -63..63");
        } else if (part.name == "mantissa") {
            field.mantissa = read_operator(part, inner(part, scope), {.type = FieldType::i64},
                                           generated("mantissa of", field.name));
        } else {
            unknown_element(part, "a decimal with individual operators");
        }
    }
}

void TemplateReader::read_sequence(const XmlElement& element, const Scope& scope, FieldDefinition& field) {
    field.kind = Kind::sequence;
    field.optional = read_presence(element);
    field.name = read_name(element, scope, true);
    const auto lengths = std::count_if(element.children.begin(), element.children.end(),
                                       [](const XmlElement& inside) { return inside.name == "length"; });
    if (lengths > 1) error(element, Errc::s1, "a sequence has one <length> at most");
    // An unnamed length is named after the sequence, so that equal sequences share the entry (§6.2.5).
    Name length_name = generated("length of", field.name);
    if (const XmlElement* const length = child(element, "length")) {
        const Scope inside = inner(*length, scope);
        if (const auto name = length->attribute("name")) length_name = {inside.ns, *name};
        field.op =
            read_operator(*length, inside, {.type = FieldType::u32, .optional = field.optional}, length_name);
    }
    read_fields(element, scope, field.type_ref, field.fields);
}

OperatorDefinition TemplateReader::read_operator(const XmlElement& parent, const Scope& scope,
                                                 const ValueKind& kind, const Name& field_name) {
    const bool has_elements = kind.presentation != nullptr && !kind.presentation->elements.empty();
    OperatorDefinition op;
    op.dictionary = scope.dictionary;
    op.line = parent.line;
    bool has_operator = false;
    for (const XmlElement& element : parent.children) {
        if (element.name == "length" && is_text(kind.type)) continue;  // only names the preamble
        if (element.name == "element" && has_elements) continue;
        const std::optional<Operator> named = operator_named(element.name);
        if (!named) {
            unknown_element(element, tag(parent));
            continue;
        }
        if (has_operator) error(element, Errc::s1, "a second operator in " + tag(parent));
        has_operator = true;
        const Scope inside = inner(element, scope);
        op.op = *named;
        op.dictionary = inside.dictionary;
        op.line = element.line;
        op.key = read_key(element, inside, field_name);
        read_operator_value(element, kind, op);
        check_operator(element, kind.type, op);
        if (!element.children.empty()) error(element, Errc::s1, tag(element) + " must be empty");
    }
    return op;
}

Name TemplateReader::read_key(const XmlElement& element, const Scope& scope, const Name& field_name) {
    if (const auto key = element.attribute("key")) return {scope.ns, *key};
    const bool needs_entry = element.name != "constant" && element.name != "default";
    if (!field_name.local.empty() || !needs_entry) return field_name;
    mend(element, Errc::s1, tag(element) + " has no key and its field no name; it gets an entry of its own");
    return generated("private entry", {"", std::to_string(++private_keys_) + ' ' + file_});
}

void TemplateReader::read_operator_value(const XmlElement& element, const ValueKind& kind,
                                         OperatorDefinition& op) {
    const FieldType type = kind.type;
    const std::optional<std::string> text = element.attribute("value");
    if (!text) {
        if (op.op == Operator::constant) error(element, Errc::s4, "<constant> has no value");
        if (op.op == Operator::default_ && !kind.optional) {
            // An optional decimal's mantissa counts as mandatory; files in use get that wrong.
            const std::string what = "<default> of a mandatory field has no value";
            if (type == FieldType::i64 && op.key.local.starts_with("\x03mantissa")) {
                mend(element, Errc::s5, what);
            } else {
                error(element, Errc::s5, what);
            }
        }
        return;
    }
    op.initial = kind.presentation == nullptr ? parse_initial_value(*text, type)
                                              : parse_initial_value(*text, type, *kind.presentation);
    if (op.initial) return;
    const std::string what =
        '"' + *text + "\" is not a value of type " + std::string(type_name(type, kind.presentation));
    if (type != FieldType::bytes) return error(element, Errc::s3, what);
    mend(element, Errc::s3, what + " (hexadecimal digits); taken as the bytes themselves");
    op.initial = InitialValue{.integer = 0, .decimal = {}, .text = *text};
}

void TemplateReader::check_operator(const XmlElement& element, FieldType type, const OperatorDefinition& op) {
    if (!applies(op.op, type))
        error(element, Errc::s2, tag(element) + " does not apply to type " + std::string(name_of(type)));
}

// True when optional.
bool TemplateReader::read_presence(const XmlElement& element) {
    const std::string presence = element.attribute("presence").value_or("mandatory");
    if (presence != "mandatory" && presence != "optional")
        error(element, Errc::s1, "presence=\"" + presence + "\" is neither mandatory nor optional");
    return presence == "optional";
}

Name TemplateReader::read_name(const XmlElement& element, const Scope& scope, bool required) {
    const std::string name = element.attribute("name").value_or("");
    if (name.empty() && required) mend(element, Errc::s1, tag(element) + " has no name");
    return {scope.ns, name};
}

void TemplateReader::unknown_element(const XmlElement& element, std::string_view where) {
    if (element.name == "bitGroup")
        return error(element, Errc::s1, "<bitGroup> of FAST 1.2 is not supported: no public feed has one");
    std::vector<std::string_view> known = {"template", "typeRef", "templateRef", "group",
                                           "sequence", "length",  "exponent",    "mantissa",
                                           "define",   "field",   "type",        "element"};
    for (const TypeName& type : type_names)
        known.push_back(type.name);
    for (const OperatorName& op : operator_names)
        known.push_back(op.name);
    const auto other_case = std::find_if(known.begin(), known.end(), [&](std::string_view candidate) {
        return std::ranges::equal(candidate, element.name, {}, lower_case, lower_case);
    });
    const std::string_view near =
        other_case != known.end() ? *other_case : nearest_spelling(element.name, known);
    std::string text = tag(element) + " does not belong in " + std::string(where);
    if (!near.empty() && near != element.name) text += " (did you mean <" + std::string(near) + ">?)";
    error(element, Errc::s1, text);
}

}  // namespace tickpath::fast
