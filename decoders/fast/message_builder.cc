#include "decoders/fast/message_builder.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "decoders/fast/utf8.h"

namespace tickpath::fast {
namespace {

constexpr std::uint32_t depth_max = 256;                            // finish() recurses
constexpr std::size_t text_bytes_max = (std::size_t{1} << 30) - 1;  // a text slot's offset has 30 bits
constexpr std::size_t words_max = std::numeric_limits<std::uint32_t>::max();
constexpr std::int32_t exponent_abs_max = 63;

bool is_decimal(FieldType type) noexcept {
    return type == FieldType::decimal;
}
bool is_text_type(FieldType type) noexcept {
    return is_text(type);
}
bool is_any(FieldType) noexcept {
    return true;
}
bool is_sequence(FieldType type) noexcept {
    return type == FieldType::sequence;
}
bool is_dynamic(FieldType type) noexcept {
    return type == FieldType::dynamic;
}

// `value` is a two's complement where `is_negative`.
bool fits(FieldType type, std::uint64_t value, bool is_negative) noexcept {
    switch (type) {
        case FieldType::u32:
            return !is_negative && value <= std::numeric_limits<std::uint32_t>::max();
        case FieldType::i32:
            return is_negative ? static_cast<std::int64_t>(value) >= std::numeric_limits<std::int32_t>::min()
                               : value <= std::uint64_t{std::numeric_limits<std::int32_t>::max()};
        case FieldType::u64:
            return !is_negative;
        default:
            return is_negative || value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    }
}

constexpr std::size_t index_of(TextSpace space) noexcept {
    return static_cast<std::size_t>(space);
}

// The bounds of FAST 1.2's integers of 8 and 16 bits; 0 bits: those of the type.
bool fits_bits(unsigned bits, FieldType type, std::uint64_t value) noexcept {
    if (bits == 0) return true;
    if (type == FieldType::u32) return value >> bits == 0;
    const std::int64_t max = (std::int64_t{1} << (bits - 1)) - 1;
    return static_cast<std::int64_t>(value) <= max && static_cast<std::int64_t>(value) >= -max - 1;
}

bool is_ascii(std::string_view text) noexcept {
    return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) < 0; });
}

}  // namespace

// ---- RowBuilder
// ----------------------------------------------------------------------------------------------

FieldRef RowBuilder::ref(std::string_view path) const {
    // A reference that no row has: whoever is given it finds it unknown.
    constexpr FieldRef nowhere = {.slot = 0, .presence = 0, .row_words = 0, .type = FieldType::u32};
    if (builder_ == nullptr || !builder_->is_current(*this)) return nowhere;
    const RowLayout& layout = builder_->layouts_[builder_->nodes_[node_].layout];
    const Field* const found = find_field(layout.fields(), path);
    // A path into a sequence is about the rows of that sequence.
    const bool is_here =
        found != nullptr && std::any_of(layout.members().begin(), layout.members().end(),
                                        [&](const RowMember& member) { return member.field == found; });
    return is_here ? found->ref : nowhere;
}

bool RowBuilder::set_u64(FieldRef field, std::uint64_t value) {
    return builder_ != nullptr && builder_->set_integer(*this, field, value, false);
}

bool RowBuilder::set_i64(FieldRef field, std::int64_t value) {
    return builder_ != nullptr &&
           builder_->set_integer(*this, field, static_cast<std::uint64_t>(value), value < 0);
}

bool RowBuilder::set_decimal(FieldRef field, Decimal value) {
    if (builder_ == nullptr) return false;
    const MessageBuilder::Target at = builder_->target(*this, field, is_decimal);
    if (at.member == nullptr) return false;
    if (value.exponent < -exponent_abs_max || value.exponent > exponent_abs_max)
        return builder_->fail(Errc::r1, at.member->path);
    const auto mantissa = static_cast<std::uint64_t>(value.mantissa);
    const auto exponent = static_cast<std::uint64_t>(std::int64_t{value.exponent});
    if (field.constant) {
        if (!builder_->check_constant(at, mantissa, exponent)) return false;
    } else {
        at.words[field.slot] = mantissa;
        at.words[field.slot + 1] = exponent;
    }
    builder_->mark(*this, *at.member);
    return true;
}

