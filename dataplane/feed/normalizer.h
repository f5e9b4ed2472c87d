// Decoded rows to ticks, by the tables of the compiled feed. Hot: once per entry.
#pragma once

#include <array>
#include <cstddef>
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

/// A decoded message with the table by which it is read: fields of the message, and of the entry that was
/// entered last.
///
/// PERF: a field's place selects the row without a branch. Fields that the feed does not have are read from a
/// row of zeros, where bit 0 of the presence words, set in every other row, says that nothing is there.
class MessageReader {
public:
    MessageReader(const CompiledMessage& mapping, const fast::Row& root) noexcept
        : mapping_(mapping), rows_{fast::Row(&nothing, nullptr), root, fast::Row(&nothing, nullptr)} {}

    [[nodiscard]] const CompiledMessage& mapping() const noexcept { return mapping_; }
    [[nodiscard]] fast::Rows entries() const noexcept {
        return row(FieldAt::Place::message).rows(mapping_.entries);
    }
    void enter(const fast::Row& entry) noexcept {
        rows_[static_cast<std::size_t>(FieldAt::Place::entry)] = entry;
    }

    [[nodiscard]] bool has(const FieldAt& field) const noexcept { return row(field.place).has(field.ref); }
    /// 0 when the feed has no such field or the message does not carry it.
    [[nodiscard]] std::uint64_t integer(const FieldAt& field) const noexcept {
        return row(field.place).u64(field.ref);
    }
    [[nodiscard]] Decimal decimal(const FieldAt& field) const noexcept {
        return row(field.place).decimal(field.ref);
    }
    [[nodiscard]] fast::Text text(const FieldAt& field) const noexcept {
        return row(field.place).text(field.ref);
    }

    /// Meaning{} (other) when the value is not listed, longer than the table can tell, or absent.
    template <class Meaning>
    [[nodiscard]] Meaning meaning(const CodedField<Meaning>& coded) const noexcept {
        if (fast::is_text(coded.field.ref.type)) {
            const fast::Text value = text(coded.field);
            return value.size() == 1 ? coded.meaning_of[static_cast<std::uint8_t>(value[0])] : Meaning{};
        }
        const std::uint64_t value = integer(coded.field);
        return value < coded.meaning_of.size() && has(coded.field) ? coded.meaning_of[value] : Meaning{};
    }

private:
    static constexpr std::uint64_t nothing = 0;

    [[nodiscard]] const fast::Row& row(FieldAt::Place place) const noexcept {
        return rows_[static_cast<std::size_t>(place)];
    }

    const CompiledMessage& mapping_;
    std::array<fast::Row, 3> rows_;  ///< by FieldAt::Place
};

/// Of every meaning but `other`.
[[nodiscard]] constexpr model::TickAction action_of(ActionMeaning meaning) noexcept {
    return static_cast<model::TickAction>(static_cast<unsigned>(meaning) - 1);
}
static_assert(action_of(ActionMeaning::add) == model::TickAction::add);
static_assert(action_of(ActionMeaning::change) == model::TickAction::change);
static_assert(action_of(ActionMeaning::remove) == model::TickAction::remove);

/// Rows of one channel to ticks. What cannot be said exactly is counted and never rounded.
class Normalizer {
public:
    Normalizer(framing::BookModel book, framing::LearnedScale scale, InstrumentDirectory& directory,
               core::CounterPage& page, std::string_view owner);

    /// The instrument that the message's entry (or the message itself, a snapshot) is about; no_instrument
    /// when its key cannot be held or learned, which is counted.
    [[nodiscard]] model::InstrumentId instrument_of(const MessageReader& message) noexcept {
        const CompiledMessage& mapping = message.mapping();
        if (mapping.key_count == 1 && !fast::is_text(mapping.key[0].ref.type)) [[likely]]
            return directory_.find(message.integer(mapping.key[0]), scale_);
        return find_by_text(message);
    }

