// Decoded rows to ticks, by the tables of the compiled feed. Hot: once per entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/core/counters.h"
#include "dataplane/feed/compiled_feed.h"
#include "dataplane/feed/instrument_directory.h"
#include "dataplane/feed/recovery.h"
#include "dataplane/feed/tick_queue.h"
#include "dataplane/model/tick.h"
#include "decoders/base/decimal.h"
#include "decoders/fast/message.h"

namespace tickpath::feed {

/// A decoded message with the table by which it is read. The mapping's fields are looked up in the entry or
/// in the message, where the compiler found them.
class MessageReader {
public:
    MessageReader(const CompiledMessage& mapping, const fast::Row& root) noexcept
        : mapping_(mapping), root_(root) {}

    [[nodiscard]] const CompiledMessage& mapping() const noexcept { return mapping_; }
    [[nodiscard]] const fast::Row& root() const noexcept { return root_; }
    [[nodiscard]] fast::Rows entries() const noexcept { return root_.rows(mapping_.entries); }

    [[nodiscard]] const fast::Row& row_of(FieldAt field, const fast::Row& entry) const noexcept {
        return field.place == FieldAt::Place::entry ? entry : root_;
    }
    [[nodiscard]] bool has(FieldAt field, const fast::Row& entry) const noexcept {
        return field.exists() && row_of(field, entry).has(field.ref);
    }
    /// 0 when the feed has no such field or the entry does not carry it.
    [[nodiscard]] std::uint64_t integer(FieldAt field, const fast::Row& entry) const noexcept {
        return field.exists() ? row_of(field, entry).u64(field.ref) : 0;
    }
    /// Of a field that stands in the message.
    [[nodiscard]] std::uint64_t integer(FieldAt field) const noexcept { return integer(field, root_); }

    /// Meaning{} (other) when the value is not listed, longer than the table can tell, or absent.
    template <class Meaning>
    [[nodiscard]] Meaning meaning(const CodedField<Meaning>& coded, const fast::Row& entry) const noexcept {
        if (!has(coded.field, entry)) return Meaning{};
        const fast::Row& row = row_of(coded.field, entry);
        if (coded.field.ref.type == fast::FieldType::ascii ||
            coded.field.ref.type == fast::FieldType::unicode) {
            const fast::Text text = row.text(coded.field.ref);
            return text.size() == 1 ? coded.meaning_of[static_cast<std::uint8_t>(text[0])] : Meaning{};
        }
        const std::uint64_t value = row.u64(coded.field.ref);
        return value < coded.meaning_of.size() ? coded.meaning_of[value] : Meaning{};
    }

private:
    const CompiledMessage& mapping_;
    fast::Row root_;
};

/// Rows of one channel to ticks. What cannot be said exactly is counted and never rounded.
class Normalizer {
public:
    Normalizer(framing::BookModel book, framing::LearnedScale scale, InstrumentDirectory& directory,
               core::CounterPage& page, std::string_view owner);

    /// The instrument an entry (or a snapshot, whose `entry` is the message itself) is about; no_instrument
    /// when its key cannot be held or learned, which is counted.
    [[nodiscard]] model::InstrumentId instrument_of(const MessageReader& message,
                                                    const fast::Row& entry) noexcept {
        const CompiledMessage& mapping = message.mapping();
        const FieldAt first = mapping.key[0];
        if (mapping.key_count == 1 && first.ref.type != fast::FieldType::ascii &&
            first.ref.type != fast::FieldType::unicode) [[likely]]
            return directory_.find(message.integer(first, entry), scale_);
        return find_by_text(message, entry);
    }

    /// Writes everything of `entry` into `tick`, whose place and times are set already.
    [[nodiscard]] EntryUse fill(const MessageReader& message, const fast::Row& entry, model::InstrumentId id,
                                model::Tick& tick) noexcept {
        const CompiledMessage& mapping = message.mapping();
        tick.instrument = id;
        tick.flags = 0;
        tick.instrument_sequence =
            static_cast<std::uint32_t>(message.integer(mapping.instrument_sequence, entry));
        tick.exchange_time = message.integer(mapping.entry_time, entry);
        tick.side = model::Side::none;
        tick.action = model::TickAction::add;
        EntryUse use = EntryUse::apply;
        switch (message.meaning(mapping.type, entry)) {
            case EntryMeaning::other:
                return EntryUse::skip;
            case EntryMeaning::bid:
                tick.kind = model::TickKind::quote;
                tick.side = model::Side::bid;
                use = set_action(message, entry, tick);
                break;
            case EntryMeaning::ask:
                tick.kind = model::TickKind::quote;
                tick.side = model::Side::ask;
                use = set_action(message, entry, tick);
                break;
            case EntryMeaning::trade:
                tick.kind = model::TickKind::trade;
                tick.side = message.meaning(mapping.aggressor, entry);
                break;
            case EntryMeaning::empty_book:
                tick.kind = model::TickKind::clear;
                break;
        }
        const model::Instrument& instrument = directory_.instrument(id);
        tick.price =
            scaled(message, mapping.price, entry, instrument.price_places, model::tick_flag::no_price, tick);
        tick.quantity = scaled(message, mapping.quantity, entry, instrument.quantity_places,
                               model::tick_flag::no_quantity, tick);
        set_level(message, entry, tick);
        set_entry_id(message, entry, tick);
        if (tick.has(model::tick_flag::inexact) || (tick.kind == model::TickKind::quote && !has_place(tick)))
            [[unlikely]]
            return EntryUse::unusable;
        return use;
    }

private:
    static constexpr std::uint64_t level_max = 255;  ///< Tick::level is a byte