bool RowBuilder::set_text(FieldRef field, std::string_view value) {
    return set_text(field, value, true);
}

bool RowBuilder::set_unchecked_text(FieldRef field, std::string_view value) {
    return set_text(field, value, false);
}

bool RowBuilder::set_text(FieldRef field, std::string_view value, bool checks_utf8) {
    if (builder_ == nullptr) return false;
    const MessageBuilder::Target at = builder_->target(*this, field, is_text_type);
    if (at.member == nullptr) return false;
    if (field.type == FieldType::ascii && !is_ascii(value)) return builder_->fail(Errc::r3, at.member->path);
    if (field.type == FieldType::unicode && checks_utf8 && !is_utf8(value))
        return builder_->fail(Errc::r2, at.member->path);
    if (field.constant) {
        const std::uint64_t slot = builder_->context_.constants[field.slot];
        const char* const text = builder_->context_.text[index_of(TextSpace::constants)];
        if (value != std::string_view(text + text_offset(slot), text_length(slot)))
            return builder_->fail(Errc::unrepresentable, at.member->path);
    } else {
        std::vector<char>& texts = builder_->texts_;
        if (value.size() > text_bytes_max - texts.size()) return builder_->fail(Errc::limit, at.member->path);
        at.words[field.slot] = text_slot(TextSpace::scratch, texts.size(), value.size());
        texts.insert(texts.end(), value.begin(), value.end());
    }
    builder_->mark(*this, *at.member);
    return true;
}

bool RowBuilder::set_present(FieldRef field) {
    if (builder_ == nullptr) return false;
    const MessageBuilder::Target at = builder_->target(*this, field, is_any);
    if (at.member == nullptr) return false;
    if (field.type != FieldType::group && !field.constant) return builder_->fail(Errc::d1, at.member->path);
    builder_->mark(*this, *at.member);
    return true;
}

bool RowBuilder::set_empty(FieldRef sequence) {
    if (builder_ == nullptr) return false;
    const RowMember* member = nullptr;
    MessageBuilder::Elements* const elements = builder_->elements_of(*this, sequence, member);
    if (elements == nullptr) return false;
    *elements = {};
    return true;
}

RowBuilder RowBuilder::add_element(FieldRef sequence) {
    if (builder_ == nullptr) return {};
    const RowMember* member = nullptr;
    if (builder_->elements_of(*this, sequence, member) == nullptr) return {};
    const std::uint32_t added = builder_->add_node(member->elements, builder_->nodes_[node_].depth + 1);
    if (added == MessageBuilder::no_node) return {};
    MessageBuilder::Elements& elements = *builder_->elements_of(*this, sequence, member);
    if (elements.count == 0) {
        elements.first = added;
    } else {
        builder_->nodes_[elements.last].next = added;
    }
    elements.last = added;
    ++elements.count;
    return {builder_, added, generation_};
}

RowBuilder RowBuilder::set_dynamic(FieldRef reference, const Template& tmpl) {
    if (builder_ == nullptr) return {};
    MessageBuilder::Target at = builder_->target(*this, reference, is_dynamic);
    if (at.member == nullptr) return {};
    const std::vector<Template>& all = builder_->templates_->all();
    if (&tmpl < all.data() || &tmpl >= all.data() + all.size()) {
        builder_->fail(Errc::unknown, at.member->path);
        return {};
    }
    const std::uint32_t index = builder_->templates_->index_of(tmpl);
    const std::uint32_t added = builder_->add_node(index, builder_->nodes_[node_].depth + 1);
    if (added == MessageBuilder::no_node) return {};
    at = builder_->target(*this, reference, is_dynamic);  // adding may have moved the words
    if (at.member == nullptr || at.words == nullptr) return {};
    at.words[reference.slot] = added | std::uint64_t{index} << 32;
    builder_->mark(*this, *at.member);
    return {builder_, added, generation_};
}