    /// Writes everything of the message's entry into `tick`, whose place and times are set already.
    [[nodiscard]] EntryUse fill(const MessageReader& message, model::InstrumentId id,
                                model::Tick& tick) noexcept {
        const CompiledMessage& mapping = message.mapping();
        tick.instrument = id;
        tick.flags = 0;
        tick.instrument_sequence = static_cast<std::uint32_t>(message.integer(mapping.instrument_sequence));
        tick.exchange_time = message.integer(mapping.entry_time);
        tick.side = model::Side::none;
        tick.action = model::TickAction::add;
        EntryUse use = EntryUse::apply;
        const EntryMeaning meaning = message.meaning(mapping.type);
        if (meaning == EntryMeaning::bid || meaning == EntryMeaning::ask) [[likely]] {
            tick.kind = model::TickKind::quote;
            tick.side = meaning == EntryMeaning::bid ? model::Side::bid : model::Side::ask;
            use = set_action(message, tick);
        } else if (meaning == EntryMeaning::trade) {
            tick.kind = model::TickKind::trade;
            tick.side = message.meaning(mapping.aggressor);
        } else if (meaning == EntryMeaning::empty_book) {
            tick.kind = model::TickKind::clear;
        } else {
            return EntryUse::skip;
        }
        const model::Instrument& instrument = directory_.instrument(id);
        tick.price =
            scaled(message, mapping.price, instrument.price_places, model::tick_flag::no_price, tick);
        tick.quantity = scaled(message, mapping.quantity, instrument.quantity_places,
                               model::tick_flag::no_quantity, tick);
        const std::uint64_t level = message.integer(mapping.level);
        tick.level = level <= level_max ? static_cast<std::uint8_t>(level) : 0;
        tick.entry_id = fast::is_text(mapping.entry_id.ref.type) ? number_of(message.text(mapping.entry_id))
                                                                 : message.integer(mapping.entry_id);
        if (tick.has(model::tick_flag::inexact) || (tick.kind == model::TickKind::quote && !has_place(tick)))
            [[unlikely]]
            return EntryUse::unusable;
        return use;
    }

private:
    static constexpr std::uint64_t level_max = 255;  ///< Tick::level is a byte

    [[nodiscard]] EntryUse set_action(const MessageReader& message, model::Tick& tick) noexcept {
        const CodedField<ActionMeaning>& action = message.mapping().action;
        if (!action.field.exists()) return EntryUse::apply;
        const ActionMeaning meaning = message.meaning(action);
        if (meaning == ActionMeaning::other) [[unlikely]] {
            unknown_actions_.add();
            return EntryUse::unusable;
        }
        tick.action = action_of(meaning);
        return EntryUse::apply;
    }

    /// A price or quantity at the instrument's scale; 0 and a flag when it is absent or cannot be held
    /// exactly.
    [[nodiscard]] std::int64_t scaled(const MessageReader& message, const FieldAt& field, int places,
                                      std::uint16_t absent_flag, model::Tick& tick) noexcept {
        if (!message.has(field)) {
            tick.flags |= absent_flag;
            return 0;
        }
        const Decimal value = field.ref.type == fast::FieldType::decimal
                                  ? message.decimal(field)
                                  : decimal_of(message.integer(field), field.ref.type);
        if (value.exponent + places == 0) [[likely]]
            return value.mantissa;
        return rescaled(value, places, tick);
    }

    [[nodiscard]] std::int64_t rescaled(Decimal value, int places, model::Tick& tick) noexcept {
        const std::optional<std::int64_t> held = at_places(value, places);
        if (held) [[likely]]
            return *held;
        inexact_.add();
        tick.flags |= model::tick_flag::inexact;
        return 0;
    }

    [[nodiscard]] static Decimal decimal_of(std::uint64_t value, fast::FieldType type) noexcept {
        const auto mantissa = static_cast<std::int64_t>(value);
        if (type == fast::FieldType::u64 && mantissa < 0) [[unlikely]]
            return beyond_int64;
        return {mantissa, 0};
    }
    static constexpr Decimal beyond_int64{1, decimal_digits_max};  // what no scale holds

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

    [[nodiscard]] model::InstrumentId find_by_text(const MessageReader& message) noexcept;

    framing::BookModel book_;
    framing::LearnedScale scale_;
    InstrumentDirectory& directory_;
    core::Counter inexact_, unknown_actions_, entry_ids_unknown_, keys_unusable_;
};

}  // namespace tickpath::feed
