// The loaded templates: what a person may ask about them, and the program the decoder runs. Immutable after
// loading; any number of decoders on any threads share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoders/base/diagnostics.h"
#include "decoders/fast/generated.h"
#include "decoders/fast/message.h"
#include "decoders/fast/presentation.h"
#include "decoders/fast/program.h"

namespace tickpath::fast {

enum class Operator : std::uint8_t { none, constant, default_, copy, increment, delta, tail };
[[nodiscard]] std::string_view name_of(Operator op) noexcept;
[[nodiscard]] std::string_view name_of(FieldType type) noexcept;

/// As the XML spells it: "uInt32", "enum", "int8". `presentation` may be null.
[[nodiscard]] std::string_view type_name(FieldType type, const Presentation* presentation) noexcept;

/// One field of a template as it is printed and looked up.
struct Field {
    std::string name;  ///< unique among its siblings: the second of one name is "Name#2" (SSE has such)
    std::string id;    ///< the `id` attribute, by custom the FIX tag; empty when there is none
    FieldRef ref;
    bool optional = false;
    Operator op = Operator::none;  ///< of a sequence: its length's
    Operator exponent_op = Operator::none;
    Operator mantissa_op = Operator::none;
    bool individual_operators = false;  ///< decimal: exponent_op and mantissa_op stand instead of op
    std::uint32_t line = 0;
    std::vector<Field> fields;  ///< of a group or sequence
    Presentation presentation;  ///< what FAST 1.2 adds: element names, time unit, narrower bounds

    [[nodiscard]] std::string_view type_name() const noexcept {
        return fast::type_name(ref.type, &presentation);
    }
};

/// Finds a field by path among `fields`: "MsgSeqNum", "MDEntries/MDEntryPx". Null when there is none.
[[nodiscard]] const Field* find_field(const std::vector<Field>& fields, std::string_view path) noexcept;

class Template {
public:
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
    /// The name, or the id when the file gives no name.
    [[nodiscard]] const std::string& label() const noexcept { return label_; }
    [[nodiscard]] bool resets() const noexcept { return resets_; }  ///< carries a reset attribute
    [[nodiscard]] std::uint32_t line() const noexcept { return line_; }
    [[nodiscard]] const std::string& file() const noexcept { return file_; }
    [[nodiscard]] const std::vector<Field>& fields() const noexcept { return fields_; }

    /// Finds a field by path: "MsgSeqNum", "MDEntries", "MDEntries/MDEntryPx", "Group/Inner". A reference
    /// into a sequence is for the rows of that sequence. nullopt when there is no such field.
    [[nodiscard]] std::optional<FieldRef> field(std::string_view path) const noexcept;
    [[nodiscard]] const Field* find(std::string_view path) const noexcept;

private:
    friend class Compiler;
    friend class Decoder;
    std::string name_;
    std::string label_;
    std::string file_;
    std::uint32_t id_ = 0;
    std::uint32_t line_ = 0;
    bool resets_ = false;
    std::vector<Field> fields_;
};

/// All templates of a file that can be met on the wire, that is, with an id.
class Templates {
public:
    [[nodiscard]] const std::vector<Template>& all() const noexcept { return all_; }
    [[nodiscard]] const Template* find_template(std::uint32_t id) const noexcept;
    /// The first of this name; templates of one name and different ids are legal.
    [[nodiscard]] const Template* find_template(std::string_view name) const noexcept;
    [[nodiscard]] std::uint32_t index_of(const Template& tmpl) const noexcept {
        return static_cast<std::uint32_t>(&tmpl - all_.data());
    }
    [[nodiscard]] const Program& program() const noexcept { return program_; }

    /// The same templates cut behind one field: where a template has the field `path` at its top level its
    /// program stops there, the others stay whole. For SequencePeek.
    [[nodiscard]] std::shared_ptr<const Templates> cut_behind(std::string_view path) const;

    /// The same templates decoded by generated code. Null, with an error that says what to do, when the code
    /// was generated from templates that compile to something else.
    [[nodiscard]] std::shared_ptr<const Templates> with(const GeneratedDecoders& decoders,
                                                        Diagnostics& diagnostics) const;
    /// The generated code in use, or null. A program that was changed since, as by cut_behind, is
    /// interpreted.
    [[nodiscard]] const GeneratedDecoders* generated() const noexcept;

    /// The same templates whose sequences `path` (by template index; empty: none) hand their elements to
    /// Decoder::set_entry_sink. A sequence at the top level of its template, or in groups there; others are
    /// left as they are.
    [[nodiscard]] std::shared_ptr<const Templates> with_entry_sinks(
        const std::vector<std::string>& path_by_template) const;

private:
    friend class Compiler;
    std::vector<Template> all_;
    Program program_;
    const GeneratedDecoders* generated_ = nullptr;
};

inline DynamicRow Row::dynamic(FieldRef f) const noexcept {
    if (!has(f)) return {};
    const std::uint64_t value = slot(f);
    return {context_->templates + (value >> 32),
            Row(context_->arena + static_cast<std::uint32_t>(value), context_)};
}

}  // namespace tickpath::fast