    [[nodiscard]] EntryUse set_action(const MessageReader& message, const fast::Row& entry,
                                      model::Tick& tick) noexcept {
        const CodedField<ActionMeaning>& action = message.mapping().action;
        if (!action.field.exists()) return EntryUse::apply;
        switch (message.meaning(action, entry)) {
            case ActionMeaning::add:
                tick.action = model::TickAction::add;
                return EntryUse::apply;
            case ActionMeaning::change:
                tick.action = model::TickAction::change;
                return EntryUse::apply;
            case ActionMeaning::remove:
                tick.action = model::TickAction::remove;
                return EntryUse::apply;
            case ActionMeaning::other:
                break;
        }
        unknown_actions_.add();
        return EntryUse::unusable;
    }

    /// A price or quantity at the instrument's scale; 0 and a flag when it is absent or cannot be held
    /// exactly.
    [[nodiscard]] std::int64_t scaled(const MessageReader& message, FieldAt field, const fast::Row& entry,
                                      int places, std::uint16_t absent_flag, model::Tick& tick) noexcept {
        if (!message.has(field, entry)) {
            tick.flags |= absent_flag;
            return 0;
        }
        const std::optional<std::int64_t> value = at_places(decimal_of(message, field, entry), places);
        if (value) [[likely]]
            return *value;
        inexact_.add();
        tick.flags |= model::tick_flag::inexact;
        return 0;
    }

    [[nodiscard]] static Decimal decimal_of(const MessageReader& message, FieldAt field,
                                            const fast::Row& entry) noexcept {
        const fast::Row& row = message.row_of(field, entry);
        if (field.ref.type == fast::FieldType::decimal) [[likely]]
            return row.decimal(field.ref);
        const std::int64_t value = row.i64(field.ref);
        if (field.ref.type == fast::FieldType::u64 && value < 0) [[unlikely]]
            return beyond_int64;
        return {value, 0};
    }
    static constexpr Decimal beyond_int64{1, decimal_digits_max};  // what no scale holds

    void set_level(const MessageReader& message, const fast::Row& entry, model::Tick& tick) noexcept {
        const std::uint64_t level = message.integer(message.mapping().level, entry);
        tick.level = level <= level_max ? static_cast<std::uint8_t>(level) : 0;
    }

    void set_entry_id(const MessageReader& message, const fast::Row& entry, model::Tick& tick) noexcept {
        const FieldAt field = message.mapping().entry_id;
        if (!field.exists() ||
            (field.ref.type != fast::FieldType::ascii && field.ref.type != fast::FieldType::unicode)) {
            tick.entry_id = message.integer(field, entry);
        } else {
            tick.entry_id = number_of(message.row_of(field, entry).text(field.ref));
        }
    }

    /// A quote that names neither its level nor its order cannot find its place in the book.
    [[nodiscard]] bool has_place(const model::Tick& tick) const noexcept {
        if (book_ == framing::BookModel::level) return tick.level != 0;
        return book_ == framing::BookModel::none || tick.entry_id != 0;
    }

    /// 0 for text that is not a number below 2^64, which is counted.
    [[nodiscard]] std::uint64_t number_of(const fast::Text& text) noexcept {
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto digit = static_cast<unsigned>(text[i]) - '0';
            if (digit > 9 || __builtin_mul_overflow(number, std::uint64_t{10}, &number) ||
                __builtin_add_overflow(number, std::uint64_t{digit}, &number)) [[unlikely]] {
                entry_ids_unknown_.add();
                return 0;
            }
        }
        return number;
    }

    [[nodiscard]] model::InstrumentId find_by_text(const MessageReader& message,
                                                   const fast::Row& entry) noexcept;

    framing::BookModel book_;
    framing::LearnedScale scale_;
    InstrumentDirectory& directory_;
    core::Counter inexact_, unknown_actions_, entry_ids_unknown_, keys_unusable_;
};

}  // namespace tickpath::feed
