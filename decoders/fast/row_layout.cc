#include "decoders/fast/row_layout.h"

#include <algorithm>

namespace tickpath::fast {
namespace {

// Groups have no slot, and the slot of a constant is not in the row.
bool owns_slot(FieldRef ref) noexcept {
    return ref.type != FieldType::group && !ref.constant;
}

}  // namespace

std::uint32_t RowLayout::find(FieldRef ref) const noexcept {
    if (owns_slot(ref)) {
        const std::uint32_t at = ref.slot < by_slot_.size() ? by_slot_[ref.slot] : RowMember::none;
        return at != RowMember::none && members_[at].field->ref == ref ? at : RowMember::none;
    }
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const RowMember& member) { return member.field->ref == ref; });
    return found == members_.end() ? RowMember::none : static_cast<std::uint32_t>(found - members_.begin());
}

RowLayouts::RowLayouts(const Templates& templates) : all_(templates.all().size()) {
    for (std::uint32_t i = 0; i < templates.all().size(); ++i)
        lay_out(i, templates.all()[i].fields(), templates.program().templates[i].row_words, {});
}

void RowLayouts::lay_out(std::uint32_t index, const std::vector<Field>& fields, std::uint16_t words,
                         const std::string& path) {
    all_[index].fields_ = &fields;
    all_[index].words_ = words;
    all_[index].by_slot_.assign(words, RowMember::none);
    add_members(index, fields, RowMember::none, path);
}

void RowLayouts::add_members(std::uint32_t index, const std::vector<Field>& fields, std::uint32_t parent,
                             const std::string& path) {
    for (const Field& field : fields) {
        const auto at = static_cast<std::uint32_t>(all_[index].members_.size());
        all_[index].members_.push_back({.field = &field, .path = path + field.name, .parent = parent});
        if (owns_slot(field.ref)) all_[index].by_slot_[field.ref.slot] = at;
        if (field.ref.type == FieldType::group) add_members(index, field.fields, at, path + field.name + '/');
        if (field.ref.type != FieldType::sequence) continue;
        const auto elements = static_cast<std::uint32_t>(all_.size());
        all_[index].members_[at].elements = elements;
        all_.emplace_back();
        lay_out(elements, field.fields, field.ref.row_words, path + field.name + '/');
    }
}

}  // namespace tickpath::fast
