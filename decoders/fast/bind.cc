#include "decoders/fast/bind.h"

#include <vector>

namespace tickpath::fast::detail {
namespace {

std::string quoted(std::string_view text) {
    return '"' + std::string(text) + '"';
}

// A name that is none of these: which one was meant?
void refuse_name(const Template& tmpl, std::string_view name, const std::vector<Field>& siblings,
                 Diagnostics& diagnostics) {
    std::vector<std::string_view> known;
    for (const Field& field : siblings)
        known.emplace_back(field.name);
    const std::string_view near = nearest_spelling(name, known);
    std::string text = "template " + tmpl.label() + " has no field " + quoted(name) + " there";
    if (!near.empty()) text += "; did you mean " + quoted(near) + '?';
    diagnostics.error(tmpl.file(), tmpl.line(), text, Errc::unknown);
}

void refuse_kind(const Template& tmpl, const Field& field, std::string_view wanted,
                 Diagnostics& diagnostics) {
    diagnostics.error(tmpl.file(), field.line,
                      "field " + quoted(field.name) + " is a " + std::string(name_of(field.ref.type)) +
                          ", expected " + std::string(wanted),
                      Errc::d1);
}

enum class Through { groups, groups_and_sequences };

// The field at the end of a path; `fields` become those inside it.
const Field* descend(const Template& tmpl, std::string_view path, Through through,
                     const std::vector<Field>*& fields, Diagnostics& diagnostics) {
    for (;;) {
        const std::size_t slash = path.find('/');
        const std::string_view name = path.substr(0, slash);
        const Field* const field = find_field(*fields, name);
        if (field == nullptr) {
            refuse_name(tmpl, name, *fields, diagnostics);
            return nullptr;
        }
        fields = &field->fields;
        if (slash == std::string_view::npos) return field;
        const bool may_pass =
            field->ref.type == FieldType::group ||
            (field->ref.type == FieldType::sequence && through == Through::groups_and_sequences);
        if (!may_pass) {
            refuse_kind(tmpl, *field, "a group; elements are bound by naming their sequence", diagnostics);
            return nullptr;
        }
        path.remove_prefix(slash + 1);
    }
}

}  // namespace

const Field* find_to_bind(const Template& tmpl, std::string_view sequence, std::string_view path,
                          Diagnostics& diagnostics) {
    const std::vector<Field>* fields = &tmpl.fields();
    if (!sequence.empty()) {
        const Field* const rows = descend(tmpl, sequence, Through::groups_and_sequences, fields, diagnostics);
        if (rows == nullptr) return nullptr;
        if (rows->ref.type != FieldType::sequence) {
            refuse_kind(tmpl, *rows, "a sequence", diagnostics);
            return nullptr;
        }
    }
    return descend(tmpl, path, Through::groups, fields, diagnostics);
}

void refuse_type(const Template& tmpl, const Field& field, std::string_view member_type,
                 Diagnostics& diagnostics) {
    diagnostics.error(tmpl.file(), field.line,
                      "D1: field " + quoted(field.name) + " is a " + std::string(name_of(field.ref.type)) +
                          ", and a member of type " + std::string(member_type) +
                          " does not hold all of its values",
                      Errc::d1);
}

void refuse_optional(const Template& tmpl, const Field& field, Diagnostics& diagnostics) {
    diagnostics.error(tmpl.file(), field.line,
                      "field " + quoted(field.name) +
                          " may be absent: bind it to a std::optional member, or say what to take instead",
                      Errc::missing);
}

}  // namespace tickpath::fast::detail
