// A feed description joined with its templates: every field found once, every value map turned into a table.
// Made at start, then only read by any number of paths.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/model/tick.h"
#include "decoders/base/diagnostics.h"
#include "decoders/fast/decoder.h"
#include "decoders/fast/templates.h"
#include "decoders/framing/description.h"

namespace tickpath::feed {

/// A field of a message or of its entries, or none.
struct FieldAt {
    enum class Place : std::uint8_t { nowhere, message, entry };

    fast::FieldRef ref;
    Place place = Place::nowhere;

    [[nodiscard]] bool exists() const noexcept { return place != Place::nowhere; }
};

/// What a coded field's value means: an integer below 256 or a single character looks up its meaning.
/// `other` is everything the description does not list.
template <class Meaning>
struct CodedField {
    FieldAt field;
    std::array<Meaning, 256> meaning_of{};
};

enum class ActionMeaning : std::uint8_t { other, add, change, remove };
enum class EntryMeaning : std::uint8_t { other, bid, ask, trade, empty_book };

inline constexpr std::size_t key_fields_max = 4;

/// One mapped template.
struct CompiledMessage {
    framing::MessageKind kind = framing::MessageKind::incremental;
    fast::FieldRef entries;
    std::array<FieldAt, key_fields_max> key{};
    std::uint32_t key_count = 0;
    CodedField<ActionMeaning> action;  ///< no field: every entry adds
    CodedField<EntryMeaning> type;
    CodedField<model::Side> aggressor;
    FieldAt number, price, quantity, level, entry_id, instrument_sequence, entry_time, sending_time;
    FieldAt last_number_processed, fragment_first, fragment_last;
    FieldAt next_number;
    /// An incremental message whose entries can be understood before the rest of it is decoded: every field
    /// of the message that they need stands before them.
    bool has_early_entries = false;
};

class CompiledFeed {
public:
    [[nodiscard]] const framing::FeedDescription& description() const noexcept { return description_; }
    [[nodiscard]] const std::shared_ptr<const fast::Templates>& templates() const noexcept {
        return templates_;
    }
    /// The same with every sequence of has_early_entries handed to the decoder's entry sink.
    [[nodiscard]] std::shared_ptr<const fast::Templates> templates_by_entry() const {
        return templates_->with_entry_sinks(early_entries_);
    }
    [[nodiscard]] const fast::DecoderOptions& decoder_options() const noexcept { return decoder_options_; }

    /// The mapping of a template by its index; null for templates the description does not map.
    [[nodiscard]] const CompiledMessage* message(std::uint32_t template_index) const noexcept {
        if (template_index >= by_template_.size()) return nullptr;
        const std::int32_t at = by_template_[template_index];
        return at < 0 ? nullptr : &messages_[static_cast<std::size_t>(at)];
    }

private:
    friend class FeedCompiler;
    framing::FeedDescription description_;
    std::shared_ptr<const fast::Templates> templates_;
    fast::DecoderOptions decoder_options_;
    std::vector<CompiledMessage> messages_;
    std::vector<std::int32_t> by_template_;
    std::vector<std::string> early_entries_;  ///< by template: path of its entries, empty without early ones
};

/// Joins the two. Every problem is reported at its line of the description: a field that a mapped template
/// does not have, a field of a type that cannot hold its meaning, a mapping that matches no template, a
/// reset rule that cannot survive loss. Null when there is one.
[[nodiscard]] std::shared_ptr<const CompiledFeed> compile_feed(
    const framing::FeedDescription& description, std::shared_ptr<const fast::Templates> templates,
    Diagnostics& diagnostics);

}  // namespace tickpath::feed
