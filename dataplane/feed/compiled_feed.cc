#include "dataplane/feed/compiled_feed.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace tickpath::feed {
namespace {

using fast::FieldType;

enum class FieldUse : std::uint8_t { integer, number, text_or_integer };

/// A snapshot is about one instrument as a whole, which its message names, not its entries.
enum class FieldScope : std::uint8_t { entry_then_message, message };

bool fits(FieldType type, FieldUse use) noexcept {
    if (is_integer(type)) return true;
    if (use == FieldUse::number) return type == FieldType::decimal;
    return use == FieldUse::text_or_integer && (type == FieldType::ascii || type == FieldType::unicode);
}

std::string_view expected(FieldUse use) noexcept {
    switch (use) {
        case FieldUse::integer:
            return "an integer";
        case FieldUse::number:
            return "a decimal or an integer";
        case FieldUse::text_or_integer:
            return "a string or an integer";
    }
    return "";
}

/// The byte by which a coded field's value is looked up: a text field shows its character, an integer itself.
std::uint8_t code_of(const std::string& value, FieldType type) noexcept {
    if (!is_integer(type)) return static_cast<std::uint8_t>(value.front());
    std::uint8_t code = 0;
    std::from_chars(value.data(), value.data() + value.size(), code);
    return code;
}

}  // namespace

/// One compilation. Goes on after an error, so that a person sees all of them.
class FeedCompiler {
public:
    FeedCompiler(const framing::FeedDescription& description,
                 std::shared_ptr<const fast::Templates> templates, Diagnostics& diagnostics)
        : diagnostics_(diagnostics), feed_(std::make_shared<CompiledFeed>()) {
        feed_->description_ = description;
        feed_->templates_ = std::move(templates);
    }

    std::shared_ptr<const CompiledFeed> compile() {
        set_decoder_options();
        map_templates();
        check_number_field();
        return has_errors_ ? nullptr : feed_;
    }

private:
    const framing::FeedDescription& description() const noexcept { return feed_->description_; }

    void error(std::uint32_t line, std::string text, Errc code = Errc::config) {
        has_errors_ = true;
        diagnostics_.error(description().file, line, std::move(text), code);
    }

    void set_decoder_options() {
        fast::DecoderOptions& options = feed_->decoder_options_;
        const framing::FastLimits& limits = description().fast_limits;
        options.limits.sequence_length_max = limits.sequence_length_max;
        options.limits.string_bytes_max = limits.string_bytes_max;
        options.limits.map_bytes_max = limits.map_bytes_max;
        switch (description().reset) {
            case framing::ResetRule::message:
                options.reset = fast::ResetRule::message;
                break;
            case framing::ResetRule::datagram:
                options.reset = fast::ResetRule::datagram;
                break;
            case framing::ResetRule::template_id:
                options.reset = fast::ResetRule::template_id;
                options.reset_template_id = description().reset_template_id;
                break;
            case framing::ResetRule::never:
                error(0,
                      "reset=\"never\" cannot work on datagrams: after a lost one every value that an "
                      "operator derives is wrong, without a sign");
                break;
        }
    }