// ---- MessageBuilder
// ------------------------------------------------------------------------------------------

MessageBuilder::MessageBuilder(std::shared_ptr<const Templates> templates)
    : templates_(std::move(templates)), layouts_(*templates_) {
    const Program& program = templates_->program();
    context_.text[index_of(TextSpace::constants)] = program.text.data();
    context_.constants = program.constants.data();
    context_.templates = templates_->all().data();
}

RowBuilder MessageBuilder::begin(const Template& tmpl) {
    ++generation_;
    is_finished_ = false;
    error_ = Errc::ok;
    error_field_ = {};
    nodes_.clear();
    words_.clear();
    is_set_.clear();
    elements_.clear();
    texts_.clear();
    template_ = nullptr;
    const std::vector<Template>& all = templates_->all();
    if (&tmpl < all.data() || &tmpl >= all.data() + all.size()) {
        fail(Errc::unknown);
        return {};
    }
    template_ = &tmpl;
    return {this, add_node(templates_->index_of(tmpl), 0), generation_};
}

bool MessageBuilder::finish() {
    if (error_ != Errc::ok) return false;
    if (template_ == nullptr) return fail(Errc::missing);
    arena_.resize(words_.size());  // as many as all rows together
    arena_used_ = layouts_[nodes_.front().layout].words();
    context_.arena = arena_.data();
    context_.text[index_of(TextSpace::scratch)] = texts_.data();
    is_finished_ = place(nodes_.front(), 0);
    return is_finished_;
}

bool MessageBuilder::is_current(const RowBuilder& row) const noexcept {
    return row.generation_ == generation_ && row.node_ < nodes_.size();
}

MessageBuilder::Target MessageBuilder::target(const RowBuilder& row, FieldRef field,
                                              bool (*accepts)(FieldType)) {
    if (!is_current(row)) {
        fail(Errc::unknown);
        return {};
    }
    const Node& node = nodes_[row.node_];
    const RowLayout& layout = layouts_[node.layout];
    const std::uint32_t found = layout.find(field);
    if (found == RowMember::none) {
        fail(Errc::unknown);
        return {};
    }
    const RowMember& member = layout.member(found);
    if (!accepts(field.type)) {
        fail(Errc::d1, member.path);
        return {};
    }
    return {&member, words_.data() + node.words};
}

// The field has a value, and the groups around it are there.
void MessageBuilder::mark(const RowBuilder& row, const RowMember& member) {
    is_finished_ = false;
    const Node& node = nodes_[row.node_];
    const RowLayout& layout = layouts_[node.layout];
    const FieldRef ref = member.field->ref;
    std::uint64_t* const words = words_.data() + node.words;
    words[ref.presence / 64] |= std::uint64_t{1} << (ref.presence % 64);
    for (std::uint32_t group = member.parent; group != RowMember::none; group = layout.member(group).parent) {
        const std::uint16_t presence = layout.member(group).field->ref.presence;
        words[presence / 64] |= std::uint64_t{1} << (presence % 64);
    }
    if (!ref.constant) is_set_[node.is_set + ref.slot / 64] |= std::uint64_t{1} << (ref.slot % 64);
}

bool MessageBuilder::set_integer(const RowBuilder& row, FieldRef field, std::uint64_t value,
                                 bool is_negative) {
    const Target at = target(row, field, is_integer);
    if (at.member == nullptr) return false;
    if (!fits(field.type, value, is_negative) ||
        !fits_bits(at.member->field->presentation.bits, field.type, value))
        return fail(Errc::r4, at.member->path);
    if (field.constant) {
        if (!check_constant(at, value, 0)) return false;
    } else {
        at.words[field.slot] = value;
    }
    mark(row, *at.member);
    return true;
}

bool MessageBuilder::check_constant(const Target& at, std::uint64_t value, std::uint64_t second) {
    const std::uint64_t* const constant = context_.constants + at.member->field->ref.slot;
    const bool has_second = at.member->field->ref.type == FieldType::decimal;
    if (constant[0] == value && (!has_second || constant[1] == second)) return true;
    return fail(Errc::unrepresentable, at.member->path);
}

