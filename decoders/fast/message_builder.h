// Builds a message from values, in the rows that decoding gives: to encode it, or to hand it to code under
// test as if it had been decoded. Warm: allocates until it has seen messages of the largest size, then no
// more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "decoders/base/decimal.h"
#include "decoders/base/error.h"
#include "decoders/fast/row_layout.h"
#include "decoders/fast/templates.h"

namespace tickpath::fast {

class MessageBuilder;

/// The row of a message, of an element, or behind a dynamic reference while it is built. By value; valid
/// until the builder's next begin(), and after that every call on it fails.
///
/// Fields are named by a FieldRef resolved once, or by path within the row ("MsgSeqNum", "Group/Inner";
/// slower). Every setter returns whether it could do so, and the builder keeps the first failure: `unknown`
/// for a field that is not this row's, D1 for one of another type. Setting a field twice keeps the second
/// value. A field of an optional group makes the group present.
class RowBuilder {
public:
    RowBuilder() noexcept = default;

    /// Of an integer field of any size; R4 outside its type.
    bool set_u64(FieldRef field, std::uint64_t value);
    bool set_i64(FieldRef field, std::int64_t value);
    /// The pair is kept as it is, not normalised. R1 when the exponent is outside -63..63.
    bool set_decimal(FieldRef field, Decimal value);
    /// Of an ascii, unicode or bytes field. R3 for ascii with a byte above 7f, R2 for unicode that is no
    /// UTF-8.
    bool set_text(FieldRef field, std::string_view value);
    /// The same without R2: a decoder delivers such a value, in lenient mode, as it was sent.
    bool set_unchecked_text(FieldRef field, std::string_view value);

    /// An optional group that is there, whatever is set of its fields, or an optional constant. D1 for
    /// others.
    bool set_present(FieldRef field);
    /// A sequence that is there and has no elements yet.
    bool set_empty(FieldRef sequence);
    /// One more element at the end of a sequence.
    RowBuilder add_element(FieldRef sequence);
    /// The message behind a dynamic reference. `unknown` for a template of other Templates.
    RowBuilder set_dynamic(FieldRef reference, const Template& tmpl);

    bool set_u64(std::string_view field, std::uint64_t value) { return set_u64(ref(field), value); }
    bool set_i64(std::string_view field, std::int64_t value) { return set_i64(ref(field), value); }
    bool set_decimal(std::string_view field, Decimal value) { return set_decimal(ref(field), value); }
    bool set_text(std::string_view field, std::string_view value) { return set_text(ref(field), value); }
    bool set_present(std::string_view field) { return set_present(ref(field)); }
    bool set_empty(std::string_view sequence) { return set_empty(ref(sequence)); }
    RowBuilder add_element(std::string_view sequence) { return add_element(ref(sequence)); }
    RowBuilder set_dynamic(std::string_view reference, const Template& tmpl) {
        return set_dynamic(ref(reference), tmpl);
    }

    /// False when it came from a call that failed.
    [[nodiscard]] explicit operator bool() const noexcept { return builder_ != nullptr; }

private:
    friend class MessageBuilder;
    RowBuilder(MessageBuilder* builder, std::uint32_t node, std::uint32_t generation) noexcept
        : builder_(builder), node_(node), generation_(generation) {}
    [[nodiscard]] FieldRef ref(std::string_view path) const;
    bool set_text(FieldRef field, std::string_view value, bool checks_utf8);

    MessageBuilder* builder_ = nullptr;
    std::uint32_t node_ = 0;
    std::uint32_t generation_ = 0;
};

class MessageBuilder {
public:
    explicit MessageBuilder(std::shared_ptr<const Templates> templates);
    MessageBuilder(const MessageBuilder&) = delete;
    MessageBuilder& operator=(const MessageBuilder&) = delete;

    /// Begins a message; what was built before is gone, its memory is used again. A template of other
    /// Templates is an error, `unknown`.
    RowBuilder begin(const Template& tmpl);

    /// Completes the message. False when anything before failed, or a mandatory field has no value
    /// (`missing`). More may be set afterwards, and finish() called again.
    [[nodiscard]] bool finish();

    [[nodiscard]] bool is_finished() const noexcept { return is_finished_; }

    /// After finish(): what a decoder would give. Valid until anything is set or begun.
    [[nodiscard]] const Template& tmpl() const noexcept { return *template_; }
    [[nodiscard]] Row row() const noexcept { return {arena_.data(), &context_}; }

    /// The first thing that went wrong since begin(), and the path of the field that it is about: empty when
    /// the builder does not know the field.
    [[nodiscard]] Errc error() const noexcept { return error_; }
    [[nodiscard]] std::string_view error_field() const noexcept { return error_field_; }

    [[nodiscard]] const Templates& templates() const noexcept { return *templates_; }

private:
    friend class RowBuilder;
    static constexpr std::uint32_t no_node = 0xFFFF'FFFF;

    /// A row that is being built. Rows of one sequence are a list until finish() lays them side by side.
    struct Node {
        std::uint32_t layout = 0;
        std::uint32_t words = 0;       ///< index in words_ of its presence words and slots
        std::uint32_t is_set = 0;      ///< index in is_set_: a bit per slot
        std::uint32_t next = no_node;  ///< element behind it
        std::uint32_t depth = 0;
    };
    struct Elements {
        std::uint32_t first = no_node;
        std::uint32_t last = no_node;
        std::uint32_t count = 0;
    };
    /// A field of a row under construction; `member` is null when there is no such field.
    struct Target {
        const RowMember* member = nullptr;
        std::uint64_t* words = nullptr;
    };

    [[nodiscard]] bool is_current(const RowBuilder& row) const noexcept;
    [[nodiscard]] Target target(const RowBuilder& row, FieldRef field, bool (*accepts)(FieldType));
    void mark(const RowBuilder& row, const RowMember& member);
    bool set_integer(const RowBuilder& row, FieldRef field, std::uint64_t value, bool is_negative);
    bool check_constant(const Target& at, std::uint64_t value, std::uint64_t second);
    [[nodiscard]] Elements* elements_of(const RowBuilder& row, FieldRef sequence, const RowMember*& member);
    [[nodiscard]] std::uint32_t add_node(std::uint32_t layout, std::uint32_t depth);
    bool fail(Errc error, std::string_view field = {});

    [[nodiscard]] bool is_complete(const Node& node);
    [[nodiscard]] bool place(const Node& node, std::size_t at);
    [[nodiscard]] bool place_elements(const Elements& elements, std::size_t stride, std::uint64_t& slot);
    [[nodiscard]] bool place_dynamic(std::uint64_t built, std::uint64_t& slot);

    std::shared_ptr<const Templates> templates_;
    RowLayouts layouts_;
    const Template* template_ = nullptr;
    std::uint32_t generation_ = 0;
    bool is_finished_ = false;
    Errc error_ = Errc::ok;
    std::string_view error_field_;

    std::vector<Node> nodes_;
    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> is_set_;
    std::vector<Elements> elements_;  ///< while building, a sequence's slot is an index here
    std::vector<char> texts_;
    std::vector<std::uint64_t> arena_;  ///< the finished rows
    std::size_t arena_used_ = 0;
    RowContext context_;
};

}  // namespace tickpath::fast
