// Which fields a row has and where: what a MessageBuilder needs to refuse a reference that is not the row's.
// Built once from Templates, read only afterwards. Cold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/fast/templates.h"

namespace tickpath::fast {

/// One field of a row. The fields of a group are members of the row around it, behind the group itself.
struct RowMember {
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    const Field* field = nullptr;
    std::string path;               ///< "MDEntries/MDEntryPx", from the template on
    std::uint32_t parent = none;    ///< index in `members` of the group around it
    std::uint32_t elements = none;  ///< sequence: index of its elements' layout
};

/// A message's own row, or the rows of one sequence.
class RowLayout {
public:
    [[nodiscard]] const std::vector<RowMember>& members() const noexcept { return members_; }
    [[nodiscard]] const RowMember& member(std::uint32_t index) const noexcept { return members_[index]; }
    [[nodiscard]] const std::vector<Field>& fields() const noexcept { return *fields_; }
    [[nodiscard]] std::uint16_t words() const noexcept { return words_; }

    /// Index of the member that `ref` is about; RowMember::none when the row has no such field.
    [[nodiscard]] std::uint32_t find(FieldRef ref) const noexcept;

private:
    friend class RowLayouts;
    const std::vector<Field>* fields_ = nullptr;
    std::uint16_t words_ = 0;
    std::vector<RowMember> members_;
    std::vector<std::uint32_t> by_slot_;  ///< member that owns a slot; none for presence words
};

/// The layouts of all templates and of all sequences in them.
class RowLayouts {
public:
    /// `templates` must outlive this.
    explicit RowLayouts(const Templates& templates);

    [[nodiscard]] const RowLayout& of_template(std::uint32_t template_index) const noexcept {
        return all_[template_index];
    }
    [[nodiscard]] const RowLayout& operator[](std::uint32_t index) const noexcept { return all_[index]; }

private:
    void lay_out(std::uint32_t index, const std::vector<Field>& fields, std::uint16_t words,
                 const std::string& path);
    void add_members(std::uint32_t index, const std::vector<Field>& fields, std::uint32_t parent,
                     const std::string& path);

    std::vector<RowLayout> all_;  ///< the templates' own rows first, in their order
};

}  // namespace tickpath::fast