MessageBuilder::Elements* MessageBuilder::elements_of(const RowBuilder& row, FieldRef sequence,
                                                      const RowMember*& member) {
    const Target at = target(row, sequence, is_sequence);
    if (at.member == nullptr) return nullptr;
    member = at.member;
    const Node& node = nodes_[row.node_];
    const bool is_new = (is_set_[node.is_set + sequence.slot / 64] >> (sequence.slot % 64) & 1) == 0;
    if (is_new) {
        at.words[sequence.slot] = elements_.size();
        elements_.emplace_back();
        mark(row, *member);
    }
    is_finished_ = false;
    return &elements_[at.words[sequence.slot]];
}

std::uint32_t MessageBuilder::add_node(std::uint32_t layout, std::uint32_t depth) {
    const std::size_t words = layouts_[layout].words();
    if (depth > depth_max || words_.size() + words > words_max) {
        fail(Errc::limit);
        return no_node;
    }
    nodes_.push_back({.layout = layout,
                      .words = static_cast<std::uint32_t>(words_.size()),
                      .is_set = static_cast<std::uint32_t>(is_set_.size()),
                      .depth = depth});
    words_.resize(words_.size() + words);
    is_set_.resize(is_set_.size() + (words + 63) / 64);
    words_[nodes_.back().words] = 1;  // bit 0 is always set: "present like its row"
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

bool MessageBuilder::fail(Errc error, std::string_view field) {
    is_finished_ = false;
    if (error_ != Errc::ok) return false;  // the first cause is the one worth reporting
    error_ = error;
    error_field_ = field;
    return false;
}

// What is present has a value. A field whose optional group is absent is not present.
bool MessageBuilder::is_complete(const Node& node) {
    for (const RowMember& member : layouts_[node.layout].members()) {
        const FieldRef ref = member.field->ref;
        if (ref.constant || ref.type == FieldType::group) continue;
        const bool is_present = (words_[node.words + ref.presence / 64] >> (ref.presence % 64) & 1) != 0;
        const bool has_value = (is_set_[node.is_set + ref.slot / 64] >> (ref.slot % 64) & 1) != 0;
        if (is_present && !has_value) return fail(Errc::missing, member.path);
    }
    return true;
}

bool MessageBuilder::place(const Node& node, std::size_t at) {
    if (!is_complete(node)) return false;
    const RowLayout& layout = layouts_[node.layout];
    std::copy_n(words_.begin() + node.words, layout.words(),
                arena_.begin() + static_cast<std::ptrdiff_t>(at));
    for (const RowMember& member : layout.members()) {
        const FieldRef ref = member.field->ref;
        if (ref.type != FieldType::sequence && ref.type != FieldType::dynamic) continue;
        if ((is_set_[node.is_set + ref.slot / 64] >> (ref.slot % 64) & 1) == 0) continue;
        const std::uint64_t built = words_[node.words + ref.slot];
        std::uint64_t& placed = arena_[at + ref.slot];
        const bool ok = ref.type == FieldType::sequence
                            ? place_elements(elements_[built], ref.row_words, placed)
                            : place_dynamic(built, placed);
        if (!ok) return false;
    }
    return true;
}

bool MessageBuilder::place_elements(const Elements& elements, std::size_t stride, std::uint64_t& slot) {
    std::size_t at = arena_used_;
    slot = elements.count == 0 ? 0 : at | std::uint64_t{elements.count} << 32;
    arena_used_ += elements.count * stride;
    for (std::uint32_t node = elements.first; node != no_node; node = nodes_[node].next, at += stride)
        if (!place(nodes_[node], at)) return false;
    return true;
}

// `built`: node, and in the upper half the template.
bool MessageBuilder::place_dynamic(std::uint64_t built, std::uint64_t& slot) {
    const Node& inner = nodes_[static_cast<std::uint32_t>(built)];
    const std::size_t at = arena_used_;
    slot = at | built >> 32 << 32;
    arena_used_ += layouts_[inner.layout].words();
    return place(inner, at);
}

}  // namespace tickpath::fast