    void map_templates() {
        const std::vector<fast::Template>& all = feed_->templates_->all();
        feed_->by_template_.assign(all.size(), -1);
        feed_->early_entries_.assign(all.size(), {});
        bool has_incremental = false;
        for (const framing::MessageMapping& mapping : description().messages_mapped) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (!is_selected(mapping, all[i])) continue;
                has_incremental |= mapping.kind == framing::MessageKind::incremental;
                if (feed_->by_template_[i] >= 0) {
                    error(mapping.line, "template " + all[i].label() + " is mapped by an earlier <message>");
                    continue;
                }
                feed_->by_template_[i] = static_cast<std::int32_t>(feed_->messages_.size());
                CompiledMessage message = compile_message(mapping, all[i]);
                message.has_early_entries = can_be_early(message);
                if (message.has_early_entries) feed_->early_entries_[i] = mapping.entries;
                feed_->messages_.push_back(message);
            }
        }
        if (!has_incremental)
            error(0,
                  "feed " + description().name +
                      ": none of its incremental messages is in the templates; "
                      "are they this feed's?",
                  Errc::missing);
    }

    /// Fields take their places in a row in the order of the template.
    bool can_be_early(const CompiledMessage& message) const {
        if (message.kind != framing::MessageKind::incremental || message.entries.row_words == 0 ||
            mapping_->entries.find('/') != std::string::npos)
            return false;
        const auto comes_first = [&](const FieldAt& at) {
            return at.place != FieldAt::Place::message || at.ref.constant ||
                   at.ref.slot < message.entries.slot;
        };
        const auto& key = message.key;
        return std::all_of(key.begin(), key.end(), comes_first) && comes_first(message.action.field) &&
               comes_first(message.type.field) && comes_first(message.aggressor.field) &&
               comes_first(message.price) && comes_first(message.quantity) && comes_first(message.level) &&
               comes_first(message.entry_id) && comes_first(message.instrument_sequence) &&
               comes_first(message.entry_time) && comes_first(message.sending_time);
    }

    static bool is_selected(const framing::MessageMapping& mapping, const fast::Template& tmpl) noexcept {
        return std::ranges::any_of(mapping.templates, [&](const framing::TemplateSelector& selector) {
            return selector.matches(tmpl.name(), tmpl.id());
        });
    }

    CompiledMessage compile_message(const framing::MessageMapping& mapping, const fast::Template& tmpl) {
        mapping_ = &mapping;
        tmpl_ = &tmpl;
        CompiledMessage message;
        message.kind = mapping.kind;
        message.number = field(mapping.number, FieldUse::integer, FieldScope::message);
        message.sending_time = field(mapping.sending_time, FieldUse::integer, FieldScope::message);
        message.next_number = field(mapping.next_number, FieldUse::integer, FieldScope::message);
        if (mapping.kind != framing::MessageKind::restart) compile_entries(message);
        return message;
    }

    void compile_entries(CompiledMessage& message) {
        const framing::MessageMapping& mapping = *mapping_;
        const fast::Field* entries = tmpl_->find(mapping.entries);
        if (entries == nullptr || entries->ref.type != FieldType::sequence)
            return error(mapping.line, "template " + tmpl_->label() + " has no sequence " + mapping.entries,
                         Errc::missing);
        message.entries = entries->ref;
        const FieldScope scope = mapping.kind == framing::MessageKind::snapshot
                                     ? FieldScope::message
                                     : FieldScope::entry_then_message;
        for (const std::string& name : mapping.key)
            message.key[message.key_count++] = field(name, FieldUse::text_or_integer, scope);
        message.instrument_sequence = field(mapping.instrument_sequence, FieldUse::integer, scope);
        message.last_number_processed =
            field(mapping.last_number_processed, FieldUse::integer, FieldScope::message);
        message.fragment_first = field(mapping.fragment_first, FieldUse::integer, FieldScope::message);
        message.fragment_last = field(mapping.fragment_last, FieldUse::integer, FieldScope::message);
        compile_codes(message);
        message.price = field(mapping.price, FieldUse::number);
        message.quantity = field(mapping.quantity, FieldUse::number);
        message.level = field(mapping.level, FieldUse::integer);
        message.entry_id = field(mapping.entry_id, FieldUse::text_or_integer);
        message.entry_time = field(mapping.entry_time, FieldUse::integer);
    }

    void compile_codes(CompiledMessage& message) {
        const framing::MessageMapping& mapping = *mapping_;
        message.action.field = field(mapping.action.field, FieldUse::text_or_integer);
        list(message.action, mapping.action.add, ActionMeaning::add);
        list(message.action, mapping.action.change, ActionMeaning::change);
        list(message.action, mapping.action.remove, ActionMeaning::remove);
        message.type.field = field(mapping.type.field, FieldUse::text_or_integer);
        list(message.type, mapping.type.bid, EntryMeaning::bid);
        list(message.type, mapping.type.ask, EntryMeaning::ask);
        list(message.type, mapping.type.trade, EntryMeaning::trade);
        list(message.type, mapping.type.empty_book, EntryMeaning::empty_book);
        message.aggressor.field = field(mapping.aggressor.field, FieldUse::text_or_integer);
        list(message.aggressor, mapping.aggressor.buy, model::Side::bid);
        list(message.aggressor, mapping.aggressor.sell, model::Side::ask);
    }

    template <class Meaning>
    void list(CodedField<Meaning>& coded, const std::vector<std::string>& values, Meaning meaning) {
        if (!coded.field.exists()) return;
        for (const std::string& value : values) {
            const bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
            if (is_integer(coded.field.ref.type) ? !is_number : value.size() != 1) {
                error(mapping_->line,
                      "value " + value + " cannot occur in its field of template " + tmpl_->label());
                continue;
            }
            Meaning& slot = coded.meaning_of[code_of(value, coded.field.ref.type)];
            if (slot != Meaning{} && slot != meaning)
                error(mapping_->line, "value " + value + " has two meanings");
            slot = meaning;
        }
    }

    /// An entry's own field goes before the message's field of the same name.
    FieldAt field(const std::string& name, FieldUse use, FieldScope scope = FieldScope::entry_then_message) {
        if (name.empty()) return {};
        FieldAt at;
        std::optional<fast::FieldRef> found;
        if (scope == FieldScope::entry_then_message) found = tmpl_->field(mapping_->entries + "/" + name);
        at.place = found ? FieldAt::Place::entry : FieldAt::Place::message;
        if (!found) found = tmpl_->field(name);
        if (!found) {
            error(mapping_->line,
                  "template " + tmpl_->label() + " has no field " + name + did_you_mean(name, scope),
                  Errc::missing);
            return {};
        }
        if (!fits(found->type, use))
            error(mapping_->line, "field " + name + " of template " + tmpl_->label() + " is not " +
                                      std::string(expected(use)));
        at.ref = *found;
        return at;
    }

    std::string did_you_mean(const std::string& name, FieldScope scope) const {
        std::vector<std::string_view> known;
        for (const fast::Field& candidate : tmpl_->fields()) {
            known.push_back(candidate.name);
            if (candidate.name == mapping_->entries && scope == FieldScope::entry_then_message)
                for (const fast::Field& inner : candidate.fields)
                    known.push_back(inner.name);
        }
        const std::string_view near = nearest_spelling(name, known);
        return near.empty() ? std::string() : " (did you mean " + std::string(near) + "?)";
    }

    /// Every mapped template must carry the packet number where the framing does not.
    void check_number_field() {
        if (description().number_source != framing::NumberSource::field) return;
        const std::vector<fast::Template>& all = feed_->templates_->all();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (feed_->by_template_[i] < 0) continue;
            const std::optional<fast::FieldRef> found = all[i].field(description().number_field);
            if (!found || !is_integer(found->type))
                error(0,
                      "template " + all[i].label() + " has no integer field " + description().number_field +
                          ", which numbers the packets",
                      Errc::missing);
        }
    }

    Diagnostics& diagnostics_;
    std::shared_ptr<CompiledFeed> feed_;
    const framing::MessageMapping* mapping_ = nullptr;
    const fast::Template* tmpl_ = nullptr;
    bool has_errors_ = false;
};

std::shared_ptr<const CompiledFeed> compile_feed(const framing::FeedDescription& description,
                                                 std::shared_ptr<const fast::Templates> templates,
                                                 Diagnostics& diagnostics) {
    return FeedCompiler(description, std::move(templates), diagnostics).compile();
}

}  // namespace tickpath::feed
